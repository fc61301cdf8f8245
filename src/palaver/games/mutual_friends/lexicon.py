"""Which values people mean: words of a message, looked up in a lexicon that is built from values.

A word stands for a value when it is one of its words, another form of it (hike, hiker, hiking), one
slip of the finger away, its beginning, or the initials of all of its words. Several words in a row,
up to six, stand for the values that each of them stands for; longer spans count before shorter ones.
Words that everybody uses (`material/common_words.txt`) mean a value only where they are all of it.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from palaver.formats.cocoa.schema import CocoaSchema

COMMON_WORDS = Path(__file__).parent / "material" / "common_words.txt"
LONGEST_SPAN = 6
# Words that may stand between those of a value, or be left out.
FILLERS = frozenset({"of", "the", "and", "&", "in", "at", "for"})
# A word that so many values share (college, company) names none of them.
GENERIC = 4
# Initials of fewer letters (CS) mean a value only where one has it.
SURE_INITIALS = 3
# How many values one span may leave open.
MOST_MEANT = 3

EXACT, FORM, INITIALS, SLIP, BEGINNING = 1.0, 0.95, 0.9, 0.85, 0.75

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[&?!.,;:]")
_ENDINGS = ("ings", "ing", "ers", "er", "ists", "ist", "ed", "es", "s", "e", "y")


class Entity(NamedTuple):
    """A value of an attribute."""

    attribute: str
    value: str


class Mention(NamedTuple):
    """What words `start` to `end` stand for, the most likely first."""

    start: int
    end: int
    entities: tuple[Entity, ...]


def words_of(text: str) -> list[str]:
    """The words and marks of a text, in lower case, hyphens taken apart.

    >>> words_of("Is it Co-op Bank's?")
    ['is', 'it', 'co', 'op', "bank's", '?']
    """
    return _WORD.findall(text.lower().replace("-", " ").replace("’", "'"))


@lru_cache(maxsize=4)
def common_words() -> frozenset[str]:
    return frozenset(COMMON_WORDS.read_text("utf-8").split())


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What the forms of a word have in common.

    >>> {stem(word) for word in ("hiking", "hikes", "hiker", "hike")}, stem("jogging")
    ({'hik'}, 'jog')
    """
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


@lru_cache(maxsize=4096)
def _deletions(word: str) -> frozenset[str]:
    """The word, and what is left of it without one letter: two words one slip apart share one."""
    return frozenset({word, *(word[:n] + word[n + 1 :] for n in range(len(word)))})


@dataclass(frozen=True, slots=True)
class _Value:
    entity: Entity
    words: tuple[str, ...]

    @property
    def initials(self) -> set[str]:
        """The first letters of its words, with and without the small ones."""
        every = "".join(word[0] for word in words_of(self.entity.value) if word[0].isalnum())
        large = "".join(word[0] for word in self.words)
        return {each for each in (every, large) if len(each) > 1}


@dataclass(frozen=True)
class Lexicon:
    """Values, and the words that lead to them."""

    entities: frozenset[Entity]
    _values: tuple[_Value, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        values = [
            _Value(entity, tuple(w for w in words_of(entity.value) if w[0].isalnum()) or ("",))
            for entity in sorted(self.entities)
        ]
        object.__setattr__(
            self,
            "_values",
            tuple(
                _Value(v.entity, tuple(w for w in v.words if w not in FILLERS) or v.words)
                for v in values
            ),
        )

    def find(self, words: list[str], *, own: Iterable[Entity] = ()) -> list[Mention]:
        """What the words mention, in order; values of one's `own` table are preferred."""
        known = frozenset(own)
        found: list[Mention] = []
        start = 0
        while start < len(words):
            mention = self._longest(words, start, known)
            if mention is not None:
                found.append(mention)
            start = mention.end if mention is not None else start + 1
        return found

    def _longest(self, words: list[str], start: int, own: frozenset[Entity]) -> Mention | None:
        """The longest span from `start` that means something."""
        meant = self._meant(words[start])
        if not meant or words[start] in FILLERS:
            return None
        best = self._mention(words, start, start + 1, meant, own)
        for end in range(start + 2, min(start + LONGEST_SPAN, len(words)) + 1):
            word = words[end - 1]
            if word in FILLERS:
                continue
            further = self._meant(word)
            meant = {n: min(meant[n], further[n]) for n in meant.keys() & further.keys()}
            if not meant:
                break
            best = self._mention(words, start, end, meant, own) or best
        return best

    def _mention(
        self,
        words: list[str],
        start: int,
        end: int,
        meant: dict[int, float],
        own: frozenset[Entity],
    ) -> Mention | None:
        span = [word for word in words[start:end] if word not in FILLERS]
        scores: dict[Entity, float] = {}
        surest = max(meant.values())
        for n, quality in meant.items():
            value = self._values[n]
            is_own = value.entity in own
            if quality < surest and not (is_own and quality >= INITIALS):
                continue
            if quality == INITIALS and len(span[0]) < SURE_INITIALS and not is_own:
                continue
            whole = tuple(span) == value.words
            if not whole and not self._telling(span):
                continue
            covered = min(1.0, len(span) / len(value.words)) if quality != INITIALS else 1.0
            scores[value.entity] = quality * covered + whole
        if not scores:
            return None
        best = max(scores.values())
        # A value that was said in full is meant, whether one has it or not.
        top = {e: s for e, s in scores.items() if s >= 1.0 and s == best} if best >= 1.0 else scores
        kept = {e: s for e, s in top.items() if e in own} or top
        if len(kept) > MOST_MEANT:
            return None
        return Mention(start, end, tuple(sorted(kept, key=lambda e: (-kept[e], e))))

    def _telling(self, span: list[str]) -> bool:
        """Whether at least one word is neither common nor shared by many values."""
        common = common_words()
        return any(word not in common and self._shared[word] <= GENERIC for word in span)

    def _meant(self, word: str) -> dict[int, float]:
        """The values that a word can stand for, by how surely."""
        remembered = self._remembered.get(word)
        if remembered is None:
            remembered = self._remembered[word] = dict(self._look_up(word))
        return remembered

    def _look_up(self, word: str) -> Iterator[tuple[int, float]]:
        # From the least sure to the surest: what comes later counts.
        if not word[0].isalnum():
            return
        plain = word.removesuffix("'s")
        is_common = plain in common_words()
        if not is_common and len(plain) >= 3:
            yield from self._ways("beginning", plain, BEGINNING)
        if not is_common and len(plain) >= 5:
            for each in _deletions(plain):
                yield from self._ways("slip", each, SLIP)
        yield from self._ways("initials", plain, INITIALS)
        if not is_common:
            yield from self._ways("form", stem(plain), FORM)
        yield from self._ways("exact", plain, EXACT)

    def _ways(self, way: str, key: str, quality: float) -> Iterator[tuple[int, float]]:
        return ((n, quality) for n in self._index.get((way, key), ()))

    @cached_property
    def _remembered(self) -> dict[str, dict[int, float]]:
        return {}

    @cached_property
    def _shared(self) -> Counter[str]:
        """How many values have a word."""
        return Counter(word for value in self._values for word in set(value.words))

    @cached_property
    def _index(self) -> dict[tuple[str, str], set[int]]:
        index: dict[tuple[str, str], set[int]] = defaultdict(set)
        for n, value in enumerate(self._values):
            for each in value.initials:
                index["initials", each].add(n)
            for word in value.words:
                index["exact", word].add(n)
                index["form", stem(word)].add(n)
                if len(word) >= 5:
                    for each in _deletions(word):
                        index["slip", each].add(n)
                for length in range(3, len(word)):
                    index["beginning", word[:length]].add(n)
        return dict(index)


@lru_cache(maxsize=64)
def lexicon_of(entities: frozenset[Entity]) -> Lexicon:
    """The lexicon of these values, made once."""
    return Lexicon(entities)


def schema_entities(schema: "CocoaSchema") -> frozenset[Entity]:
    """All values that the attributes of a schema take."""
    return frozenset(
        Entity(attribute.name, value)
        for attribute in schema.attributes
        for value in schema.values.get(attribute.value_type, ())
    )
