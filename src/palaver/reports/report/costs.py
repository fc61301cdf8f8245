"""The part on what a study cost: money by what it was for, and what an hour was really paid."""

from collections.abc import Iterator
from typing import Any

from palaver.core.money import Money, minor_digits
from palaver.reports.report.parts import ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import Subject
from palaver.studies.recruiting.money.costs import StudyCosts
from palaver.studies.recruiting.money.wages import WageMeter

PANEL = "The numbers are those of the recruiting at the panel, as its list was read last."
PROMISES = (
    "Nobody was recruited from here: the numbers are what the study file promises to those who came, "
    "not what was seen to be paid."
)


def costs_part(subject: Subject) -> ReportPart | None:
    """What the study cost; None where it says nothing of pay, or nobody is owed anything yet."""
    costs = subject.costs
    if costs is None or not (costs.total or costs.open or costs.unknown):
        return None
    return ReportPart(
        anchor="costs",
        title="What it cost",
        lead=costs.words,
        notes=tuple(meter.words for meter in costs.meters if meter.seconds.is_defined),
        warnings=costs.warnings,
        tables=(_money_table(costs), _wage_table(costs)),
        methods=(
            "The hourly pay is the reward over the median of the times that people took, waiting "
            "included, with the interval of that median."
        ),
    )


def _money_table(costs: StudyCosts) -> ResultTable:
    rows = [{"item": item, "amount": amount} for item, amount in _items(costs)]
    return ResultTable(
        slug="costs",
        title="Money by what it was for",
        columns=(
            ReportColumn("item", "For"),
            ReportColumn("amount", f"Amount ({costs.currency})", "money"),
        ),
        rows=rows,
        note=PANEL if costs.source == "panel" else PROMISES,
    )


def _items(costs: StudyCosts) -> Iterator[tuple[str, float | None]]:
    def major(minor: float | None) -> float | None:
        return None if minor is None else minor / 10 ** minor_digits(costs.currency)

    yield "Rewards", major(costs.rewards)
    yield "Parts of the reward", major(costs.parts)
    yield "Waiting", major(costs.waiting)
    if costs.source == "panel":
        yield "Bonuses", major(costs.bonuses)
        yield "Adjustments", major(costs.adjustments)
        yield "The panel's fees", major(costs.fees)
    yield "In all", major(costs.total)
    if costs.source == "panel":
        yield "Still to be decided or paid", major(costs.open)
    if costs.unknown:
        yield "Sent, and nobody knows whether paid", major(costs.unknown)
    yield "For each person who finished", major(costs.per_finished)
    if costs.answers:
        yield "For each answer that counts", major(costs.per_answer)
    if costs.dialogues:
        yield "For each dialogue", major(costs.per_dialogue)
    if costs.budget is not None and costs.budget.limit is not None:
        yield "Budget", major(costs.budget.limit)
        yield "Spoken for in it", major(costs.budget.spoken_for)


def _wage_table(costs: StudyCosts) -> ResultTable:
    rows = [_wage_row(meter) for meter in costs.meters]
    money = f" ({costs.currency})"
    return ResultTable(
        slug="wages",
        title="Pay for an hour",
        columns=(
            ReportColumn("reward", f"Reward{money}", "money"),
            ReportColumn("minutes", "Minutes promised", "whole"),
            ReportColumn("promised", f"Promised an hour{money}", "money"),
            ReportColumn("median", "Median minutes", "seconds"),
            ReportColumn("hourly", f"Really an hour{money}", "money"),
            ReportColumn("interval", "95 % interval", "money"),
            ReportColumn("n", "n", "whole"),
            ReportColumn("minimum", f"Panel's minimum{money}", "money"),
            ReportColumn("recommended", f"It recommends{money}", "money"),
        ),
        rows=rows,
    )


def _wage_row(meter: WageMeter) -> dict[str, Any]:
    unit = 10 ** minor_digits(meter.currency)

    def major(minor: float | None) -> float | None:
        return None if minor is None else minor / unit

    hourly, took = meter.hourly, meter.seconds
    ends = hourly.interval if hourly.is_defined else None
    return {
        "reward": float(Money(meter.reward, meter.currency).major),
        "minutes": meter.minutes,
        "promised": major(meter.promised),
        "median": took.value / 60 if took.is_defined else None,
        "hourly": major(hourly.value) if hourly.is_defined else None,
        "interval": None if ends is None else (ends.low / unit, ends.high / unit),
        "n": took.n,
        "minimum": major(meter.minimum),
        "recommended": major(meter.recommended),
    }
