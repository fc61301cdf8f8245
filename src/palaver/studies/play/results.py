"""What came of self-play: endings, failures, and the game's metrics with intervals.

An interval is over dialogues. A share has Wilson's, another mean a bootstrap's; a metric that is no
mean of single dialogues, such as success per turn, is computed anew for each draw.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palaver.analysis.means import mean
from palaver.analysis.proportions import wilson_interval
from palaver.analysis.resampling import percentile_interval
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate
from palaver.core.events import END, FAILURE, MESSAGE
from palaver.core.numeric import np
from palaver.core.serial import flat, if_any
from palaver.metrics import Metric, find_metric

# How often a metric that is no mean is computed for its interval.
DRAWS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricEstimate:
    """A metric of the game over all dialogues."""

    metric: str
    title: str
    estimate: Estimate = flat()


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemReward:
    """What a system earned per dialogue, at whichever seat it sat."""

    system: str
    reward: Estimate = flat()


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfPlayResult:
    """What two systems made of a game; `first_failure` is why the first answer did not come."""

    game: str
    study: str = if_any("")
    systems: tuple[str, str]
    seed: int
    dialogues: int
    resumed: int
    messages: int
    endings: Mapping[str, int]
    failures: int
    first_failure: str = if_any("")
    metrics: tuple[MetricEstimate, ...]
    rewards: tuple[SystemReward, ...]


@dataclass(slots=True)
class Tally:
    """Counts dialogues as they come, as their lines of JSON have them."""

    messages: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    dialogues: list[dict[str, Any]] = field(default_factory=list)
    # How many of the last dialogues ended because a system failed.
    failed_in_a_row: int = 0

    @property
    def first(self) -> dict[str, Any] | None:
        return self.dialogues[0] if self.dialogues else None

    def add(self, line: bytes) -> None:
        """Count one dialogue."""
        dialogue = msgspec.json.decode(line)
        self.dialogues.append(dialogue)
        events = dialogue["events"]
        self.endings[dialogue["reason"]] += 1
        self.messages += sum(event["action"] == MESSAGE for event in events)
        self.failures += [
            str((event.get("data") or {}).get("detail", ""))
            for event in events
            if event["action"] == FAILURE
        ]
        failed = dialogue["reason"] == "system_failed"
        self.failed_in_a_row = self.failed_in_a_row + 1 if failed else 0


def estimate(metric: Metric, dialogues: Sequence[Any]) -> Estimate:
    """A metric over dialogues with its interval; undefined where they do not say what it needs."""
    try:
        score = metric.compute(list(dialogues))
    except InputError as error:
        return Estimate.undefined(str(error), n=len(dialogues))
    if not score.is_defined:
        return Estimate.undefined(score.reason, n=score.n)
    values = score.per_item or _each(metric, dialogues)
    if values and math.isclose(sum(values) / len(values), score.value, abs_tol=1e-9):
        return mean_of(values, is_share=metric.high <= 1)
    return _redrawn(metric, dialogues, score.value)


def mean_of(values: Sequence[float], *, is_share: bool) -> Estimate:
    """The mean of one value per dialogue; of zeros and ones a share.

    Where all are 0, or all 1, they may be seconds or points: only a metric that says so is a share.
    """
    if set(values) == {0, 1} or (is_share and set(values) <= {0, 1}):
        n, found = len(values), sum(values)
        return Estimate(
            value=found / n, interval=wilson_interval(found, n), n=n, method="Wilson's interval"
        )
    return mean(values)


def rewards_of(names: Sequence[str], dialogues: Sequence[Any]) -> tuple[SystemReward, ...]:
    """What each of two systems earned; nothing where seats have no rewards, or one plays itself."""
    earned: dict[str, list[float]] = {name: [] for name in names}
    if len(earned) < 2:
        return ()
    for dialogue in dialogues:
        ends = [event for event in dialogue["events"] if event["action"] == END]
        outcome = (ends[-1].get("data") or {}).get("outcome") if ends else None
        rewards = outcome.get("reward") if isinstance(outcome, dict) else None
        for seat in dialogue["seats"]:
            reward = rewards.get(str(seat["index"])) if isinstance(rewards, dict) else None
            if isinstance(reward, int | float):
                earned[seat["occupant"]].append(float(reward))
    return tuple(
        SystemReward(system=name, reward=mean(values)) for name, values in earned.items() if values
    )


def metrics_of(
    names: Sequence[str], dialogues: Sequence[Any], *, folder: Path
) -> tuple[MetricEstimate, ...]:
    """The metrics of a game over dialogues; own ones may lie in `folder`."""
    metrics = [find_metric(name, folder=folder) for name in names]
    return tuple(
        MetricEstimate(metric=each.name, title=each.title, estimate=estimate(each, dialogues))
        for each in metrics
    )


def _each(metric: Metric, dialogues: Sequence[Any]) -> list[float]:
    """The metric of each dialogue for which it is defined."""
    try:
        scores = [metric.compute([dialogue]) for dialogue in dialogues]
    except InputError:
        return []
    return [score.value for score in scores if score.is_defined]


def _redrawn(metric: Metric, dialogues: Sequence[Any], value: float) -> Estimate:
    n = len(dialogues)
    if n < 2:
        return Estimate(value=value, n=n)
    dice = random.Random(1)
    drawn = [metric.compute(dice.choices(dialogues, k=n)).value for _ in range(DRAWS)]
    interval = percentile_interval(np.array(drawn), independent=n)
    method = f"percentiles of {DRAWS} bootstrap samples of dialogues"
    return Estimate(value=value, interval=interval, n=n, method=method)
