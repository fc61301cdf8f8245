"""A score as it is computed, before it is stored, and the number that Dynabench would have stored."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from palaver.core.estimates import MISSING, Interval
from palaver.core.evaluation.runs import RunScore
from palaver.core.numeric import Numbers
from palaver.core.serial import plain
from palaver.core.tasks import MetricChoice
from palaver.metrics.metric import Metric
from palaver.metrics.sums import pack_rows

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One number of a run; `value` is NaN where it is undefined.

    `reason` says why the value, or its interval, is missing.

    `rows` are what each item adds, under the additive form called `form`; those of distances are
    kept with every digit, as runs of a shared task are compared by them.
    """

    metric: str
    version: str
    value: float
    interval: Interval | None = None
    n: int
    reason: str = ""
    parts: Mapping[str, Any] = field(default_factory=dict)
    form: str = ""
    rows: Numbers | None = None
    exact: bool = False

    @classmethod
    def undefined(
        cls, metric: str, version: str, reason: str, *, n: int = 0, **known: Any
    ) -> "Scored":
        return cls(metric=metric, version=version, value=MISSING, n=n, reason=reason, **known)

    @property
    def is_defined(self) -> bool:
        return not math.isnan(self.value)

    def stored(self, run_id: int, *, variant_id: int = 0) -> RunScore:
        kept = self.rows if self.form else None
        return RunScore(
            run_id=run_id,
            metric=self.metric,
            version=self.version,
            variant_id=variant_id,
            value=plain(self.value),
            low=self.interval.low if self.interval else None,
            high=self.interval.high if self.interval else None,
            n=self.n,
            reason=self.reason,
            parts={**({"form": self.form} if kept is not None else {}), **self.parts},
            rows=None if kept is None else pack_rows(kept, exact=self.exact),
        )


def choice_version(metric: Metric, choice: MetricChoice) -> str:
    """The version of a metric as it is used: its own, and a digest of fields and options."""
    used = {"metric": choice.metric, "fields": choice.fields, "options": dict(choice.options)}
    content = msgspec.json.encode(used, order="deterministic", enc_hook=str)
    return f"{metric.version}-{hashlib.sha256(content).hexdigest()[:8]}"


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
