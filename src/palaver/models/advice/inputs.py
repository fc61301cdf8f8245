"""What a model of advice reads and writes, as text, in the form in which T5 was trained on advice.

`Subreddit: X Date: Month D, YYYY Title: T Selftext: S`. Blank lines are ` » `, other line breaks are
spaces. A text that is too long loses whole paragraphs, those with a question last. What is trained
from nothing and what is fine-tuned read the same.
"""

import random
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

SUBREDDIT = "Advice"
# Stands for a blank line.
BREAK = "»"

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
_BLANK_LINES = re.compile(r"\n\s*\n")
_BREAKS = re.compile(rf"\s*{BREAK}[\s{BREAK}]*")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_TYPED = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **{"«": "<<", BREAK: ">>", "•": "-", "…": "..."},
    }
)
# Symbols such as emoji, what has no shape of its own, and halves of characters.
_UNSEEN = frozenset({"So", "Cc", "Cf", "Cn", "Co", "Cs"})
_SHADES = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")
# A paragraph that is spared as long as others can go.
_SPARED = re.compile(r"\?|tl;?dr", re.IGNORECASE)
# No piece of a vocabulary stands for more characters; what is longer than that need not be looked at.
_MOST_LETTERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceQuestion:
    """What somebody asks advice about. The date is as `date_words` writes it, or empty."""

    title: str
    text: str
    subreddit: str = SUBREDDIT
    date: str = ""


def source_text(question: AdviceQuestion, *, most: int, size: Callable[[str], int]) -> str:
    """What the model reads, no longer than `most` as `size` measures it.

    What is not known, such as the date, is left out. Which paragraphs go is drawn with dice that the
    text itself decides, so that the same question always reads the same.
    """
    told = {
        "Subreddit": _fitting(_line(question.subreddit), most // 8, size),
        "Date": _fitting(_line(question.date), most // 8, size),
        "Title": _fitting(_line(question.title[: most * _MOST_LETTERS]), most // 3, size),
    }
    head = " ".join(f"{name}: {value}" for name, value in told.items() if value)
    paragraphs = _paragraphs(question.text[: most * _MOST_LETTERS])
    if not paragraphs:
        return head
    head = f"{head} Selftext:".strip()
    room = most - size(head)
    kept = _without_some(paragraphs, room, size, random.Random(question.text))
    return f"{head} {_fitting(_joined(kept), room, size)}".strip()


def target_text(advice: str) -> str:
    """What the model learns to write where somebody advised this."""
    return _joined(_paragraphs(advice))


def advice_text(written: str) -> str:
    """The advice that a model wrote, with blank lines between its paragraphs.

    >>> advice_text(target_text("Call them.\\n\\nThen  write\\nit down."))
    'Call them.\\n\\nThen write it down.'
    """
    return _BREAKS.sub("\n\n", written).strip()


def plain_text(text: str) -> str:
    """A text without emoji and what cannot be seen, with quotation marks and dashes as typed.

    >>> plain_text("It’s “fine” — really 🙂…")
    'It\\'s "fine" - really ...'
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_TYPED)).translate(_TYPED)
        text = _SHADES.sub("", text)
        text = "".join(
            each for each in text if each.isascii() or unicodedata.category(each) not in _UNSEEN
        )
    return _CONTROLS.sub("", text)


def date_words(created: Any) -> str:
    """A time in seconds since 1970 as T5 read it; empty where it is none.

    >>> date_words(1546300800), date_words(None)
    ('January 1, 2019', '')
    """
    if isinstance(created, bool) or not isinstance(created, int | float | str):
        return ""
    try:
        day = datetime.fromtimestamp(float(created), UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return f"{_MONTHS[day.month - 1]} {day.day}, {day.year}"


def _line(text: str) -> str:
    return " ".join(plain_text(text).split())


def _paragraphs(text: str) -> list[str]:
    lines = (" ".join(each.split()) for each in _BLANK_LINES.split(plain_text(text).strip()))
    return [line for line in lines if line]


def _joined(paragraphs: Sequence[str]) -> str:
    return f" {BREAK} ".join(paragraphs)


def _without_some(
    paragraphs: Sequence[str], room: int, size: Callable[[str], int], dice: random.Random
) -> list[str]:
    """The paragraphs without some that have neither a question nor a summary, if there is no room."""
    sizes = [size(f" {BREAK} {each}") for each in paragraphs]
    left = sum(sizes)
    plain = [n for n, each in enumerate(paragraphs) if not _SPARED.search(each)]
    dice.shuffle(plain)
    gone: set[int] = set()
    while left > room and plain and len(gone) < len(paragraphs) - 1:
        gone.add(plain[-1])
        left -= sizes[plain.pop()]
    return [each for n, each in enumerate(paragraphs) if n not in gone]


def _fitting(text: str, room: int, size: Callable[[str], int]) -> str:
    """As much of the beginning of a text as there is room for, to the end of a word if it has any."""
    if size(text) <= room:
        return text
    reach = bisect_right(range(len(text)), room, key=lambda letters: size(text[:letters])) - 1
    cut = text[: max(0, reach)]
    return cut.rpartition(" ")[0] or cut
