"""ROUGE-1, ROUGE-2 and ROUGE-L: the words, pairs of words and word order shared with a reference.

By default texts are cut as the widely used Python package does, without its stemmer: lower case, and
what is not a-z or 0-9 separates words. Other scripts have no words then; option `tokens` helps.

C.-Y. Lin (2004), ROUGE: a package for automatic evaluation of summaries, Text Summarization Branches
Out, ACL workshop.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT, TEXTS
from palaver.metrics.text.words import MEANINGS, ngrams, tokens_of

PAPER = "C.-Y. Lin (2004), ROUGE: a package for automatic evaluation of summaries, ACL workshop."
OPTIONS = {"tokens": f"how texts are tokenised (default 'ascii'): {MEANINGS}"}
_SAID = ["the cat sat on the mat"]
_MEANT = ["the cat is on the mat"]


class Overlap(NamedTuple):
    """What one text shares with one reference."""

    precision: float
    recall: float
    f1: float


Compare = Callable[[Sequence[str], Sequence[str]], Overlap]


def rouge_1(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, tokens: str = "ascii"
) -> Score:
    """The mean over items of the F1 of words, against the reference that fits best.

    With m words in common (each as often as it is on both sides), P = m / words of the prediction,
    R = m / words of the reference, F1 = 2 P R / (P + R); 0 if nothing is in common.
    """
    return _rouge(predictions, references, tokens, lambda said, meant: _shared(said, meant, 1))


def rouge_2(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, tokens: str = "ascii"
) -> Score:
    """The same for pairs of neighbouring words."""
    return _rouge(predictions, references, tokens, lambda said, meant: _shared(said, meant, 2))


def rouge_l(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, tokens: str = "ascii"
) -> Score:
    """The same with m the length of the longest common subsequence: words in the same order."""
    return _rouge(predictions, references, tokens, _in_order)


def common_length(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence.

    >>> common_length("the cat sat on".split(), "the sat cat on".split())
    3
    """
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0  # the cell above and to the left
        for n, other in enumerate(second, start=1):
            above = row[n]
            row[n] = before + 1 if word == other else max(above, row[n - 1])
            before = above
    return row[-1]


def _shared(said: Sequence[str], meant: Sequence[str], order: int) -> Overlap:
    first, second = Counter(ngrams(said, order)), Counter(ngrams(meant, order))
    return _overlap((first & second).total(), first.total(), second.total())


def _in_order(said: Sequence[str], meant: Sequence[str]) -> Overlap:
    return _overlap(common_length(said, meant), len(said), len(meant))


def _overlap(shared: int, said: int, meant: int) -> Overlap:
    if shared == 0:
        return Overlap(0.0, 0.0, 0.0)
    return Overlap(shared / said, shared / meant, 2 * shared / (said + meant))


def _rouge(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], tokens: str, compare: Compare
) -> Score:
    said = tokens_of(predictions, tokens)
    meant = [tokens_of(several, tokens) for several in references]
    wordless = sum(not any(several) for several in meant)
    if wordless == len(meant):
        return Score.undefined(f"no reference has a token when tokenised by '{tokens}'")
    best = [
        max((compare(words, other) for other in several), key=lambda found: found.f1)
        for words, several in zip(said, meant, strict=True)
    ]
    warning = (
        f"{wordless} of {len(meant)} items have no token in their references when tokenised by "
        f"'{tokens}', and score 0; see option tokens."
    )
    return Score.mean_of(
        (found.f1 for found in best),
        parts={
            "precision": sum(found.precision for found in best) / len(best),
            "recall": sum(found.recall for found in best) / len(best),
        },
        warnings=(warning,) if wordless else (),
    )


_rouge_metric = partial(
    Metric,
    family="text",
    paper=PAPER,
    predictions=TEXT,
    references=TEXTS,
    options=OPTIONS,
    decomposes=True,
)
ROUGE_1 = _rouge_metric(
    name="rouge_1",
    title="ROUGE-1",
    about="The words that a text shares with its reference (F1).",
    function=rouge_1,
    example=Example(_SAID, _MEANT, 5 / 6),
)
ROUGE_2 = _rouge_metric(
    name="rouge_2",
    title="ROUGE-2",
    about="The pairs of neighbouring words that a text shares with its reference (F1).",
    function=rouge_2,
    example=Example(_SAID, _MEANT, 3 / 5),
)
ROUGE_L = _rouge_metric(
    name="rouge_l",
    title="ROUGE-L",
    about="The longest run of words, gaps allowed, that a text shares with its reference (F1).",
    function=rouge_l,
    example=Example(_SAID, ["on the mat the cat sat"], 0.5),
)
