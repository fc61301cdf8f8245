"""How long texts are."""

import math
from collections.abc import Sequence
from statistics import median

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT
from palaver.metrics.text.words import MEANINGS, tokens_of

PAPER = "A plain count; no paper."


def length_tokens(predictions: Sequence[str], *, tokens: str = "words") -> Score:
    """The mean number of tokens per text; median, shortest and longest beside it."""
    return _lengths([len(text) for text in tokens_of(predictions, tokens)])


def length_characters(predictions: Sequence[str]) -> Score:
    """The mean number of characters (code points, spaces included) per text."""
    return _lengths([len(text) for text in predictions])


def _lengths(lengths: list[int]) -> Score:
    parts = {"median": median(lengths), "shortest": min(lengths), "longest": max(lengths)}
    return Score.mean_of(lengths, parts=parts)


LENGTH_TOKENS = Metric(
    name="length_tokens",
    title="Length in tokens",
    family="text",
    about="How many words and marks a text has.",
    direction="none",
    unit="tokens per text",
    high=math.inf,
    paper=PAPER,
    predictions=TEXT,
    options={"tokens": f"how texts are tokenised (default 'words'): {MEANINGS}"},
    function=length_tokens,
    example=Example(["Yes.", "I do not know."], None, 3.5),
    decomposes=True,
)
LENGTH_CHARACTERS = Metric(
    name="length_characters",
    title="Length in characters",
    family="text",
    about="How many characters a text has, spaces included.",
    direction="none",
    unit="characters per text",
    high=math.inf,
    paper=PAPER,
    predictions=TEXT,
    function=length_characters,
    example=Example(["Yes.", "I do not know."], None, 9.0),
    decomposes=True,
)
