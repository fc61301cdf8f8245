"""Gendered words exchanged for their counterparts, and names for names of the other gender.

"her" is the counterpart of "him" and of "his", "his" that of "her" and of "hers". Which one is meant
is decided by the next word: a determiner stands directly before something that can open a noun
phrase. "made her laugh" against "made her dinner" needs a parser; common verbs are listed.
"""

from functools import cache

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits, together, written
from palaver.evaluation.perturbations.names import gendered_pools, swap_names
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.vocabulary import Table, head, in_case, lines, looked_up

# The counterpart before a noun, and the counterpart alone.
AMBIGUOUS = {"his": ("her", "hers"), "her": ("his", "him")}


def gendered_words(corpus: Corpus, draws: Draws) -> Edits:
    """Words and names exchanged for those of the other gender."""
    return together(swap_names(corpus, draws, gendered_pools()), swap_words(corpus))


def swap_words(corpus: Corpus) -> Edits:
    """Words exchanged for their counterparts."""
    words, vocabulary, table = corpus.words, corpus.vocabulary, Table()
    before = looked_up(vocabulary.words, lambda word: _counterpart(word, table, 0))
    alone = looked_up(vocabulary.words, lambda word: _counterpart(word, table, 1))
    hits = np.flatnonzero((before[vocabulary.ids] >= 0) & words.free)
    ids, starts = vocabulary.ids[hits], words.starts[hits]
    which = np.where(_before_noun(corpus)[hits], before[ids], alone[ids])
    lengths = np.array([_length(word) for word in vocabulary.words], dtype=np.int64)
    return written(starts, starts + lengths[ids], which, table.texts)


def _before_noun(corpus: Corpus) -> Numbers:
    """Whether a word stands directly before one that can open a noun phrase."""
    vocabulary = corpus.vocabulary
    no_noun = frozenset(lines("no_noun"))
    opens = np.array([head(word).lower() not in no_noun for word in vocabulary.words], dtype=bool)
    before = corpus.words.followed.copy()
    before[:-1] &= opens[vocabulary.ids[1:]]
    return before


def _counterpart(word: str, table: Table, place: int) -> int | None:
    found = counterpart(word, alone=bool(place))
    return None if found is None else table.add(found)


def counterpart(word: str, *, alone: bool = False) -> str | None:
    """The word of the other gender in the same case, without what follows an apostrophe.

    >>> counterpart("HE"), counterpart("Queen's"), counterpart("her"), counterpart("her", alone=True)
    ('SHE', 'King', 'his', 'him')
    """
    key = word.lower().replace("’", "'")
    if key not in _pairs():
        key = head(key)
    if key in AMBIGUOUS:
        return in_case(AMBIGUOUS[key][alone], head(word))
    return in_case(_pairs()[key], head(word)) if key in _pairs() else None


def _length(word: str) -> int:
    """How much of a word its counterpart stands for: all of "ma'am", else up to an apostrophe."""
    return len(word if word.lower().replace("’", "'") in _pairs() else head(word))


@cache
def _pairs() -> dict[str, str]:
    pairs = {"hers": "his"}
    for line in lines("gendered_words"):
        male, female = line.split()
        pairs.setdefault(male, female)
        pairs.setdefault(female, male)
    return pairs


GENDERED_WORDS = Perturbation(
    name="gendered_words",
    kind="fairness",
    level="word",
    about="Swaps gendered words and given names for those of the other gender.",
    example="The king took off his hat. → The queen took off her hat.",
    function=gendered_words,
)
