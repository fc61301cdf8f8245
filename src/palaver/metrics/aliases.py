"""Names under which other systems knew a metric, and what it is called here."""

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
