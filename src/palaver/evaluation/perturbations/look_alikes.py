"""What eyes and scanners mistake: look-alikes, invisible characters, ornamental alphabets, OCR."""

from functools import cache

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import LATIN, Corpus
from palaver.evaluation.perturbations.draws import Draws, spread
from palaver.evaluation.perturbations.edits import (
    Edits,
    exchanged,
    inserted,
    ranges,
    replaced,
    written,
)
from palaver.evaluation.perturbations.perturbation import Perturbation

# One in so many letters; of words for ornamental alphabets.
SIMILAR_EVERY = 10
HIDDEN_EVERY = 10
OCR_EVERY = 12
FONT_EVERY = 3

# Letters of other alphabets, or with a mark, that look much like a Latin letter.
SIMILAR = {
    "a": "аáâɑ", "b": "ЬḅƄ", "c": "сçϲ", "d": "ԁḍď", "e": "еéêё", "f": "ƒḟ", "g": "ɡģğ",
    "h": "һḥħ", "i": "іíîı", "j": "јĵ", "k": "ķκ", "l": "ӏļĺ", "m": "ṃḿ", "n": "ոñń",
    "o": "оοóö", "p": "рρṗ", "q": "ԛ", "r": "ŗř", "s": "ѕśş", "t": "ţťṭ", "u": "υúü",
    "v": "νѵ", "w": "ԝŵ", "x": "хẋ", "y": "уýÿ", "z": "źżẓ",
    "A": "АΑÁ", "B": "ВΒ", "C": "СϹÇ", "D": "ĎḌ", "E": "ЕΕÉ", "F": "Ϝ", "G": "ԌĢ",
    "H": "НΗ", "I": "ІΙÍ", "J": "ЈĴ", "K": "КΚ", "L": "ĹĻ", "M": "МΜ", "N": "ΝÑ",
    "O": "ОΟÖ", "P": "РΡ", "Q": "Ԛ", "R": "ŔŘ", "S": "ЅŚ", "T": "ТΤ", "U": "ÚÜ",
    "V": "Ѵ", "W": "ԜŴ", "X": "ХΧ", "Y": "ҮΥ", "Z": "ΖŹ",
}  # fmt: skip

# Zero-width space, word joiner, zero-width no-break space.
HIDDEN = (0x200B, 0x2060, 0xFEFF)

# Where the capital A of mathematical alphabets without holes stands; small letters follow Z.
ALPHABETS = (0x1D400, 0x1D468, 0x1D4D0, 0x1D56C, 0x1D5A0, 0x1D5D4, 0x1D670)

# What optical character recognition reads instead of a letter, and instead of two.
MISREAD = {
    "a": ("o",), "b": ("h", "6"), "c": ("e", "("), "d": ("cl",), "e": ("c",), "f": ("t",),
    "g": ("9", "q"), "h": ("b", "li"), "i": ("1", "l"), "l": ("1", "I"), "m": ("rn",),
    "n": ("ri",), "o": ("0",), "q": ("g",), "s": ("5",), "t": ("f",), "u": ("ii",), "w": ("vv",),
    "z": ("2",), "B": ("8",), "D": ("O",), "E": ("F",), "G": ("6",), "I": ("l", "1"), "O": ("0", "Q"),
    "S": ("5",), "Z": ("2",), "0": ("O",), "1": ("l", "I"), "2": ("Z",), "5": ("S",), "6": ("b",),
    "8": ("B",),
}  # fmt: skip
MISREAD_PAIRS = {"rn": "m", "cl": "d", "li": "h", "ri": "n", "vv": "w", "nn": "m"}
PAIRS_ONLY = tuple(pair for pair in MISREAD_PAIRS if pair[0] not in MISREAD)


def similar_characters(corpus: Corpus, draws: Draws) -> Edits:
    """Letters replaced by letters that look like them."""
    counts, options = _similar()
    candidates = corpus.places(corpus.entries(counts) > 0)
    chosen = spread(corpus, candidates, draws, every=SIMILAR_EVERY)
    codes = corpus.codes[chosen.places]
    which = draws.numbers(chosen.rows, chosen.turns, counts[codes], purpose=1)
    return replaced(chosen.places, options[codes, which])


def zero_width(corpus: Corpus, draws: Draws) -> Edits:
    """Characters put inside words that take no room and cannot be seen."""
    candidates = corpus.places(corpus.inner_letters())
    chosen = spread(corpus, candidates, draws, every=HIDDEN_EVERY)
    which = draws.numbers(chosen.rows, chosen.turns, len(HIDDEN), purpose=1)
    return inserted(chosen.places, np.array(HIDDEN, dtype=np.uint32)[which])


def fun_fonts(corpus: Corpus, draws: Draws) -> Edits:
    """Some words in an ornamental alphabet, one alphabet to a text."""
    plain = corpus.entries(_alphabet_places())
    words = corpus.words
    candidates = np.flatnonzero(words.free & (plain[words.starts] > 0))
    chosen = spread(corpus, words.starts[candidates], draws, every=FONT_EVERY)
    picked = candidates[chosen.picks]
    sizes = words.stops[picked] - words.starts[picked]
    places = ranges(words.starts[picked], sizes)
    which = draws.numbers(chosen.rows, np.zeros_like(chosen.rows), len(ALPHABETS), purpose=1)
    firsts = np.repeat(np.array(ALPHABETS, dtype=np.uint32)[which], sizes)
    letters = plain[places] > 0
    codes = corpus.codes.astype(np.uint32)
    codes[places[letters]] = firsts[letters] + plain[places[letters]].astype(np.uint32) - 1
    return exchanged(codes)


def ocr(corpus: Corpus, draws: Draws) -> Edits:
    """Letters, and pairs of letters, as a scanner misreads them."""
    firsts, counts, couples, table = _misread()
    mask = corpus.entries(counts) > 0
    for pair in PAIRS_ONLY:
        mask[:-1] |= (corpus.codes[:-1] == ord(pair[0])) & (corpus.codes[1:] == ord(pair[1]))
    chosen = spread(corpus, corpus.places(mask), draws, every=OCR_EVERY)
    places = chosen.places
    one, two = (np.minimum(corpus.codes[places + n], LATIN - 1).astype(np.int64) for n in (0, 1))
    pairs = couples[one * LATIN + two]
    if corpus.free is not None:
        pairs = np.where(corpus.free[places + 1], pairs, -1)
    in_pair = pairs >= 0
    options = np.where(in_pair, 1, counts[one])
    which = draws.numbers(chosen.rows, chosen.turns, options, purpose=1)
    which = np.where(in_pair, pairs, firsts[one] + which)
    # A letter that is only misread in a pair, whose second letter is protected, stays.
    usable = options > 0
    places, in_pair, which = places[usable], in_pair[usable], which[usable]
    return written(places, places + 1 + in_pair, which, table)


@cache
def _similar() -> tuple[Numbers, Numbers]:
    counts = np.zeros(LATIN, dtype=np.uint8)
    options = np.zeros((LATIN, 4), dtype=np.uint32)
    for letter, others in SIMILAR.items():
        counts[ord(letter)] = len(others)
        options[ord(letter), : len(others)] = [ord(other) for other in others]
    return counts, options


@cache
def _alphabet_places() -> Numbers:
    """The place of each letter in an alphabet A … Z, a … z, counted from 1; 0 for others."""
    places = np.zeros(LATIN, dtype=np.uint8)
    for n in range(26):
        places[ord("A") + n], places[ord("a") + n] = n + 1, n + 27
    return places


@cache
def _misread() -> tuple[Numbers, Numbers, Numbers, list[str]]:
    """Where the options of a letter begin in the table, how many there are, and those of pairs."""
    firsts = np.zeros(LATIN, dtype=np.int64)
    counts = np.zeros(LATIN, dtype=np.uint8)
    couples = np.full(LATIN * LATIN, -1, dtype=np.int64)
    table = list(MISREAD_PAIRS.values())
    for n, pair in enumerate(MISREAD_PAIRS):
        couples[ord(pair[0]) * LATIN + ord(pair[1])] = n
    for letter, options in MISREAD.items():
        firsts[ord(letter)], counts[ord(letter)] = len(table), len(options)
        table.extend(options)
    return firsts, counts, couples, table


SIMILAR_CHARACTERS = Perturbation(
    name="similar_characters",
    level="character",
    about="Replaces about one letter in ten with a look-alike from another alphabet.",
    example="a quiet street → a quіet street",
    function=similar_characters,
)
ZERO_WIDTH = Perturbation(
    name="zero_width",
    level="character",
    about="Puts invisible characters inside words, after about one letter in ten.",
    example="a quiet street → a qu\u200biet street",
    function=zero_width,
)
FUN_FONTS = Perturbation(
    name="fun_fonts",
    level="word",
    about="Writes about one word in three in an ornamental alphabet.",
    example="a quiet street → a 𝐪𝐮𝐢𝐞𝐭 street",
    function=fun_fonts,
)
OCR = Perturbation(
    name="ocr",
    level="character",
    about="Misreads about one letter in twelve as a scanner would: rn for m, 1 for l, 0 for O.",
    example="a modern hotel → a modem hote1",
    function=ocr,
)
