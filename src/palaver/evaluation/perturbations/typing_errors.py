"""What fingers do: typing errors and neighbouring keys."""

from functools import cache

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import LATIN, Corpus
from palaver.evaluation.perturbations.draws import Draws, spread
from palaver.evaluation.perturbations.edits import (
    Edits,
    inserted,
    removed,
    replaced,
    swapped,
    together,
)
from palaver.evaluation.perturbations.perturbation import Perturbation

# One in so many letters.
TYPO_EVERY = 15
KEY_EVERY = 15

SWAP, DROP, DOUBLE, INSERT = range(4)

# The keys around each key of an American keyboard, digits left out.
NEIGHBOURS = {
    "q": "wa", "w": "qeas", "e": "wrsd", "r": "etdf", "t": "ryfg", "y": "tugh", "u": "yihj",
    "i": "uojk", "o": "ipkl", "p": "ol", "a": "qwsz", "s": "weadzx", "d": "ersfxc", "f": "rtdgcv",
    "g": "tyfhvb", "h": "yugjbn", "j": "uihknm", "k": "iojlm", "l": "opk", "z": "asx", "x": "sdzc",
    "c": "dfxv", "v": "fgcb", "b": "ghvn", "n": "hjbm", "m": "jkn",
}  # fmt: skip


def typos(corpus: Corpus, draws: Draws) -> Edits:
    """Letters swapped, dropped, doubled or put in; a first letter is only ever swapped."""
    candidates = corpus.places(corpus.inner_letters())
    chosen = spread(corpus, candidates, draws, every=TYPO_EVERY)
    codes, places = corpus.codes, chosen.places
    what = draws.numbers(chosen.rows, chosen.turns, 4, purpose=1)
    # Two equal letters cannot be swapped so that one sees it.
    what = np.where((what == SWAP) & (codes[places] == codes[places - 1]), DROP, what)
    # A letter that is put in comes from the same text, so it belongs to the same script.
    other = draws.numbers(chosen.rows, chosen.turns, chosen.counts, purpose=2)
    news = codes[candidates[chosen.firsts + other]]
    doubled = what == DOUBLE
    return together(
        swapped(places[what == SWAP], codes),
        removed(places[what == DROP]),
        inserted(places[doubled], codes[places[doubled]]),
        inserted(places[what == INSERT], news[what == INSERT]),
    )


def keyboard(corpus: Corpus, draws: Draws) -> Edits:
    """Letters replaced by a letter of a key beside theirs."""
    counts, options = _keys()
    candidates = corpus.places(corpus.entries(counts) > 0)
    chosen = spread(corpus, candidates, draws, every=KEY_EVERY)
    codes = corpus.codes[chosen.places]
    which = draws.numbers(chosen.rows, chosen.turns, counts[codes], purpose=1)
    return replaced(chosen.places, options[codes, which])


@cache
def _keys() -> tuple[Numbers, Numbers]:
    """How many neighbours each code point has, and which."""
    counts = np.zeros(LATIN, dtype=np.uint8)
    options = np.zeros((LATIN, 8), dtype=np.uint32)
    for key, around in NEIGHBOURS.items():
        for letter, others in ((key, around), (key.upper(), around.upper())):
            counts[ord(letter)] = len(others)
            options[ord(letter), : len(others)] = [ord(other) for other in others]
    return counts, options


TYPOS = Perturbation(
    name="typos",
    level="character",
    about="Swaps, drops, doubles or inserts about one letter in fifteen.",
    example="Where is the nearest station? → Where is teh nearest sttation?",
    function=typos,
)
KEYBOARD = Perturbation(
    name="keyboard",
    level="character",
    about="Replaces about one letter in fifteen with that of a neighbouring key.",
    example="Where is the nearest station? → Whwre is the nearest stqtion?",
    function=keyboard,
)
