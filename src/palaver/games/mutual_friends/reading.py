"""What a message says of its writer's table, and what it asks of the reader's.

A message is read clause by clause. A clause claims that the writer has friends with certain values
(none, some, so many, all of them), asks for such friends, or asks what an attribute is like. "Both
study law" and "one of them" speak of the friends before; "yes", "none" and "two" answer what was asked
last.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from palaver.games.mutual_friends.lexicon import Entity, Lexicon, Mention, words_of

Group = frozenset[Entity]
NOTHING: Group = frozenset()

NUMBERS = {
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COUNTS = {**NUMBERS, "couple": 2, "single": 1, "pair": 2}
_ALL = _words("all everyone everybody every each both")
_VAGUE = _words("some several few many most lots others another other multiple mostly")
_NEGATIONS = _words(
    "no not none nope nah nobody neither nor never zero without don't dont doesn't doesnt didn't didnt "
    "haven't havent hasn't hasnt isn't isnt aren't arent can't cant nothing 0"
)
_AFFIRMATIONS = _words("yes yeah yep yup yea sure do have same indeed certainly")
_IDLE = _words(
    "problem worries worry idea ideas know understand clue matter way bad get follow mean tell hint "
    "select selected pick picked chose chosen choose guess likely possible told"
)
_OPENERS = _words(
    "do does did any anyone anybody is are what which where who how have has got can could would "
    "was were what's whats when"
)
_OWN = _words("i i've ive i'm im my mine me we our")
_BACK = _words(
    "he she they it that this those these both all one another them who two three four five six "
    "seven eight the some most each none his her their neither everyone which most"
)
# Words that point at something other than what was asked, where nothing was said before.
_POINTERS = _words("the that this it who which those these")
_LEADS = _words("and so well yes yeah yep yup ok okay but hmm oh ah also then no nope only")
_GREETINGS = _words("hi hello hey hiya howdy greetings morning yo")
_BREAKS = frozenset(".!?;:,")
# What a clause can begin with behind "and".
_NEW_CLAUSE = _OWN | {
    "do",
    "does",
    "any",
    "how",
    "what",
    "both",
    "none",
    "all",
    "one",
    "the",
    "two",
}
_YOU = _words("you your yours yourself")
# A question of so few words ("and you?") can be about what was asked before.
BRIEF = 5
# Words for attributes that are not their names.
_ATTRIBUTE_WORDS = {
    "school": "school schools college university uni alma",
    "major": "major majors majored degree field subject study studies",
    "company": "company companies employer employers job jobs work",
    "hobby": "hobby hobbies pastime interests",
    "time": "time times schedule",
    "location": "location locations",
    "name": "name names called",
}


@dataclass(frozen=True, slots=True)
class Claim:
    """The writer has `count` friends of a group: None is some, 0 is none.

    With `every` all of the writer's friends are of the group. `parts` are the groups into which these
    friends fall, where the writer has named them all.
    """

    group: Group
    count: int | None = None
    every: bool = False
    parts: tuple[Group, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadMessage:
    """What a message says and asks; `attribute` is asked about as such."""

    claims: tuple[Claim, ...] = ()
    asked: tuple[Group, ...] = ()
    attribute: str = ""
    greets: bool = False
    is_question: bool = False

    @property
    def groups(self) -> tuple[Group, ...]:
        """Everything that was named."""
        return (*(claim.group for claim in self.claims), *self.asked)


def read_message(
    text: str,
    lexicon: Lexicon,
    *,
    own: Iterable[Entity] = (),
    attributes: Iterable[str] = (),
    topic: Group = NOTHING,
) -> ReadMessage:
    """What a message says; `topic` is what its writer was asked before."""
    words = words_of(text)
    reader = _Reader(words, tuple(attributes), topic)
    mentions = {mention.start: mention for mention in lexicon.find(words, own=own)}
    for clause in _clauses(words, mentions):
        reader.read(clause)
    return reader.result()


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int
    end: int
    mentions: tuple[Mention, ...]
    asks: bool  # whether its sentence ends in a question mark


def _clauses(words: list[str], mentions: Mapping[int, Mention]) -> Iterator[_Clause]:
    inside = {n for m in mentions.values() for n in range(m.start + 1, m.end)}
    start = 0
    for n, word in enumerate([*words, "."]):
        following = words[n + 1] if n + 1 < len(words) else ""
        conjoins = word == "but" or (word == "and" and following in _NEW_CLAUSE)
        if n in inside or not (word in _BREAKS or conjoins):
            continue
        if n > start:
            ending = next((w for w in words[n:] if w in ".!?;"), ".")
            held = tuple(mentions[k] for k in range(start, n) if k in mentions)
            yield _Clause(start, n, held, ending == "?")
        start = n + 1


@dataclass
class _Reader:
    """The clauses so far."""

    words: list[str]
    attributes: tuple[str, ...]
    topic: Group
    claims: list[Claim] = field(default_factory=list)
    asked: list[Group] = field(default_factory=list)
    attribute: str = ""
    greets: bool = False
    is_question: bool = False
    # The claim that "both" and "one of them" speak of, by its place; and how the last clause was.
    base: int | None = None
    parts: list[Group] = field(default_factory=list)
    was_question: bool = False
    was_negative: bool = False

    def read(self, clause: _Clause) -> None:
        words = self.words[clause.start : clause.end]
        if not clause.mentions and set(words) <= _GREETINGS | {
            "there",
            "again",
            "partner",
            "friend",
        }:
            self.greets = True
            return
        continues = self._continues(words, clause)
        question = self.was_question if continues else self._is_question(words, clause)
        if question:
            self._ask(words, clause)
        elif clause.mentions:
            self._claim(words, clause, negative=continues and self.was_negative)
        else:
            self._answer(words)
        self.was_question = question
        self.is_question |= question

    def result(self) -> ReadMessage:
        self._close_parts()
        return ReadMessage(
            claims=tuple(self.claims),
            asked=tuple(dict.fromkeys(self.asked)),
            attribute=self.attribute,
            greets=self.greets,
            is_question=self.is_question,
        )

    def _continues(self, words: list[str], clause: _Clause) -> bool:
        """Whether the clause goes on with a list: values, and little else."""
        if not clause.mentions or not (self.claims or self.asked):
            return False
        taken = {n for m in clause.mentions for n in range(m.start, m.end)}
        rest = [self.words[n] for n in range(clause.start, clause.end) if n not in taken]
        return set(rest) <= {"and", "or", "nor", "at", "the", "a", "of", "to", "in", "for", "also"}

    def _is_question(self, words: list[str], clause: _Clause) -> bool:
        first = next((word for word in words if word not in _LEADS), "")
        if first in _OPENERS and not (first in ("have", "got", "do") and clause.mentions):
            return clause.asks or first in ("do", "does", "how", "what", "which", "any", "anyone")
        if first == "do":
            return "you" in words or "any" in words
        if not clause.asks:
            return False
        return not _OWN.intersection(words) or bool(_YOU.intersection(words))

    def _ask(self, words: list[str], clause: _Clause) -> None:
        groups = [group for group, _ in self._groups(clause)]
        if groups:
            self.asked.extend(groups)
            return
        self.attribute = self.attribute or self._attribute(words)
        if not self.attribute and not self.asked and not _IDLE.intersection(words):
            brief = len(words) <= BRIEF
            said = self.claims[-1].group if self.claims else self.topic if brief else NOTHING
            if said and ("you" in words or "yours" in words or "any" in words):
                self.asked.append(said)

    def _attribute(self, words: list[str]) -> str:
        """The attribute that is asked about."""
        for name in self.attributes:
            own = words_of(name)
            known = {*own, *_ATTRIBUTE_WORDS.get(own[0], "").split()} if own else set()
            if known.intersection(words) - {"preference"}:
                return name
        return ""

    def _claim(self, words: list[str], clause: _Clause, *, negative: bool) -> None:
        first = next((word for word in words if word not in _LEADS or word == "no"), "")
        base = self._base(words, first)
        denied = negative or bool(_NEGATIONS.intersection(words))
        self.was_negative = denied
        groups = list(self._groups(clause, split=denied and bool({"or", "nor"} & set(words))))
        for group, count in groups:
            whole = base | group if base and not _clash(base, group) else group
            if denied:
                self.claims.append(Claim(whole, 0))
            elif base and whole != group:
                self._add_part(words, whole, first)
            else:
                self._close_parts()
                every = first in _ALL and first != "both" and bool(_OWN.intersection(words))
                self.base = len(self.claims)
                self.claims.append(Claim(whole, count, every))

    def _base(self, words: list[str], first: str) -> Group:
        """The friends that a clause goes on to describe; none where it speaks of others."""
        goes_back = first in _BACK or first.isdigit()
        if not goes_back or _OWN.intersection(words):
            return NOTHING
        if self.base is not None:
            return self.claims[self.base].group
        return NOTHING if self.claims or first in _POINTERS else self.topic

    def _add_part(self, words: list[str], whole: Group, first: str) -> None:
        if self.base is None:
            self.base = len(self.claims)
            self.claims.append(Claim(self.topic))
        self.parts.append(whole)
        base = self.claims[self.base]
        if len(self.parts) == 1 and (base.count == 1 or first in _ALL or "both" in words):
            self.claims[self.base] = replace(base, parts=(whole,))
        self.claims.append(Claim(whole))

    def _close_parts(self) -> None:
        """Where each of the friends was described, say so."""
        if self.base is not None and self.parts:
            base = self.claims[self.base]
            if base.count is not None and len(self.parts) >= base.count and not base.parts:
                self.claims[self.base] = replace(base, parts=tuple(self.parts))
        self.base, self.parts = None, []

    def _answer(self, words: list[str]) -> None:
        """Yes, no, or a number, to what was asked."""
        said = set(words)
        if said & _IDLE or {"not", "sure"} <= said:
            return
        number = next((n for word in words if (n := _number(word)) is not None), None)
        last = self.claims[-1] if self.claims else None
        if last is not None and (last.group != self.topic or last.every):
            if number is not None and last.count is None and not last.every:
                self.claims[-1] = replace(last, count=number)  # "…, only one though"
            return
        if not self.topic or any(claim.group == self.topic for claim in self.claims[:-1]):
            return
        if said & _NEGATIONS:
            claim = Claim(self.topic, 0)
        elif number is not None:
            claim = Claim(self.topic, number)
        elif said & _ALL:
            claim = Claim(self.topic, None, every=True)
        elif said & _AFFIRMATIONS:
            claim = Claim(self.topic)
        else:
            return
        if self.claims and self.claims[-1].group == self.topic:
            earlier = self.claims.pop()  # "Yes, two", and "Two, yes": the number says more
            claim = earlier if earlier.count is not None and claim.count is None else claim
        self.base = len(self.claims) if claim.count != 0 else None
        self.parts = []
        self.claims.append(claim)

    def _groups(
        self, clause: _Clause, *, split: bool = False
    ) -> Iterator[tuple[Group, int | None]]:
        """Values that are said of the same friends, with how many they are."""
        held: dict[str, Entity] = {}
        count: int | None = None
        at = clause.start
        for mention in clause.mentions:
            between = self.words[at : mention.start]
            numbers = [n for word in between if (n := _number(word)) is not None]
            entity = mention.entities[0]
            apart = bool(numbers) or bool(_VAGUE.intersection(between)) or "or" in between
            if held and (split or apart or entity.attribute in held):
                yield frozenset(held.values()), count
                held, count = {}, None
            if numbers:
                count = numbers[-1]
            held[entity.attribute] = entity
            at = mention.end
        if held:
            yield frozenset(held.values()), count


def _number(word: str) -> int | None:
    if word.isdecimal() and len(word) <= 2:
        return int(word)
    return _COUNTS.get(word)


def _clash(base: Group, group: Group) -> bool:
    """Whether two groups give one attribute two values."""
    known = {entity.attribute: entity.value for entity in base}
    return any(known.get(entity.attribute, entity.value) != entity.value for entity in group)
