"""The door to sacrebleu, which computes BLEU, chrF and TER."""

from collections.abc import Sequence
from typing import Any

from palaver.core.errors import MissingExtraError
from palaver.core.numeric import Numbers, np
from palaver.metrics.metric import Score

NO_WORDS = "the references contain no words"


def sacrebleu_metrics(what: str) -> Any:
    """sacrebleu's metrics; `what` needs them if they are missing."""
    try:
        from sacrebleu import metrics
    except ImportError as error:
        raise MissingExtraError(what, "metrics") from error
    return metrics


def corpus_score(
    metric: Any,
    predictions: Sequence[str],
    references: Sequence[tuple[str, ...]],
    *,
    parts: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> Score:
    """What a metric of sacrebleu says of all texts together, with its signature.

    Items may have different numbers of references. Without any word in them there is nothing to
    compare with, and the score is undefined.
    """
    if not any(text.strip() for several in references for text in several):
        return Score.undefined(NO_WORDS)
    found = metric.corpus_score(list(predictions), streams(references))
    return Score(
        value=float(found.score),
        parts={name: getattr(found, name) for name in parts},
        signature=str(metric.get_signature()),
        warnings=tuple(warnings),
    )


def statistics(
    metric: Any, predictions: Sequence[str], references: Sequence[tuple[str, ...]]
) -> Numbers:
    """What each text adds to a metric of sacrebleu: the numbers whose sums its score is made of."""
    rows = metric._extract_corpus_statistics(list(predictions), streams(references))
    return np.array(rows, dtype=np.float64)


def streams(references: Sequence[tuple[str, ...]]) -> list[list[str | None]]:
    """References as sacrebleu takes them: first ones, second ones, …; None where there is none.

    >>> streams([("a", "b"), ("c",)])
    [['a', 'c'], ['b', None]]
    """
    most = max(len(several) for several in references)
    return [
        [several[n] if n < len(several) else None for several in references] for n in range(most)
    ]
