"""chrF and chrF++, as sacrebleu computes them."""

from collections.abc import Sequence
from typing import Any

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT, TEXTS, yes_or_no
from palaver.metrics.text.library import corpus_score, sacrebleu_metrics

LOWERCASE = {"lowercase": "true: upper and lower case are the same"}
_SAID = ["the cat sat on the mat"]
_MEANT = ["the cat is on the mat"]


def chrf(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, lowercase: bool = False
) -> Score:
    """The F-score of character n-grams, n from 1 to 6, in which recall counts twice as much.

    100 · (1 + β²) P R / (β² P + R) with β = 2 and P, R the precision and recall averaged over the
    orders, white space left out; with several references the best counts. No words need be cut.
    """
    return _chrf(predictions, references, lowercase=lowercase, word_order=0)


def chrf_plus_plus(
    predictions: Sequence[str], references: Sequence[tuple[str, ...]], *, lowercase: bool = False
) -> Score:
    """chrF with single words and pairs of words averaged in as two more orders."""
    return _chrf(predictions, references, lowercase=lowercase, word_order=2)


def _chrf(
    predictions: Sequence[str],
    references: Sequence[tuple[str, ...]],
    *,
    lowercase: bool,
    word_order: int,
) -> Score:
    metric = chrf_scorer(word_order=word_order, lowercase=lowercase)
    return corpus_score(metric, predictions, references)


def chrf_scorer(*, word_order: int, lowercase: bool) -> Any:
    return sacrebleu_metrics("chrF").CHRF(
        word_order=word_order, lowercase=yes_or_no("lowercase", lowercase)
    )


CHRF = Metric(
    name="chrf",
    title="chrF",
    family="text",
    about="How many runs of one to six characters the texts share with their references.",
    unit="points",
    high=100,
    paper="M. Popović (2015), chrF: character n-gram F-score for automatic MT evaluation, WMT; "
    "computed by sacrebleu.",
    predictions=TEXT,
    references=TEXTS,
    options=LOWERCASE,
    function=chrf,
    example=Example(_SAID, _MEANT, 64.577942),
    extra="metrics",
)
CHRF_PLUS_PLUS = Metric(
    name="chrf_pp",
    title="chrF++",
    family="text",
    about="chrF that also counts single words and pairs of words.",
    unit="points",
    high=100,
    paper="M. Popović (2017), chrF++: words helping character n-grams, WMT; computed by sacrebleu.",
    predictions=TEXT,
    references=TEXTS,
    options=LOWERCASE,
    function=chrf_plus_plus,
    example=Example(_SAID, _MEANT, 66.360671),
    extra="metrics",
)
