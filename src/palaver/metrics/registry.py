"""Metrics by name; one of another package registers under the entry point `palaver.metrics`.

Some have other names in other systems.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.registry import Registry
from palaver.metrics.metric import FAMILIES, Metric
from palaver.metrics.own import as_metric, own_metric

METRICS: Registry[Any] = Registry(
    "metric",
    "palaver.metrics",
    {
        "accuracy": "palaver.metrics.classification:ACCURACY",
        "balanced_accuracy": "palaver.metrics.classification:BALANCED_ACCURACY",
        "f1": "palaver.metrics.classification:BINARY_F1",
        "fpr": "palaver.metrics.classification:FPR",
        "mcc": "palaver.metrics.classification:MCC",
        "macro_f1": "palaver.metrics.averages:MACRO_F1",
        "micro_f1": "palaver.metrics.averages:MICRO_F1",
        "weighted_f1": "palaver.metrics.averages:WEIGHTED_F1",
        "macro_precision": "palaver.metrics.averages:MACRO_PRECISION",
        "macro_recall": "palaver.metrics.averages:MACRO_RECALL",
        "dataperf_f1": "palaver.metrics.dataperf:DATAPERF_F1",
        "dataperf_auc": "palaver.metrics.dataperf:DATAPERF_AUC",
        "dataperf_balanced_accuracy": "palaver.metrics.dataperf:DATAPERF_BALANCED_ACCURACY",
        "dataperf_fraction_of_fixes": "palaver.metrics.dataperf:DATAPERF_FRACTION_OF_FIXES",
        "squad_f1": "palaver.metrics.qa:SQUAD_F1",
        "squad_em": "palaver.metrics.qa:SQUAD_EM",
        "vqa_accuracy": "palaver.metrics.vqa:VQA_ACCURACY",
        "bleu": "palaver.metrics.text.bleu:BLEU",
        "sp_bleu": "palaver.metrics.text.bleu:SP_BLEU",
        "chrf": "palaver.metrics.text.chrf:CHRF",
        "chrf_pp": "palaver.metrics.text.chrf:CHRF_PLUS_PLUS",
        "cer": "palaver.metrics.text.error_rates:CER",
        "wer": "palaver.metrics.text.error_rates:WER",
        "ter": "palaver.metrics.text.ter:TER",
        "rouge_1": "palaver.metrics.text.rouge:ROUGE_1",
        "rouge_2": "palaver.metrics.text.rouge:ROUGE_2",
        "rouge_l": "palaver.metrics.text.rouge:ROUGE_L",
        "distinct_1": "palaver.metrics.text.diversity:DISTINCT_1",
        "distinct_2": "palaver.metrics.text.diversity:DISTINCT_2",
        "self_bleu": "palaver.metrics.text.diversity:SELF_BLEU",
        "length_tokens": "palaver.metrics.text.length:LENGTH_TOKENS",
        "length_characters": "palaver.metrics.text.length:LENGTH_CHARACTERS",
        "nmd": "palaver.metrics.divergences:NMD",
        "rsnod": "palaver.metrics.divergences:RSNOD",
        "rnss": "palaver.metrics.divergences:RNSS",
        "kl_divergence": "palaver.metrics.divergences:KL_DIVERGENCE",
        "jsd": "palaver.metrics.divergences:JSD",
        "nugget_jsd": "palaver.metrics.nuggets:NUGGET_JSD",
        "nugget_rnss": "palaver.metrics.nuggets:NUGGET_RNSS",
        "success_rate": "palaver.metrics.outcomes:SUCCESS_RATE",
        "completion_rate": "palaver.metrics.outcomes:COMPLETION_RATE",
        "agreement_rate": "palaver.metrics.outcomes:AGREEMENT_RATE",
        "turns": "palaver.metrics.outcomes:TURNS",
        "reward": "palaver.metrics.outcomes:REWARD",
        "success_per_turn": "palaver.metrics.outcomes:SUCCESS_PER_TURN",
    },
    see=" See: palaver metrics.",
)

ALIASES = {
    "matthews_correlation": "mcc",
    "matthews_corrcoef": "mcc",
    "new_accuracy": "accuracy",
    "chrf++": "chrf_pp",
    "chrfpp": "chrf_pp",
    "kl": "kl_divergence",
    "kl_div": "kl_divergence",
    "kullback_leibler_divergence": "kl_divergence",
    "character_error_rate": "cer",
    "word_error_rate": "wer",
    "false_positive_rate": "fpr",
    "examples_per_second": "throughput",
    "memory_utilization": "memory",
}


def find_metric(name: str, *, folder: Path | None = None) -> Metric:
    """The metric called `name`, or the function that "module:function" names.

    >>> find_metric("accuracy").compute(["a", "b"], ["a", "a"]).value
    0.5
    """
    if ":" in name:
        return own_metric(name, folder=folder or Path.cwd())
    try:
        return as_metric(METRICS.get(name), name)
    except (ImportError, AttributeError) as error:
        # Only what another package offers can fail so.
        raise InputError(f"Metric '{name}' is installed but does not load: {error}.") from error


def known_metrics() -> Iterator[Metric]:
    """Every metric with a name, by family and in each in the order of the names."""
    found = [find_metric(name) for name in METRICS.names()]
    return iter(sorted(found, key=lambda metric: FAMILIES.index(metric.family)))


def metric_name(old: str, *, spans: bool = False) -> str:
    """What a metric of another system is called here; a name that is no old one stays as it is.

    `spans` says that the answers are parts of a text: there "f1" was the F1 of words.

    >>> metric_name("matthews_correlation"), metric_name("f1", spans=True), metric_name("f1")
    ('mcc', 'squad_f1', 'f1')
    """
    name = old.strip().lower()
    if spans and name == "f1":
        return "squad_f1"
    return ALIASES.get(name, old)
