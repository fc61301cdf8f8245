"""Words that give a system away: its name, its model, its maker, found in what it says.

What may be said by anybody must stay. So names fall into two groups. Those that mean nothing else (a
model's id such as `gpt-4o`, "ChatGPT", "OpenAI", whatever a study lists) are found anywhere. Those
that are ordinary words as well (a system called "echo", "Claude", "Gemini", "Google") are found where
a sentence is about the speaker: "I am …", "my name is …", "as …", "… here", "made by …". A name that
nobody listed is found where a system introduces itself as a machine.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from palaver.core.model_names import (
    ABOUT_MACHINES,
    FAMILIES,
    JOINT,
    KNOWN,
    NO_WORDS,
    TAIL,
    TIGHT,
    VERSIONED,
    WORDS,
)

MASK = "…"

_LATIN = "A-Za-z0-9\u00c0-\u024f"
# Scripts that put no space between words.
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_LATIN_WORDS = re.compile("[a-z\u00c0-\u024f]+")
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")

_QUOTES = r"[\s\"'“”‘’„*_«»(]*"
_ADVERBS = (
    r"(?:(?:not|just|only|simply|actually|really|indeed|still|in fact|the|your|an?|currently)"
    r"\s+){0,4}"
)
_STRONG = (
    r"(?:my\s+(?:\w+\s+)?name(?:['’]s|\s+is)|\bcall\s+me|\bI(?:\s+am|['’]m|\s+was|(?:\s+ha|['’])ve\s+been)\s+"
    r"(?:called|named|known\s+as)|\bI\s+go\s+by|\bname\s*:"
    r"|ich\s+hei(?:ß|ss)e|mein\s+name\s+ist|nennt?\s+mich|je\s+m['’]appelle|mon\s+nom\s+est"
    r"|me\s+llamo|mi\s+nombre\s+es|mi\s+chiamo|il\s+mio\s+nome\s+è|me\s+chamo|meu\s+nome\s+é"
    r"|ik\s+heet|mijn\s+naam\s+is|jag\s+heter|jeg\s+heter|меня\s+зовут|nazywam\s+się|mam\s+na\s+imię"
    r"|benim\s+adım|我叫|我的名字是|私の名前は|제\s*이름은)"
)
_WEAK = (
    r"(?:\bI\s+am|\bI['’]m|\bthis\s+is|\bas|\b(?:talking|speaking|chatting)\s+(?:to|with)"
    r"|\bich\s+bin|\bals|\bje\s+suis|\ben\s+tant\s+que|\byo\s+soy|\bsoy|\bcomo|\bio\s+sono|\bsono"
    r"|\beu\s+sou|\bsou|\bik\s+ben|\bjag\s+är|\bjeg\s+er|(?<!\w)я|我是|作为|私は|저는|나는)"
)
_KIND_WORD = (
    r"(?:(?:large|big|small|neural|conversational|generative|powerful|advanced|helpful|friendly"
    r"|artificial|digital|virtual|computer|trained|open(?:-source)?)[-\s]+){0,4}"
)
_MACHINE = (
    rf"{_KIND_WORD}(?:(?:AI|A\.I\.)(?:[-\s]+(?:language\s+)?(?:model|assistant|system|chat\s?bot|bot"
    r"|companion|agent|program|helper))?|artificial\s+intelligence|(?:large\s+)?language\s+model|LLMs?"
    r"|chat\s?bot|bot|(?:virtual|digital)\s+(?:assistant|agent)|(?:computer|software)\s+program"
    r"|machine|robot)\b"
)
_MADE = (
    r"(?:made|built|created|developed|designed|programmed|engineered|produced|released|provided"
    r"|fine[-\s]?tuned|powered|trained|owned|operated)"
)
_TEAM = (
    r"(?:(?:the\s+)?(?:\w+\s+)?(?:team|people|researchers|engineers|company|folks|developers|scientists)"
    r"\s+(?:at|of|from|called)\s+|the\s+(?:company\s+)?)?"
)
_CAPITALISED = r"[A-Z\u00c0-\u00de][\w.+-]*\w(?:\s+(?:[A-Z\u00c0-\u00de][\w-]*|\d[\w.]*)\b)*"
_I_MADE = (
    rf"(?:\bI\s+(?:was|am|have\s+been)|\bI['’](?:m|ve\s+been))(?:\s+(?:also|originally|first|initially))?"
    rf"\s+{_MADE}(?:,?\s+(?:and\s+)?{_MADE})*\s+(?:by|at)\s+{_TEAM}"
)
_MACHINE_MADE = (
    rf"{_MACHINE}(?:,?\s+(?:which|that|who)?\s*(?:is|was|has\s+been)?\s*(?:\w+ly\s+)?{_MADE}"
    rf"(?:,?\s+(?:and\s+)?{_MADE})*\s+(?:by|at)|\s+(?:from|by|of))\s+{_TEAM}"
)
_MY_MAKERS = (
    r"\bmy\s+(?:creators?|makers?|developers?|programmers?|engineers)(?:,|\s+(?:is|are|at|over\s+at|from"
    rf"|here\s+at))?\s+{_TEAM}"
)
_FOREIGN_MADE = (
    r"(?:\bvon|\bpar|\bpor|\bda|\bdoor|\bav|\bкомпанией|\bразработ\w+(?:\s+компанией)?|由|被)\s*"
)
_FIRST_PERSON = re.compile(
    r"(?i)\b(?:ich|mich|je|j['’]|moi|yo|soy|fui|me|io|sono|eu|sou|fui|ik|jag|jeg|я|меня)(?!\w)|我|私"
)
_INTRODUCED = (
    rf"(?:\s*[,(–—-]\s*|\s+)(?:an?|the|your|ein(?:e)?|une?|una?|uma?|een)\s+(?:\w+[-\s]+){{0,3}}?"
    rf"(?:{_MACHINE}|model|assistant|system|program|agent|Assistent|Sprachmodell|KI|assistente"
    r"|asistente|modelo|modèle|chatbot)\b"
)
_A_MACHINE = (
    rf"(?:\bI\s+am|\bI['’]m|\bas|\bme\s+being)\s+(?:(?:just|only|simply|merely|really|actually)\s+)*"
    rf"(?:an?\s+)(?P<name>{_MACHINE})"
    r"|(?:\bals|\bich\s+bin|\bbin\s+ich)\s+(?:(?:nur|bloß)\s+)?(?:eine?\s+)?"
    r"(?P<german>KI(?:-\w+)?|Sprachmodell|künstliche\s+Intelligenz|Chatbot|Computerprogramm)\b"
    r"|(?:\ben\s+tant\s+qu['’]|\bje\s+suis\s+une?\s+)(?P<french>IA|modèle\s+de\s+langage"
    r"|intelligence\s+artificielle|chatbot)\b"
    r"|(?:\bcomo|\bsoy)\s+(?:una?\s+)?(?P<spanish>IA|modelo\s+de\s+lenguaje"
    r"|inteligencia\s+artificial|chatbot)\b"
    r"|(?:我是|作为)(?:一个|一款|一种)?(?P<chinese>(?:大型)?(?:AI|人工智能|语言模型)(?:助手|模型|语言模型)?)"
)


@dataclass(frozen=True, slots=True, order=True)
class NamedPlace:
    """A place in a text where a system gives itself away."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Disguise:
    """What gives the systems of a chat away.

    `listed` is found anywhere. `own` are the names and models of the systems: those that can be
    nothing else anywhere, those that are words where a sentence is about the speaker. `as_people`
    is for chats in which a system passes for a person: there being a machine gives it away, too.
    """

    listed: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    as_people: bool = False
    _rules: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)
    _hints: frozenset[str] = field(init=False, repr=False, compare=False)
    _unspaced: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _brands: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rules", tuple(map(re.compile, self._patterns())))
        names = (*self.listed, *filter(_may_be_a_name, self.own), *KNOWN)
        hints = {hint for name in names for hint in _hints(name)}
        object.__setattr__(self, "_hints", frozenset(hints | WORDS | FAMILIES | ABOUT_MACHINES))
        unspaced = tuple(name for name in names if not name.isascii())
        object.__setattr__(self, "_unspaced", (*unspaced, "人工智能", "语言模型"))
        own = {part.casefold() for name in self.own for part in _PARTS.findall(name)}
        brands = sorted(own & WORDS)
        known = re.compile(rf"(?i:{'|'.join(map(_bounded, brands))})") if brands else None
        object.__setattr__(self, "_brands", known)

    def find(self, text: str) -> list[NamedPlace]:
        """The places that give a system away, in order and apart from each other."""
        plain = _plain(text)
        if not self._may_name(plain):
            return []
        found = [_span(match) for rule in self._rules for match in rule.finditer(plain)]
        found += self._bare_brands(plain)
        found += _foreign_makers(plain)
        return _apart(found)

    def named(self, text: str) -> list[str]:
        """The words that give a system away, in order."""
        return [text[place.start : place.end] for place in self.find(text)]

    def mask(self, text: str) -> str:
        """The text with every name left out."""
        for place in reversed(self.find(text)):
            text = text[: place.start] + MASK + text[place.end :]
        return text

    def _may_name(self, text: str) -> bool:
        """Whether a text has a word that any rule looks for: most replies have none."""
        folded = text.casefold()
        words = set(_LATIN_WORDS.findall(folded))
        if not self._hints.isdisjoint(words) or "a.i." in folded:
            return True
        if any(word[-1] == "s" and word[:-1] in self._hints for word in words):
            return True
        return not text.isascii() and any(name.casefold() in folded for name in self._unspaced)

    def _patterns(self) -> Iterator[str]:
        tight = [
            _bounded(name, joint=TIGHT, tail=TAIL)
            for name in self.own
            if _can_be_nothing_else(name)
        ]
        sure = [
            *map(_bounded, self.listed),
            *(_bounded(name, tail=TAIL) for name in KNOWN),
            *map(_edged, VERSIONED),
            *tight,
        ]
        yield rf"(?i)(?P<name>{'|'.join(sure)})"
        words = sorted({*WORDS, *(n.casefold() for n in self.own if _may_be_a_name(n))}, key=len)
        any_word = "|".join(_bounded(word) for word in reversed(words))
        capital = r"(?=[^a-z])"
        after = rf"(?={_INTRODUCED}|\s*,?\s+(?:made|built|created|developed|trained|from|by)\b)"
        yield rf"(?i:{_STRONG}\s*{_QUOTES}{_ADVERBS})(?P<name>(?i:{any_word}))"
        # "I am happy to help" from a system called "happy": a name is written as one.
        yield rf"(?i:{_WEAK}\s*{_QUOTES}{_ADVERBS}){capital}(?P<name>(?i:{any_word}))(?!\s+[a-z]+ing\b)"
        yield rf"(?i:{_WEAK}\s*{_QUOTES}{_ADVERBS})(?P<name>(?i:{any_word}))(?i:{after})"
        yield rf"(?:^|[.!?\n]\s*){_QUOTES}{capital}(?P<name>(?i:{any_word}))(?i:\s+here\b)"
        yield rf"(?:\n\s*[-–—~]+\s*){capital}(?P<name>(?i:{any_word}))\s*$"
        yield rf"(?i:(?:{_I_MADE}|{_MACHINE_MADE}|{_MY_MAKERS}){_QUOTES})(?P<name>(?i:{any_word}))"
        yield rf"{capital}(?P<name>(?i:{any_word}))(?=['’]s\s+(?i:\w*\s*{_MACHINE}|assistant|model)\b)"
        # Names that nobody listed, where a machine introduces itself.
        yield (
            rf"(?i:(?:{_STRONG}|{_WEAK})\s*{_QUOTES})(?P<name>{_CAPITALISED})"
            rf"(?=(?i:\s*[,(–—-]\s*(?:an?|the|your)\s+(?:\w+[-\s]+){{0,2}}?{_MACHINE}))"
        )
        made = _I_MADE.replace("trained|", "")
        yield rf"(?i:(?:{made}|{_MACHINE_MADE}){_QUOTES})(?P<name>{_CAPITALISED})"
        if self.as_people:
            yield rf"(?i){_A_MACHINE}"

    def _bare_brands(self, text: str) -> Iterator[NamedPlace]:
        """Own brands such as "Claude", not in small letters where that is a word.

        Nor at the start of a sentence ("Llamas spit"), nor with a surname ("Claude Monet").
        """
        for match in self._brands.finditer(text) if self._brands else ():
            word = match.group()
            if re.match(r"\s+[A-Z\u00c0-\u00de][a-z]", text[match.end() :]):
                continue
            begins = re.search(r"(?:^|[.!?\n]\s*)[\"'“*]*$", text[: match.start()]) is not None
            if word.casefold() in NO_WORDS or (word[0].isupper() and not begins):
                yield NamedPlace(match.start(), match.end())


def _can_be_nothing_else(name: str) -> bool:
    """Whether a system's name is no word: it has a digit, an underscore or a capital inside."""
    letters = sum(character.isalpha() for character in name)
    odd = any(c.isdigit() for c in name) or "_" in name or _INNER_CAPITAL.search(name)
    return letters >= 2 and len(name) >= 3 and bool(odd)


def _may_be_a_name(name: str) -> bool:
    """Whether a name is long enough to be told from an article."""
    return len(name) >= 3 or bool(_UNSPACED.search(name))


def _hints(name: str) -> set[str]:
    """Words of which a text has one where it has the name, its parts joined or apart."""
    parts = [part.casefold() for part in _PARTS.findall(_plain(name))]
    apart = parts[-1:] if parts[-1:] == ["ai"] else parts[:1]
    return {*apart, "".join(part for part in parts if part.isalpha())}


def _bounded(name: str, joint: str = JOINT, tail: str = "") -> str:
    """A pattern of a name, its parts joined in any way, that no longer word contains."""
    parts = _PARTS.findall(unicodedata.normalize("NFKC", name))
    if not parts:
        return re.escape(name)
    pattern = joint.join(re.escape(part) for part in parts) + tail
    return _edged(pattern, first=parts[0][0], last=parts[-1][-1])


def _edged(pattern: str, first: str = "a", last: str = "a") -> str:
    return f"{_edge(first, '<!')}(?:{pattern}){_edge(last, '!')}"


def _edge(character: str, look: str) -> str:
    if _UNSPACED.match(character):
        return ""
    if character.isascii():
        # "我是ChatGPT" has no space, and "ChatGPTs" is a name still.
        plural = "" if look == "<!" else "(?:['’]?s)?"
        return f"{plural}(?{look}[{_LATIN}])"
    return rf"(?{look}\w)"


def _plain(text: str) -> str:
    """The text with wide letters as plain ones, each character in its place."""
    if text.isascii():
        return text
    folded = (unicodedata.normalize("NFKC", character) for character in text)
    return "".join(f if len(f) == 1 and f != " " else c for f, c in zip(folded, text, strict=True))


def _foreign_makers(text: str) -> Iterator[NamedPlace]:
    """Makers behind a preposition of another language, where the sentence speaks of its speaker."""
    for match in _FOREIGN_MAKER.finditer(text):
        sentence = re.split(r"[.!?。！？\n]", text[: match.start()])[-1]
        if _FIRST_PERSON.search(sentence):
            yield _span(match)


def _span(match: re.Match[str]) -> NamedPlace:
    group = next(name for name, value in match.groupdict().items() if value is not None)
    return NamedPlace(match.start(group), match.end(group))


def _apart(places: Sequence[NamedPlace]) -> list[NamedPlace]:
    merged: list[NamedPlace] = []
    for place in sorted(places):
        if merged and place.start < merged[-1].end:
            merged[-1] = NamedPlace(merged[-1].start, max(place.end, merged[-1].end))
        else:
            merged.append(place)
    return merged


_FOREIGN_MAKER = re.compile(
    rf"(?i:{_FOREIGN_MADE})(?P<name>(?i:{'|'.join(map(_bounded, sorted(WORDS)))}))"
)
