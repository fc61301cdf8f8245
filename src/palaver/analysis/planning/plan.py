"""How many dialogues, raters and votes a study needs, and what it costs, before money is spent."""

from dataclasses import dataclass
from math import ceil
from statistics import NormalDist
from typing import ClassVar

from palaver.analysis.planning.assumptions import FEW_RATERS, Assumptions
from palaver.analysis.planning.search import PowerPoint, smallest_size
from palaver.analysis.planning.simulated_studies import StudyDrawing, tells_apart
from palaver.core.errors import InputError
from palaver.core.estimates import Interval, html_table
from palaver.core.serial import if_any, internal, key, plain

SIMULATIONS = 300
MOST_DIALOGUES = 20_000
ANALYSIS = {
    "votes": "Bradley–Terry with ties, pairs decided by the wild cluster bootstrap",
    "rating": "cluster-robust t test of the difference of means",
    "proportion": "cluster-robust t test of the difference of proportions",
}
CLUSTERED = {
    "rater": "clustered by rater; it holds for raters in general",
    "dialogue": "clustered by dialogue; it holds for these raters only",
    "both": "clustered by rater and by dialogue; it holds for raters in general",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A study that reaches the power asked for; `point` is None where none within bounds does."""

    derived: ClassVar[tuple[str, ...]] = (
        *("dialogues", "raters", "votes", "dialogues_per_rater", "power", "power_interval"),
        *("cost", "hours", "difference"),
    )

    assumptions: Assumptions
    asked: float = key("power_asked")
    point: PowerPoint | None = internal()
    curve: tuple[PowerPoint, ...]
    pay: float | None
    method: str
    reason: str = if_any("")
    warnings: tuple[str, ...] = ()

    @property
    def dialogues(self) -> int | None:
        """How many dialogues; of votes, comparisons of two."""
        return self.point.dialogues if self.point else None

    @property
    def votes(self) -> int | None:
        """How many judgements in all."""
        return self.dialogues * self.assumptions.per_dialogue if self.dialogues else None

    @property
    def hours(self) -> float | None:
        """How long raters work, all together."""
        return self.votes * self.assumptions.minutes / 60 if self.votes else None

    @property
    def cost(self) -> float | None:
        return None if self.hours is None or self.pay is None else self.hours * self.pay

    @property
    def dialogues_per_rater(self) -> int | None:
        """How many judgements the busiest rater makes."""
        return ceil(self.votes / self.assumptions.raters) if self.votes else None

    @property
    def raters(self) -> int:
        return self.assumptions.raters

    @property
    def difference(self) -> float:
        """What the study is to find."""
        return self.assumptions.difference

    @property
    def power(self) -> float | None:
        return self.point.power if self.point else None

    @property
    def power_interval(self) -> Interval | None:
        """How well the simulation knows the power."""
        return self.point.power_interval if self.point else None

    def _repr_html_(self) -> str:
        return html_table(plain(self.curve), caption=self.method)


def plan(
    assumed: Assumptions,
    *,
    power: float = 0.8,
    pay: float | None = None,
    simulations: int = SIMULATIONS,
    seed: int = 1,
    most: int = MOST_DIALOGUES,
    warnings: tuple[str, ...] = (),
) -> Plan:
    """The smallest study that tells the better system from another with the power asked for.

    Studies of a size are drawn from the assumptions and analysed as their owner would analyse them;
    the power is the share in which the better system is found to be better. The search starts from
    the textbook's number for independent judgements, (z₁₋α/₂ + z_power)² · variance / difference².
    """
    _check(power, pay, simulations, most)
    drawing = StudyDrawing(assumed, seed=seed)

    def count(blocks: int) -> int:
        return sum(
            tells_apart(drawing.study(blocks, number), assumed, seed=seed + number)
            for number in range(simulations)
        )

    limit = max(2, most // assumed.block)
    found = smallest_size(
        count,
        power=power,
        simulations=simulations,
        start=first_guess(assumed, power),
        least=_least(assumed),
        most=limit,
        block=assumed.block,
    )
    method = (
        f"{simulations} simulated studies of each size; analysis: {ANALYSIS[assumed.outcome]}, "
        f"{CLUSTERED[assumed.cluster]}; level {assumed.alpha:g}, two-sided"
        + (f", corrected for {assumed.pairs} pairs of systems" if assumed.pairs > 1 else "")
    )
    reason = "" if found.found else _why_not(assumed, power, found.tried[-1])
    return Plan(
        assumptions=assumed,
        asked=power,
        point=found.found,
        curve=found.tried,
        pay=pay,
        method=method,
        reason=reason,
        warnings=(*warnings, *_warnings(assumed, found.found)),
    )


def first_guess(assumed: Assumptions, power: float) -> int:
    """The number of blocks for independent judgements that are normally distributed."""
    normal = NormalDist()
    wanted = normal.inv_cdf(1 - assumed.level / 2) + normal.inv_cdf(power)
    if assumed.outcome == "votes":
        variance = 0.25 * (1 - assumed.ties) / assumed.per_dialogue
    elif assumed.outcome == "rating":
        variance = 2 * (assumed.item_sd**2 + assumed.residual_sd**2 / assumed.per_dialogue)
    else:
        middle = (assumed.base or 0) + assumed.difference / 2
        variance = 2 * middle * (1 - middle) / assumed.per_dialogue
    return max(2, ceil(variance * (wanted / assumed.difference) ** 2))


def _least(assumed: Assumptions) -> int:
    """A study in which every rater has a block; ten blocks at least, for intervals to be any good."""
    return max(10, ceil(assumed.raters / assumed.per_dialogue))


def _check(power: float, pay: float | None, simulations: int, most: int) -> None:
    if not 0 < power < 1:
        raise InputError(f"A power must be between 0 and 1; got {power}.")
    if simulations < 20:
        raise InputError(f"A power needs 20 simulated studies or more; got {simulations}.")
    if most < 2:
        raise InputError(f"A plan needs room for two dialogues or more; got {most}.")
    if pay is not None and not 0 <= pay < float("inf"):
        raise InputError(f"An hourly pay is a number of 0 or more; got {pay}.")


def _why_not(assumed: Assumptions, power: float, largest: PowerPoint) -> str:
    text = (
        f"with {assumed.raters} raters the power does not reach {power:g}: it is "
        f"{largest.power:.2f} with {largest.dialogues} dialogues"
    )
    between = assumed.rater_sd if assumed.outcome == "votes" else assumed.taste_sd
    if assumed.raters_are_fixed:
        return text
    if between:
        return f"{text}; raters differ in what they prefer, and only more raters help against that"
    return f"{text}; so few raters do not show that raters agree" if _is_few(assumed) else text


def _is_few(assumed: Assumptions) -> bool:
    return assumed.raters < FEW_RATERS


def _warnings(assumed: Assumptions, found: PowerPoint | None) -> list[str]:
    texts = []
    if assumed.raters_are_fixed:
        texts.append(
            "An analysis clustered by dialogue alone is about the difference that these raters see. "
            "Where raters are known, 'palaver compare' and 'palaver rank' cluster by rater, too."
        )
    elif _is_few(assumed):
        texts.append(
            f"{assumed.raters} raters say little of raters in general, so intervals are wide: with "
            "more raters fewer judgements are enough."
        )
    if found and found.blocks == _least(assumed):
        texts.append(
            "This is the smallest study that is considered (ten blocks, and one for every rater); "
            "a smaller one may do."
        )
    return texts
