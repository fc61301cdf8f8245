"""What stands between words: white space, punctuation, and words that fall apart."""

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import (
    DIGIT,
    LETTER,
    PUNCTUATION,
    SPACE,
    SPACE_CODE,
    Corpus,
)
from palaver.evaluation.perturbations.draws import Draws, spread
from palaver.evaluation.perturbations.edits import Edits, inserted, removed, together
from palaver.evaluation.perturbations.perturbation import Perturbation

# One in so many letters, gaps and words.
BREAK_EVERY = 40
GAP_EVERY = 6
MARK_EVERY = 6
SPLIT_EVERY = 6

MARKS = ",.!?;:-"
LEAST_LETTERS = 4


def whitespace(corpus: Corpus, draws: Draws) -> Edits:
    """Spaces put into words, and spaces between words removed or doubled.

    A tokeniser does not see a doubled space, so every text also gets one of the other two.
    """
    inner = corpus.places(corpus.inner_letters())
    breaks = spread(corpus, inner, draws, every=BREAK_EVERY)
    gaps = spread(corpus, _gaps(corpus), draws, every=GAP_EVERY, purpose=1)
    broken = np.zeros(len(corpus.starts), dtype=bool)
    broken[breaks.rows] = True
    double = (draws.numbers(gaps.rows, gaps.turns, 2, purpose=2) == 1) & broken[gaps.rows]
    return together(
        _spaces(breaks.places), _spaces(gaps.places[double]), removed(gaps.places[~double])
    )


def split_words(corpus: Corpus, draws: Draws) -> Edits:
    """Words of four letters or more broken in two by a space."""
    words = corpus.words
    letters = np.concatenate(([0], np.cumsum(corpus.has(LETTER))))
    sizes = words.stops - words.starts
    plain = letters[words.stops] - letters[words.starts] == sizes
    candidates = np.flatnonzero(words.free & plain & (sizes >= LEAST_LETTERS))
    chosen = spread(corpus, words.starts[candidates], draws, every=SPLIT_EVERY)
    room = sizes[candidates[chosen.picks]] - 1
    at = 1 + draws.numbers(chosen.rows, chosen.turns, room, purpose=1)
    return _spaces(chosen.places + at)


def punctuation(corpus: Corpus, draws: Draws) -> Edits:
    """Marks removed, or put in after words; each text one or the other."""
    marks = corpus.places(_removable(corpus))
    rows = corpus.rows_of(marks)
    has_marks = np.bincount(rows, minlength=len(corpus.starts)) > 0
    every_row = np.arange(len(corpus.starts))
    removing = has_marks & (draws.numbers(every_row, np.zeros_like(every_row), 2, purpose=3) == 1)
    chosen = spread(corpus, _word_ends(corpus), draws, every=MARK_EVERY)
    putting = ~removing[chosen.rows]
    which = draws.numbers(chosen.rows, chosen.turns, len(MARKS), purpose=1)
    codes = np.array([ord(mark) for mark in MARKS], dtype=np.uint32)[which]
    return together(
        removed(marks[removing[rows]]), inserted(chosen.places[putting], codes[putting])
    )


def _gaps(corpus: Corpus) -> Numbers:
    """The single spaces between two characters that are none."""
    codes = corpus.codes
    visible = ~corpus.has(SPACE)
    gap = codes == SPACE_CODE
    gap[1:-1] &= visible[:-2] & visible[2:]
    gap[0] = gap[-1] = False
    return corpus.places(gap)


def _word_ends(corpus: Corpus) -> Numbers:
    """The ends of words, other than those inside a number or a compound: not the 3 of 3.14."""
    inside, stops = corpus.has(LETTER | DIGIT), corpus.words.stops
    behind = np.minimum(stops + 1, len(inside) - 1)
    found: Numbers = stops[~(corpus.has(PUNCTUATION)[stops] & inside[behind])]
    return found


def _removable(corpus: Corpus) -> Numbers:
    """Marks that stand neither inside a word nor inside a number."""
    inside = corpus.has(LETTER | DIGIT)
    mark = corpus.has(PUNCTUATION)
    mark[1:-1] &= ~(inside[:-2] & inside[2:])
    return mark


def _spaces(places: Numbers) -> Edits:
    return inserted(places, np.full(len(places), SPACE_CODE, dtype=np.uint32))


WHITESPACE = Perturbation(
    name="whitespace",
    level="character",
    about="Puts spaces into words and removes or doubles spaces between words.",
    example="Where is the nearest station? → Where isthe near est station?",
    function=whitespace,
)
SPLIT_WORDS = Perturbation(
    name="split_words",
    level="word",
    about="Splits about one in six of the words with four letters or more in two.",
    example="Where is the nearest station? → Where is the nea rest station?",
    function=split_words,
)
PUNCTUATION_MARKS = Perturbation(
    name="punctuation",
    level="character",
    about="Removes the punctuation of a text, or puts marks after about one word in six.",
    example="Where is the nearest station? → Where is; the nearest station?",
    function=punctuation,
)
