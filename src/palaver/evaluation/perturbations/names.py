"""Given names exchanged for others: of another ethnic group, or of the other gender.

A name is looked up as it is written in the list, with its capital; in a text in capitals too. A
variant maps each name once, in all of its texts alike, and never two names to one or to a name that
stands in it already.
"""

import zlib
from collections.abc import Sequence
from functools import cache

from palaver.core.numeric import np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits, written
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.vocabulary import Table, head, in_case, looked_up, sections

GROUPS = ("names_asian_pacific", "names_black", "names_hispanic", "names_white")
GENDERS = ("female", "male")

Pools = tuple[dict[str, int], tuple[tuple[str, ...], ...]]


def ethnic_names(corpus: Corpus, draws: Draws) -> Edits:
    """Each name exchanged for one of another group and of the same gender."""
    return swap_names(corpus, draws, _ethnic_pools())


def swap_names(corpus: Corpus, draws: Draws, pools: Pools) -> Edits:
    """Names exchanged for names of the pool that theirs leads to."""
    pool_of, pool_names = pools
    words, vocabulary = corpus.words, corpus.vocabulary
    names = [as_name(word) for word in vocabulary.words]
    found = looked_up(names, pool_of.get)
    hits = np.flatnonzero((found[vocabulary.ids] >= 0) & words.free)
    ids, rows = vocabulary.ids[hits], words.rows[hits]
    keys = np.array([zlib.crc32(name.encode()) for name in names], dtype=np.int64)[ids]
    sizes = np.array([len(pool) for pool in pool_names], dtype=np.int64)[found[ids]]
    starts = draws.shared(rows, keys, sizes, purpose=5)
    olds = [names[n] for n in ids.tolist()]
    chosen = _distinct(olds, draws.variants[rows].tolist(), starts.tolist(), pools)
    table = Table()
    heads = [head(word) for word in vocabulary.words]
    which = [table.add(in_case(new, heads[n])) for new, n in zip(chosen, ids.tolist(), strict=True)]
    lengths = np.array([len(each) for each in heads], dtype=np.int64)[ids]
    begins = words.starts[hits]
    return written(begins, begins + lengths, np.array(which, dtype=np.int64), table.texts)


def as_name(word: str) -> str:
    """A word as it would stand in a list of names; a word without a capital is none.

    >>> as_name("Mary's"), as_name("MARY"), as_name("mary")
    ('Mary', 'Mary', '')
    """
    start = head(word)
    if len(start) > 1 and start.isupper():
        return start.capitalize()
    return start if start[:1].isupper() else ""


def _distinct(
    olds: Sequence[str], variants: Sequence[int], starts: Sequence[int], pools: Pools
) -> list[str]:
    """A new name for each old one: from its start in the pool, the next that the variant lacks."""
    pool_of, pool_names = pools
    taken: dict[int, set[str]] = {}
    for old, variant in zip(olds, variants, strict=True):
        taken.setdefault(variant, set()).add(old)
    given: dict[tuple[int, str], str] = {}
    for old, variant, start in zip(olds, variants, starts, strict=True):
        if (variant, old) in given:
            continue
        pool, lacking = pool_names[pool_of[old]], taken[variant]
        new = pool[start]
        for step in range(1, len(pool)):
            if new not in lacking:
                break
            new = pool[(start + step) % len(pool)]
        lacking.add(new)
        given[variant, old] = new
    return [given[variant, old] for old, variant in zip(olds, variants, strict=True)]


@cache
def _ethnic_pools() -> Pools:
    pool_of: dict[str, int] = {}
    pools: list[tuple[str, ...]] = []
    for group in GROUPS:
        for gender in GENDERS:
            pool_of |= dict.fromkeys(sections(group)[gender], len(pools))
            others = (sections(other)[gender] for other in GROUPS if other != group)
            pools.append(tuple(name for names in others for name in names))
    return pool_of, tuple(pools)


@cache
def gendered_pools() -> Pools:
    """Every name of every list with the names of the other gender to choose from."""
    pools = (sections("names_gendered")["female"], sections("names_gendered")["male"])
    pool_of: dict[str, int] = {}
    for names in (*GROUPS, "names_gendered"):
        pool_of |= dict.fromkeys(sections(names)["female"], 1)
        pool_of |= dict.fromkeys(sections(names)["male"], 0)
    return pool_of, pools


ETHNIC_NAMES = Perturbation(
    name="ethnic_names",
    kind="fairness",
    level="word",
    about="Swaps each given name for one of the same gender from another ethnic group.",
    example="Emily met Greg. → Lakisha met Rahul.",
    function=ethnic_names,
)
