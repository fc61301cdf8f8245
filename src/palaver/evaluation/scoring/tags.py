"""The performance on the items of each tag, with n and an interval.

A metric that needs two classes is undefined on a tag that holds one: there F1 of recall r is r/(1 + r),
about half of what one wants to know. What Dynabench showed instead stands beside it as `legacy`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palaver.core.errors import InputError
from palaver.core.estimates import NO_SPREAD, Interval, has_no_width
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain
from palaver.core.tasks import Example
from palaver.evaluation.scoring.intervals import Additive
from palaver.evaluation.scoring.result import legacy_value
from palaver.metrics.metric import Metric, Score

NO_VALUE = "the metric has no value on these items"
NOT_REDRAWN = "there are no intervals by tag for a metric that is no sum over items"


@dataclass(frozen=True, slots=True)
class TwoClasses:
    """A metric that needs two classes, and the classes of the items as codes."""

    metric: Metric
    codes: Numbers

    def lacking(self, places: Numbers | slice = slice(None)) -> bool:
        """Whether the items at these places are all of one class."""
        codes = self.codes[places]
        return bool((codes == codes[0]).all())


def tagged(examples: Sequence[Example]) -> dict[str, Numbers]:
    """The places of the items of each tag, tags in the order of the alphabet."""
    places: dict[str, list[int]] = {}
    for n, example in enumerate(examples):
        for tag in dict.fromkeys(example.tags):
            places.setdefault(tag, []).append(n)
    return {tag: np.array(places[tag]) for tag in sorted(places)}


def scores_by_tag(
    examples: Sequence[Example], found: Additive, needs: TwoClasses | None = None
) -> list[dict[str, Any]]:
    """The value of each tag; `needs` says where a tag must hold two classes."""
    listed = []
    for tag, places in tagged(examples).items():
        part = found.at(places)
        value = part.total()
        if needs is not None and needs.lacking(places):
            metric = needs.metric
            entry = _entry(tag, len(places), reason=one_class(metric))
            listed.append({**entry, "legacy": plain(legacy_value(metric, value))})
        elif np.isnan(value):
            listed.append(_entry(tag, len(places), reason=NO_VALUE))
        else:
            sure = part.estimate()
            listed.append(
                _entry(tag, len(places), value=value, interval=sure.interval, reason=sure.reason)
            )
    return listed


def recomputed_by_tag(
    examples: Sequence[Example], compute: Callable[[list[int]], Score]
) -> list[dict[str, Any]]:
    """The value of each tag for a metric that is no sum over items; without intervals."""
    listed = []
    for tag, places in tagged(examples).items():
        try:
            score = compute(places.tolist())
        except InputError as error:
            score = Score.undefined(str(error).rstrip("."))
        why = score.reason if not score.is_defined else NOT_REDRAWN
        listed.append(_entry(tag, len(places), value=score.value, reason=why))
    return listed


def mean_of_tags(listed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The plain mean over the tags that have a value: how scores over many languages are summed up.

    >>> mean_of_tags([{"tag": "deu-eng", "value": 28.0}, {"tag": "eng-deu", "value": 32.0}])
    {'value': 30.0, 'tags': 2}
    """
    values = [each["value"] for each in listed if each["value"] is not None]
    return {"value": math.fsum(values) / len(values) if values else None, "tags": len(values)}


def told_by_tag(parts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The performance on each tag that a score holds, old ones without intervals of no width."""
    return [
        {**each, "low": None, "high": None, "reason": each.get("reason") or NO_SPREAD}
        if has_no_width(each.get("low"), each.get("high"))
        else dict(each)
        for each in parts.get("perf_by_tag", ())
    ]


def one_class(metric: Metric) -> str:
    """Why a metric that needs two classes has no value."""
    return f"all items are of one class, and {metric.title} needs two"


def _entry(
    tag: str,
    items: int,
    *,
    value: float = float("nan"),
    interval: Interval | None = None,
    reason: str = "",
) -> dict[str, Any]:
    return {
        "tag": tag,
        "value": plain(value),
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": items,
        **({"reason": reason} if reason else {}),
    }
