r"""Any text as LaTeX that plain pdflatex takes, and about how wide it is set.

Everything comes out as ASCII: accents as commands, Greek and signs as mathematics. What the fonts of
pdflatex do not hold (中, 🚀) is named in brackets, and stands as itself under XeLaTeX and LuaLaTeX.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

# Tells XeLaTeX and LuaLaTeX, which set any letter that their font has, from pdflatex.
KNOWS_UNICODE = r"\ifdefined\Umathchar"

# Each letter that TeX reads as a command, and how it is seen.
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # The fonts that pdflatex begins with have no upright quotation mark.
    '"': "''",
}
_SIGNS = {
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "đ": "d",
    "Đ": "D",
    "ð": "d",
    "Ð": "D",
    "þ": "th",
    "Þ": "Th",
    "–": "--",
    "—": "---",
    "‐": "-",
    "‑": "-",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "„": ",,",
    "«": r"$\ll$",
    "»": r"$\gg$",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "÷": r"$\div$",
    "±": r"$\pm$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "√": r"$\surd$",
    "∑": r"$\sum$",
    "→": r"$\rightarrow$",
    "←": r"$\leftarrow$",
    "↔": r"$\leftrightarrow$",
    "·": r"$\cdot$",
    "°": r"$^{\circ}$",
    "µ": r"$\mu$",
    "§": r"\S{}",
    "¶": r"\P{}",
    "©": r"\copyright{}",
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "•": r"$\bullet$",
    "★": r"$\star$",
    "£": r"\pounds{}",
    "€": "EUR ",
    "¥": "JPY ",
    "¿": "?`",
    "¡": "!`",
}
# Combining accent → command of the fonts that pdflatex begins with; other accents are left out.
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0308": '"',
    "\u0304": "=",
    "\u0306": "u",
    "\u030c": "v",
    "\u030b": "H",
    "\u0307": ".",
    "\u030a": "r",
    "\u0327": "c",
    "\u0323": "d",
    "\u0331": "b",
}
_DOTLESS = {"i": r"\i", "j": r"\j"}
_GREEK = {
    name: name.replace("amda", "ambda")
    for name in [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lamda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lamda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
    ]
}
# Greek letters that look like Latin ones have no command.
_LATIN = {
    "Alpha": "A",
    "Beta": "B",
    "Epsilon": "E",
    "Zeta": "Z",
    "Eta": "H",
    "Iota": "I",
    "Kappa": "K",
    "Mu": "M",
    "Nu": "N",
    "Omicron": "O",
    "Rho": "P",
    "Tau": "T",
    "Chi": "X",
    "omicron": "o",
}

# Widths in thousandths of the size, of Computer Modern Roman, the widest of the usual fonts.
_WIDTHS = {
    letter: width
    for width, letters in {
        278: " !',.:;[]`il",
        333: "-fj",
        390: "Irst()",
        444: "cez",
        500: '0123456789ago/*?"J',
        556: "bdhnpukqvxySLZ",
        722: "BCEFPRTw",
        780: "ADGHKNOQUVXY&+=@<>_\\{}^~|",
        833: "#%m",
        1030: "MW",
    }.items()
    for letter in letters
}
_OTHER_WIDTH = 780


@dataclass(frozen=True, slots=True)
class TexPiece:
    """What cannot be broken: its LaTeX, and the letters it is about as wide as."""

    code: str
    shown: str

    @property
    def width(self) -> float:
        """In points, at a size of 10."""
        return sum(_WIDTHS.get(letter, _OTHER_WIDTH) for letter in self.shown) / 100


def escaped(text: str) -> str:
    """A text as LaTeX shows it letter by letter."""
    return "".join(piece.code for piece in pieces(text))


def text_width(text: str) -> float:
    """About how wide a text is set, in points at a size of 10; rather too much than too little."""
    return sum(piece.width for piece in pieces(text))


def wrapped(text: str, width: float) -> str:
    """A text that may be broken within words that are wider than `width`, in points at a size of 10."""
    found = []
    for is_space, group in groupby(pieces(text), key=lambda piece: piece.shown == " "):
        word = list(group)
        too_wide = not is_space and sum(piece.width for piece in word) > width
        found.append((r"\hspace{0pt}" if too_wide else "").join(piece.code for piece in word))
    return "".join(found)


def pieces(text: str) -> Iterator[TexPiece]:
    """The letters of a text; words that no font holds are named, several letters at a time."""
    last = ""
    for is_known, group in groupby(_letters(text), key=lambda letter: _known(letter) is not None):
        letters = list(group)
        if not is_known:
            yield from _named(letters)
            last = ""
            continue
        for letter in letters:
            piece = _known(letter)
            assert piece is not None
            # Two of these in a row would become a dash or a quotation mark.
            if letter == last and letter in "-'`,":
                piece = TexPiece("{}" + piece.code, piece.shown)
            last = letter
            yield piece


def _letters(text: str) -> Iterator[str]:
    """Letters with their accents; white space as one space, and nothing that is never seen."""
    held = ""
    for letter in unicodedata.normalize("NFC", text):
        category = unicodedata.category(letter)
        if letter.isspace():
            letter = " "
        elif category in ("Cc", "Cf", "Cs"):
            continue
        elif category in ("Mn", "Me"):
            held += letter if len(held) == 1 and held.isascii() else ""
            continue
        if held:
            yield held
        held = letter
    if held:
        yield held


@lru_cache(maxsize=4096)
def _known(letter: str) -> TexPiece | None:
    """The letter as LaTeX; None if the fonts of pdflatex do not hold it."""
    if letter in _SPECIAL:
        return TexPiece(_SPECIAL[letter], letter)
    if letter.isascii() and len(letter) == 1:
        return TexPiece(letter, letter)
    if letter in _SIGNS:
        code = _SIGNS[letter]
        return TexPiece(code, "M" if code.startswith(("\\", "$")) else code)
    if (greek := _greek(letter)) is not None:
        return greek
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if base.isascii() and base.isalpha() and marks:
        return _accented(base, marks)
    parts = unicodedata.normalize("NFKC", letter).replace("\u2044", "/")
    if parts != letter and parts.isascii():
        return TexPiece(escaped(parts), parts)
    return None


def _accented(base: str, marks: list[str]) -> TexPiece:
    for mark in marks:
        if accent := _ACCENTS.get(mark):
            above = accent not in "cdb"
            return TexPiece(f"\\{accent}{{{_DOTLESS.get(base, base) if above else base}}}", base)
    return TexPiece(base, base)


def _greek(letter: str) -> TexPiece | None:
    words = unicodedata.name(letter[0], "").split()
    if len(words) < 4 or words[0] != "GREEK" or words[2] != "LETTER":
        return None
    if words[3] == "FINAL":
        return TexPiece(r"$\varsigma$", "s")
    name = words[3].lower() if words[1] == "SMALL" else words[3].capitalize()
    if latin := _LATIN.get(name):
        return TexPiece(latin, latin)
    return TexPiece(f"$\\{_GREEK[name]}$", "m") if name in _GREEK else None


def _named(letters: Iterable[str]) -> Iterator[TexPiece]:
    """Letters that the fonts do not hold: `[U+4E2D U+6587]`, `[rocket]`."""
    words = [_name(letter) for letter in letters]
    raw = "".join(letters)
    inner = " ".join(words)
    yield TexPiece(rf"{KNOWS_UNICODE} {raw}\else[{inner}]\fi{{}}", f"[{inner}]")


def _name(letter: str) -> str:
    if unicodedata.category(letter[0]) == "So" and (name := unicodedata.name(letter[0], "")):
        return name.lower()
    return f"U+{ord(letter[0]):04X}"
