"""What came of self-play: endings, failures, and the game's metrics with intervals.

Dialogues that play the same scenario hang together: some are easy, some hard. Where scenarios repeat,
an interval is over scenarios, each with all its dialogues; where each is played once, over dialogues.
Where all dialogues play one scenario it is over dialogues, too, and says nothing of other scenarios. A
share of dialogues has Wilson's interval, another mean that of `analysis.means`; a metric that is no mean
of single dialogues, such as success per turn, is computed anew for each draw.
"""

import math
import random
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from palaver.analysis.item_means import OPEN, Range, item_mean
from palaver.analysis.means import mean
from palaver.analysis.resampling import percentile_interval
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, Interval, all_the_same
from palaver.core.events import END, FAILURE, MESSAGE
from palaver.core.numeric import Numbers, np
from palaver.core.serial import flat, if_any
from palaver.metrics import Metric, find_metric
from palaver.metrics.metric import Score

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
    # What the first earned more than the second in the same dialogue, on average.
    reward_difference: Estimate | None = if_any(None)


@dataclass(slots=True)
class DialogueTally:
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
    values, scenarios = _each(metric, dialogues, score)
    if values and math.isclose(sum(values) / len(values), score.value, abs_tol=1e-9):
        return mean_of(values, scenarios, within=(metric.low, metric.high))
    return _redrawn(metric, dialogues, score.value)


def mean_of(
    values: Sequence[float], scenarios: Sequence[Hashable], *, within: Range = OPEN
) -> Estimate:
    """The mean of one value per dialogue; `scenarios` says what each played, `within` the values' range.

    >>> found = mean_of([1, 1, 1, 1], ["a", "a", "b", "b"], within=(0, 1))
    >>> f"{found.interval.low:.2f} to {found.interval.high:.2f}; {found.method}"
    '0.34 to 1.00; Wilson interval, each scenario counted once; assumes independent scenarios'
    """
    given = np.asarray(values, dtype=float)
    if _repeats(scenarios):
        return _over_scenarios(given, scenarios, within)
    # Zeros and ones are a share; where all are alike they may be points or seconds.
    found = item_mean(given, within) if set(values) <= {0, 1} else mean(values)
    return _explained(found, given, scenarios)


def rewards_of(names: Sequence[str], dialogues: Sequence[Any]) -> tuple[SystemReward, ...]:
    """What each of two systems earned; nothing where seats have no rewards, or one plays itself."""
    earned = _earned(names, dialogues)
    return tuple(
        SystemReward(
            system=name, reward=mean_of([each[0] for each in got], [each[1] for each in got])
        )
        for name, got in earned.items()
        if got
    )


def reward_difference(names: Sequence[str], dialogues: Sequence[Any]) -> Estimate | None:
    """How much more the first system earned than the second in a dialogue; None without rewards.

    What one gets the other may lose, so the two are compared within each dialogue.
    """
    earned = _earned(names, dialogues)
    if len(earned) < 2 or not all(earned.values()):
        return None
    one, other = earned.values()
    if len(one) != len(other):
        return None
    apart = [a[0] - b[0] for a, b in zip(one, other, strict=True)]
    return mean_of(apart, [scenario for _, scenario in one])


def _earned(
    names: Sequence[str], dialogues: Sequence[Any]
) -> dict[str, list[tuple[float, Hashable]]]:
    """The rewards of each of two systems, each with the scenario it was earned in."""
    earned: dict[str, list[tuple[float, Hashable]]] = {name: [] for name in names}
    if len(earned) < 2:
        return {}
    for dialogue in dialogues:
        ends = [event for event in dialogue["events"] if event["action"] == END]
        outcome = (ends[-1].get("data") or {}).get("outcome") if ends else None
        rewards = outcome.get("reward") if isinstance(outcome, dict) else None
        for seat in dialogue["seats"]:
            reward = rewards.get(str(seat["index"])) if isinstance(rewards, dict) else None
            if isinstance(reward, int | float):
                earned[seat["occupant"]].append((float(reward), scenario_of(dialogue)))
    return earned


def scenario_of(dialogue: Mapping[str, Any]) -> bytes:
    """What a dialogue plays, by its content: names of scenarios may be used twice."""
    return msgspec.json.encode(dialogue.get("scenario"), order="deterministic")


def metrics_of(
    names: Sequence[str], dialogues: Sequence[Any], *, folder: Path
) -> tuple[MetricEstimate, ...]:
    """The metrics of a game over dialogues; own ones may lie in `folder`."""
    metrics = [find_metric(name, folder=folder) for name in names]
    return tuple(
        MetricEstimate(metric=each.name, title=each.title, estimate=estimate(each, dialogues))
        for each in metrics
    )


def _repeats(scenarios: Sequence[Hashable]) -> bool:
    """Whether several scenarios were played, some of them more than once."""
    return 1 < len(set(scenarios)) < len(scenarios)


def _over_scenarios(values: Numbers, scenarios: Sequence[Hashable], within: Range) -> Estimate:
    """The mean over dialogues with an interval over scenarios."""
    different = set(values.tolist())
    if len(different) == 1:
        # Each scenario says the same, however often it was played.
        once = item_mean(values[: len(set(scenarios))], within)
        method = "Wilson interval, each scenario counted once; assumes independent scenarios"
        return replace(once, n=len(values), method=method if once.interval else "")
    found = mean(values, [scenarios])
    ends = found.interval
    if ends is not None and different == {0, 1}:
        found = replace(found, interval=Interval(max(0.0, ends.low), min(1.0, ends.high)))
    return replace(found, method=found.method.replace("clusters", "scenarios"))


def _explained(found: Estimate, values: Numbers, scenarios: Sequence[Hashable]) -> Estimate:
    """The same, with what one scenario cannot say, and why there is no interval."""
    if found.interval is None and not found.reason:
        found = replace(found, reason=all_the_same(len(values)))
    if found.interval is not None and len(set(scenarios)) == 1 < len(values):
        found = replace(found, method=f"{found.method}; about this one scenario alone")
    return found


def _each(
    metric: Metric, dialogues: Sequence[Any], score: Score
) -> tuple[list[float], list[Hashable]]:
    """The metric of each dialogue for which it is defined, and what that dialogue plays."""
    if score.per_item and len(score.per_item) == len(dialogues):
        return list(score.per_item), [scenario_of(each) for each in dialogues]
    try:
        scores = [metric.compute([dialogue]) for dialogue in dialogues]
    except InputError:
        return [], []
    defined = [n for n, each in enumerate(scores) if each.is_defined]
    return [scores[n].value for n in defined], [scenario_of(dialogues[n]) for n in defined]


def _redrawn(metric: Metric, dialogues: Sequence[Any], value: float) -> Estimate:
    """A metric that is no mean: its percentiles over samples of scenarios, or of dialogues."""
    n = len(dialogues)
    if n < 2:
        return Estimate(value=value, n=n, reason="there is a single dialogue")
    played: dict[Hashable, list[Any]] = {}
    scenarios = [scenario_of(dialogue) for dialogue in dialogues]
    for scenario, dialogue in zip(scenarios, dialogues, strict=True):
        played.setdefault(scenario, []).append(dialogue)
    what = "scenarios" if _repeats(scenarios) else "dialogues"
    groups = list(played.values()) if what == "scenarios" else [[each] for each in dialogues]
    dice = random.Random(1)
    drawn = [
        metric.compute([each for group in dice.choices(groups, k=len(groups)) for each in group])
        for _ in range(DRAWS)
    ]
    interval = percentile_interval(
        np.array([each.value for each in drawn]), independent=len(groups)
    )
    found = Estimate(
        value=value,
        interval=interval,
        n=n,
        method=f"percentiles of {DRAWS} bootstrap samples of {what}",
        reason="" if interval else "the samples are alike, or have no value",
    )
    return _explained(found, np.arange(n), scenarios)
