"""Translation edit rate, as sacrebleu computes it."""

import math
from collections.abc import Sequence
from typing import Any

from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TEXT, TEXTS, yes_or_no
from palaver.metrics.text.library import corpus_score, sacrebleu_metrics


def ter(
    predictions: Sequence[str],
    references: Sequence[tuple[str, ...]],
    *,
    case_sensitive: bool = False,
    no_punct: bool = False,
) -> Score:
    """How many edits turn the predictions into their closest references, per 100 reference words.

    An edit inserts, removes or replaces a word, or moves a run of words. More edits than words are
    possible, so it has no upper end.
    """
    metric = ter_scorer(case_sensitive=case_sensitive, no_punct=no_punct)
    return corpus_score(metric, predictions, references, parts=("num_edits", "ref_length"))


def ter_scorer(*, case_sensitive: bool = False, no_punct: bool = False) -> Any:
    return sacrebleu_metrics("TER").TER(
        case_sensitive=yes_or_no("case_sensitive", case_sensitive),
        no_punct=yes_or_no("no_punct", no_punct),
    )


TER = Metric(
    name="ter",
    title="Translation edit rate",
    family="text",
    about="How many edits turn a text into its reference, per 100 words of the reference.",
    direction="lower",
    unit="edits per 100 words",
    high=math.inf,
    paper="M. Snover et al. (2006), A study of translation edit rate with targeted human "
    "annotation, AMTA; computed by sacrebleu.",
    predictions=TEXT,
    references=TEXTS,
    options={
        "case_sensitive": "true: upper and lower case differ",
        "no_punct": "true: punctuation does not count",
    },
    function=ter,
    example=Example(["the cat sat on the mat"], ["the cat is on the mat"], 100 / 6),
    extra="metrics",
)
