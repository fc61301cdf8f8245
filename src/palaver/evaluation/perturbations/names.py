"""Given names exchanged for others: of another ethnic group, or of the other gender.

A name is looked up as it is written, else without its accents ("Jose" finds José), with its capital;
in a text in capitals too. A word that is mostly no name (`lists/also_words.txt`) is none, nor is a
name that is part of a place ("San Jose", "Maria Street"). A variant maps each name once, in all of its
texts alike, and never two names to one or to a name that stands in it already.
"""

import unicodedata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits, written
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.vocabulary import (
    Table,
    head,
    in_case,
    lines,
    looked_up,
    sections,
)

GROUPS = (
    "names_asian_pacific",
    "names_black",
    "names_hispanic",
    "names_middle_eastern",
    "names_white",
)
GENDERS = ("female", "male")

# Letters that are no letter with a mark to Unicode.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe"})
_STOP = ord(".")


@dataclass(frozen=True, slots=True)
class Pools:
    """Names to choose from: `find` is the listed name of a word, `pool_of` what that is exchanged for.

    `stays` says which of the words at some places are part of a place's name.
    """

    find: Callable[[str], str]
    pool_of: Mapping[str, int]
    pools: tuple[tuple[str, ...], ...]
    stays: Callable[[Corpus, Numbers], Numbers] | None = None


def ethnic_names(corpus: Corpus, draws: Draws) -> Edits:
    """Each name exchanged for one of another group and of the same gender."""
    return swap_names(corpus, draws, _ethnic_pools())


def swap_names(corpus: Corpus, draws: Draws, pools: Pools) -> Edits:
    """Names exchanged for names of the pool that theirs leads to."""
    words, vocabulary = corpus.words, corpus.vocabulary
    names = [pools.find(word) for word in vocabulary.words]
    found = looked_up(names, pools.pool_of.get)
    hits = np.flatnonzero((found[vocabulary.ids] >= 0) & words.free)
    if pools.stays is not None:
        hits = hits[~pools.stays(corpus, hits)]
    ids, rows = vocabulary.ids[hits], words.rows[hits]
    sums = np.array([zlib.crc32(name.encode()) for name in names], dtype=np.int64)[ids]
    sizes = np.array([len(pool) for pool in pools.pools], dtype=np.int64)[found[ids]]
    starts = draws.shared(rows, sums, sizes, purpose=5).tolist()
    drawn = zip(found[ids].tolist(), starts, strict=True)
    chosen = [pools.pools[pool][start] for pool, start in drawn]
    olds, variants = [names[n] for n in ids.tolist()], draws.variants[rows]
    several = np.flatnonzero(_of_several(variants, sums)).tolist()
    for n, new in _distinct(several, olds, variants.tolist(), starts, pools):
        chosen[n] = new
    table = Table()
    heads = [head(word) for word in vocabulary.words]
    which = [table.add(in_case(new, heads[n])) for new, n in zip(chosen, ids.tolist(), strict=True)]
    lengths = np.array([len(each) for each in heads], dtype=np.int64)[ids]
    begins = words.starts[hits]
    return written(begins, begins + lengths, np.array(which, dtype=np.int64), table.texts)


def _of_several(variants: Numbers, names: Numbers) -> Numbers:
    """Which names stand in a variant beside others: only these can come into each other's way."""
    order = np.lexsort((names, variants))
    same = variants[order][1:] == variants[order][:-1]
    other = names[order][1:] != names[order][:-1]
    found: Numbers = np.isin(variants, variants[order][1:][same & other])
    return found


def listed_name(word: str) -> str:
    """The name of the lists that a word is, in any case that has a capital; empty where it is none.

    >>> listed_name("Jose's"), listed_name("MARIA"), listed_name("maria"), listed_name("Angel")
    ('José', 'María', '', '')
    """
    if not word[:1].isupper():
        return ""
    written_so = unicodedata.normalize("NFC", head(word)).casefold()
    known = _as_written().get(written_so)
    return known if known is not None else _without_accents().get(folded(written_so), "")


def folded(text: str) -> str:
    """A text in lower case and without accents.

    >>> folded("José"), folded("Łukasz"), folded("Ayşe")
    ('jose', 'lukasz', 'ayse')
    """
    lower = text.casefold()
    if lower.isascii():
        return lower
    parts = unicodedata.normalize("NFKD", lower)
    return "".join(char for char in parts if not unicodedata.combining(char)).translate(_LETTERS)


def in_place_names(corpus: Corpus, hits: Numbers) -> Numbers:
    """Which of these words stand after "San" and the like, or before "Street" and the like."""
    words, vocabulary = corpus.words, corpus.vocabulary
    opens, closes = (_are_among(vocabulary.words, name) for name in ("before_place", "after_place"))
    before, after = np.maximum(hits - 1, 0), np.minimum(hits + 1, len(words.starts) - 1)
    gaps = words.starts[hits] - words.stops[before]
    # "St. Louis" is two words with a full stop between.
    close = words.followed[before] | ((gaps == 2) & (corpus.codes[words.stops[before]] == _STOP))
    led = (hits > 0) & close & opens[vocabulary.ids[before]]
    led &= words.rows[before] == words.rows[hits]
    stays: Numbers = led | (words.followed[hits] & closes[vocabulary.ids[after]])
    return stays


def _are_among(vocabulary: Sequence[str], name: str) -> Numbers:
    """Which words, written with a capital, stand in a list."""
    listed = frozenset(folded(line) for line in lines(name))
    found = (word[:1].isupper() and folded(head(word)) in listed for word in vocabulary)
    return np.fromiter(found, dtype=bool, count=len(vocabulary))


def _distinct(
    places: Sequence[int],
    olds: Sequence[str],
    variants: Sequence[int],
    starts: Sequence[int],
    pools: Pools,
) -> Iterator[tuple[int, str]]:
    """A new name at each of these places: from its start in the pool, the next that is not taken."""
    taken: dict[int, set[str]] = {}
    for n in places:
        taken.setdefault(variants[n], set()).add(olds[n])
    given: dict[tuple[int, str], str] = {}
    for n in places:
        key = variants[n], olds[n]
        if key not in given:
            pool, start, lacking = (
                pools.pools[pools.pool_of[olds[n]]],
                starts[n],
                taken[variants[n]],
            )
            turned = (pool[(start + step) % len(pool)] for step in range(len(pool)))
            # A text with more names than the pool has must repeat one.
            given[key] = next((new for new in turned if new not in lacking), pool[start])
            lacking.add(given[key])
        yield n, given[key]


def every_other(groups: Sequence[str]) -> tuple[dict[str, int], tuple[tuple[str, ...], ...]]:
    """For each name the names of the other groups that have its gender."""
    pool_of: dict[str, int] = {}
    pools: list[tuple[str, ...]] = []
    for group in groups:
        for gender in GENDERS:
            pool_of |= dict.fromkeys(sections(group)[gender], len(pools))
            others = (sections(other)[gender] for other in groups if other != group)
            pools.append(tuple(name for names in others for name in names))
    return pool_of, tuple(pools)


@cache
def _ethnic_pools() -> Pools:
    pool_of, pools = every_other(GROUPS)
    return Pools(listed_name, pool_of, pools, in_place_names)


@cache
def gendered_pools() -> Pools:
    """For each name the names of its own group that have the other gender."""
    pool_of: dict[str, int] = {}
    pools: list[tuple[str, ...]] = []
    for group in GROUPS:
        for gender, other in (GENDERS, GENDERS[::-1]):
            pool_of |= dict.fromkeys(sections(group)[gender], len(pools))
            pools.append(sections(group)[other])
    return Pools(listed_name, pool_of, tuple(pools), in_place_names)


@cache
def _names() -> tuple[str, ...]:
    return tuple(name for group in GROUPS for gender in GENDERS for name in sections(group)[gender])


@cache
def _as_written() -> dict[str, str]:
    """The listed names by how they are written, in lower case."""
    return {name.casefold(): name for name in _names()}


@cache
def _without_accents() -> dict[str, str]:
    """The listed names by how they read without accents; none that is mostly another word then.

    Of two that read the same (Martin, Martín) it is the one that is written so.
    """
    words = frozenset(folded(word) for word in lines("also_words"))
    found: dict[str, str] = {}
    for name in sorted(_names(), key=lambda name: not name.isascii()):
        found.setdefault(folded(name), name)
    return {key: name for key, name in found.items() if key not in words}


ETHNIC_NAMES = Perturbation(
    name="ethnic_names",
    kind="fairness",
    level="word",
    about="Swaps each given name for one of the same gender from another ethnic group.",
    example="Emily met Greg. → Lakisha met Rahul.",
    function=ethnic_names,
)
