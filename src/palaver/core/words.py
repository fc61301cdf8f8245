"""Numbers and names in sentences."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from math import floor, isnan, log10
from unicodedata import bidirectional

UNDEFINED = "undefined"
# Letters that are read from right to left, and the controls that turn letters round.
_TURNS = frozenset({"R", "AL", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})


def listed(names: Sequence[str], joint: str = "and", most: int | None = None) -> str:
    """Names as a sentence lists them; of more than `most`, the first few and how many others.

    >>> listed(["A", "B", "C"])
    'A, B and C'
    >>> listed("ABCDEFGH", most=6)
    'A, B, C and 5 others'
    """
    if most is not None and len(names) > most:
        names = [*names[: most // 2], f"{len(names) - most // 2:,} others"]
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


def decimals(value: float, digits: int) -> str:
    """A number with so many digits and a true minus; what rounds to 0 has no sign.

    >>> decimals(-1234.567, 1), decimals(-0.001, 2), decimals(float("inf"), 2)
    ('−1,234.6', '0.00', '∞')
    """
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "−∞"
    text = f"{value:,.{digits}f}"
    return text.replace("-", "−") if float(text.replace(",", "")) else text.lstrip("-")


def readable(value: float) -> str:
    """A number with two digits after the point; more where it would else read 0.

    >>> readable(38.8349), readable(0.00268), readable(0.0)
    ('38.83', '0.0027', '0.00')
    """
    small = 0 < abs(value) < 0.01
    return decimals(value, min(9, 1 - floor(log10(abs(value)))) if small else 2)


MOST_DIGITS = 9


def apart(
    low: float,
    high: float,
    write: Callable[[float], str],
    finer: Callable[[float, int], str] = decimals,
) -> tuple[str, str]:
    """Two ends as they are written, or with as many digits as it takes to tell them apart.

    >>> apart(1.2341, 1.2344, readable), apart(0.5, 0.75, readable)
    (('1.2341', '1.2344'), ('0.50', '0.75'))
    """
    told = write(low), write(high)
    for digits in range(1, MOST_DIGITS + 1):
        if told[0] != told[1] or low == high:
            break
        told = finer(low, digits), finer(high, digits)
    return told


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage.

    >>> percent(0.123), percent(0.95, 0)
    ('12.3 %', '95 %')
    """
    return f"{100 * share:.{digits}f} %"


def coefficient(value: float) -> str:
    """A coefficient such as α, κ or R².

    >>> coefficient(-0.1234)
    '−0.123'
    """
    return decimals(value, 3)


def measured(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    write: Callable[[float], str] | None = None,
) -> str:
    """A value with its interval, where it has one; a value that is None or NaN is undefined.

    Without `write` numbers have four digits after the point where all lie between −2 and 2, as
    shares do, and else two. Ends that differ never read alike.

    >>> measured(0.62, 0.55, 0.69), measured(38.83, 37.1, 40.2), measured(None)
    ('0.6200 [0.5500, 0.6900]', '38.83 [37.10, 40.20]', 'undefined')
    >>> measured(0.62, 0.55, 0.69, write=percent)
    '62.0 % [55.0 %, 69.0 %]'
    """
    if value is None or isnan(value):
        return UNDEFINED
    if low is None or high is None or isnan(low) or isnan(high):
        return (write or _score_writer(value))(value)
    writer = write or _score_writer(value, low, high)
    ends = apart(low, high, writer, percent if write is percent else decimals)
    return f"{writer(value)} [{ends[0]}, {ends[1]}]"


def _score_writer(*values: float) -> Callable[[float], str]:
    return partial(decimals, digits=4 if max(map(abs, values)) <= 2 else 2)


def isolated(name: str) -> str:
    """A name that turns nothing round it in a sentence, where it may be written from right to left.

    >>> isolated("terse"), isolated("\u05de") == "\u2068\u05de\u2069"
    ('terse', True)
    """
    turns = any(bidirectional(letter) in _TURNS for letter in name)
    return f"\u2068{name}\u2069" if turns else name


def unturned(sentence: str) -> str:
    """A sentence of ours in which names from right to left turn nothing round them.

    Each run of such words is isolated; what stands between two names keeps its order.

    >>> unturned("\u05d0-3, \u05d1 lead.") == "\u2068\u05d0-3\u2069, \u2068\u05d1\u2069 lead."
    True
    """
    if sentence.isascii() or "\u2068" in sentence:  # what is isolated already stays so
        return sentence
    return _WORDS.sub(lambda run: _isolated_runs(run[0]), sentence)


# Words with nothing but spaces between them; a stop at their end is the sentence's.
_WORDS = re.compile(r"[^\s,;:?!()\[\]{}<>“”\"'’|/·×=+]+(?: [^\s,;:?!()\[\]{}<>“”\"'’|/·×=+]+)*")


def _isolated_runs(words: str) -> str:
    runs = groupby(words.split(" "), key=lambda word: isolated(word) != word)
    return " ".join(_isolated_run(" ".join(run)) if turns else " ".join(run) for turns, run in runs)


def _isolated_run(words: str) -> str:
    said = words.rstrip(".…")
    return isolated(said) + words[len(said) :]


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters; dots at its end say that there was more.

    >>> shortened("a long story", 12), shortened("a long story", 8)
    ('a long story', 'a long…')
    """
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "rater"), counted(1200, "rater"), counted(0, "reply", "replies")
    ('1 rater', '1,200 raters', '0 replies')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def duration(seconds: float) -> str:
    """A length of time in words: "45 seconds", "1 minute", "2 hours 5 minutes".

    >>> duration(45), duration(61), duration(7500)
    ('45 seconds', '1 minute', '2 hours 5 minutes')
    """
    whole_seconds = max(0, round(seconds))
    if whole_seconds < 60:
        return counted(whole_seconds, "second")
    hours, minutes = divmod(whole_seconds // 60, 60)
    parts = [counted(hours, "hour")] if hours else []
    parts += [counted(minutes, "minute")] if minutes else []
    return " ".join(parts)
