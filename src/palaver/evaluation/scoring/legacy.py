"""Numbers as Dynabench stored them: percent with two digits, for comparison with old boards."""

from typing import Any

from palaver.metrics.metric import Metric

# Kept as they came, with all digits.
AS_THEY_COME = frozenset(
    {
        "bleu",
        "sp_bleu",
        "chrf",
        "chrf_pp",
        "f1",
        "mcc",
        "fpr",
        "kl_divergence",
        "cer",
        "wer",
        "dataperf_auc",
        "dataperf_balanced_accuracy",
        "dataperf_fraction_of_fixes",
    }
)


def legacy_value(metric: Metric, value: float) -> float:
    """The number that was stored for a metric: a share in percent, rounded.

    >>> from palaver.metrics import find_metric
    >>> legacy_value(find_metric("macro_f1"), 1 / 3)
    33.33
    """
    if metric.name in AS_THEY_COME or metric.unit != "share":
        return float(value)
    return round(100 * float(value), 2)


def legacy_row(metric: Metric, value: float) -> dict[str, Any]:
    """What a row of old scores said: `perf` and `pretty_perf`."""
    found = legacy_value(metric, value)
    return {"perf": found, "pretty_perf": f"{found} %"}
