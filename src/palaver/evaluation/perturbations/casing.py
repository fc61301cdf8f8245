"""Capital and small letters."""

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import LOWER, UPPER, Corpus
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits, exchanged, ranges
from palaver.evaluation.perturbations.perturbation import Perturbation

ALL_UPPER, ALL_LOWER, CADENCE = range(3)
# Every third letter.
STEP = 3


def casing(corpus: Corpus, draws: Draws) -> Edits:
    """A text in capitals, in small letters, or with every third letter turned.

    All texts of a variant are treated alike. Where capitals or small letters would change nothing,
    letters are turned.
    """
    rows = np.arange(len(corpus.starts))
    nothing = np.zeros_like(rows)
    style = draws.shared(rows, nothing, 3, purpose=1)
    style = np.where((style == ALL_UPPER) & ~_any(corpus, LOWER), CADENCE, style)
    style = np.where((style == ALL_LOWER) & ~_any(corpus, UPPER), CADENCE, style)
    lengths = corpus.stops - corpus.starts + 1
    styles = np.repeat(style.astype(np.int8), lengths)
    codes = corpus.codes.copy()
    for wanted, function in ((ALL_UPPER, str.upper), (ALL_LOWER, str.lower)):
        np.copyto(codes, corpus.mapped(function), where=styles == wanted)
    turned = _turned(corpus, draws, np.flatnonzero(style == CADENCE))
    codes[turned] = corpus.mapped(str.swapcase)[turned]
    return exchanged(codes)


def _turned(corpus: Corpus, draws: Draws, rows: Numbers) -> Numbers:
    """Where every third letter of these texts stands, from the first, second or third on."""
    letters = corpus.places(corpus.has(UPPER | LOWER))
    firsts = np.searchsorted(letters, corpus.starts[rows])
    counts = np.searchsorted(letters, corpus.stops[rows]) - firsts
    phase = draws.shared(rows, np.zeros_like(rows), STEP, purpose=2)
    phase = np.minimum(phase, np.maximum(counts - 1, 0))
    sizes = (counts - phase + STEP - 1) // STEP
    turns = ranges(np.zeros_like(sizes), sizes)
    found: Numbers = letters[np.repeat(firsts + phase, sizes) + turns * STEP]
    return found


def _any(corpus: Corpus, flag: int) -> Numbers:
    places = corpus.places(corpus.has(flag))
    found: Numbers = np.searchsorted(places, corpus.stops) > np.searchsorted(places, corpus.starts)
    return found


CASING = Perturbation(
    name="casing",
    level="character",
    about="Writes a text in capitals or lower case, or flips the case of every third letter.",
    example="Where is the station? → WHERE IS THE STATION?",
    function=casing,
)
