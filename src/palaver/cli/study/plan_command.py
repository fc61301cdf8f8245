"""`palaver plan`: how large a study must be, before money is spent."""

from collections.abc import Container
from pathlib import Path
from typing import get_args

import click

from palaver.analysis.planning import Plan, assume, plan
from palaver.analysis.planning.assumptions import Cluster, Outcome
from palaver.analysis.planning.plan import MOST_DIALOGUES, SIMULATIONS
from palaver.analysis.planning.sequential import check_votes
from palaver.cli import options
from palaver.cli.options import IN_FILE, JSON
from palaver.cli.output import print_json, table_text
from palaver.cli.study.plan_pilot import Pilot, PilotColumns, read_pilot
from palaver.cli.study.plan_sequential import say_sequential
from palaver.core.serial import plain
from palaver.core.studies.stops import Until
from palaver.core.words import measured, percent

NAMES = {
    "rater_sd": "deviation between raters",
    "taste_sd": "deviation of raters' differences",
    "item_sd": "deviation between dialogues",
    "residual_sd": "residual deviation",
    "ties": "ties of equal systems",
    "base": "proportion of the worse system",
    "minutes": "minutes per judgement",
}


@click.command("plan")
@click.option(
    "--difference", type=float, required=True, metavar="D", help="The difference to look for."
)
@click.option(
    "--power", default=0.8, show_default=True, metavar="P", help="The chance of finding it."
)
@click.option("--raters", type=int, required=True, metavar="R", help="How many raters there are.")
@click.option(
    "--outcome",
    type=click.Choice(get_args(Outcome)),
    help="What is judged. Default: what is in the pilot, else votes.",
)
@click.option("--per-dialogue", default=1, show_default=True, help="Raters per dialogue.")
@click.option("--systems", default=2, show_default=True, metavar="K", help="How many systems.")
@click.option("--alpha", default=0.05, show_default=True, help="Level of significance, two-sided.")
@click.option(
    "--cluster",
    type=click.Choice(get_args(Cluster)),
    help="What the analysis clusters by. Default: rater, and dialogue if it has several.",
)
@click.option("--ties", type=float, metavar="T", help="Votes: how often equal systems tie.")
@click.option("--base", type=float, metavar="B", help="Proportion: that of the worse system.")
@click.option("--rater-sd", type=float, metavar="SD", help="Standard deviation between raters.")
@click.option(
    "--taste-sd", type=float, metavar="SD", help="Standard deviation of raters' preferences."
)
@click.option("--item-sd", type=float, metavar="SD", help="Standard deviation between dialogues.")
@click.option(
    "--residual-sd", type=float, metavar="SD", help="Rating: residual standard deviation."
)
@click.option(
    "--sd", type=float, metavar="SD", help="Rating: deviation within a rater, with --icc."
)
@click.option(
    "--icc", type=float, metavar="X", help="Rating: share of it that lies between dialogues."
)
@click.option(
    "--pilot",
    type=IN_FILE,
    help="A table of judgements to estimate the deviations from.",
)
@options.column("unit", "Pilot: what is judged, else dialogue.", usual="unit")
@options.column("rater", "Pilot: who judged.", usual="rater")
@options.column("value", "Pilot: the value.", usual="value")
@options.column("system", "Pilot: system, if any.", usual="system")
@options.column("seconds", "Pilot: time, if any.", usual="seconds")
@options.column("a", "Pilot: first system.", usual="model_a")
@options.column("b", "Pilot: second system.", usual="model_b")
@options.column("winner", "Pilot: who won.", usual="winner")
@click.option(
    "--minutes",
    type=float,
    metavar="M",
    help="Minutes per judgement. Default: the pilot's, else 2.",
)
@click.option("--pay", type=float, metavar="X", help="Pay per hour, for the cost.")
@click.option(
    "--simulations", default=SIMULATIONS, show_default=True, help="Simulated studies of each size."
)
@click.option(
    "--most", default=MOST_DIALOGUES, show_default=True, help="The most dialogues to consider."
)
@click.option(
    "--sequential",
    is_flag=True,
    help="Votes: what it costs to stop as soon as votes decide, beside the fixed plan.",
)
@click.option(
    "--until",
    type=click.Choice(get_args(Until)),
    default="order",
    show_default=True,
    help="Sequential: what is to be decided.",
)
@click.option(
    "--within",
    default=5.0,
    show_default=True,
    metavar="POINTS",
    help="Sequential: systems whose win rate is this near to 50 % count as equal.",
)
@click.option(
    "--at-most",
    type=click.IntRange(min=1),
    metavar="N",
    help="Sequential: the most votes. Default: three times those of the fixed plan.",
)
@options.seed()
@JSON
def command(
    difference: float,
    power: float,
    raters: int,
    outcome: Outcome | None,
    per_dialogue: int,
    systems: int,
    alpha: float,
    cluster: Cluster | None,
    ties: float | None,
    base: float | None,
    rater_sd: float | None,
    taste_sd: float | None,
    item_sd: float | None,
    residual_sd: float | None,
    sd: float | None,
    icc: float | None,
    pilot: Path | None,
    unit: str,
    rater: str,
    value: str,
    system: str,
    seconds: str,
    a: str,
    b: str,
    winner: str,
    minutes: float | None,
    pay: float | None,
    simulations: int,
    most: int,
    sequential: bool,
    until: Until,
    within: float,
    at_most: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Find out how many dialogues and votes are needed to show a difference, and what they cost.

    Studies are simulated from assumptions or from a pilot, and analysed as `palaver rank` and
    `palaver compare` would; the smallest one that finds the difference often enough is the answer.
    """
    learned = None
    if pilot is not None:
        columns = PilotColumns(unit, rater, value, system, seconds, a, b, winner)
        learned = read_pilot(pilot, columns, outcome)
    given = {
        "rater_sd": rater_sd,
        "taste_sd": taste_sd,
        "item_sd": item_sd,
        "residual_sd": residual_sd,
        "ties": ties,
    }
    chosen: Outcome = outcome or (learned.outcome if learned else "votes")
    if sequential:
        check_votes(chosen)
    known = _from_pilot(learned, with_icc=sd is not None or icc is not None)
    stated = {name: number for name, number in given.items() if number is not None}
    assumed = assume(
        chosen,
        difference,
        raters,
        per_dialogue=per_dialogue,
        systems=systems,
        alpha=alpha,
        cluster=cluster,
        base=_base(base, learned, difference),
        minutes=_first(minutes, learned.minutes if learned else None, 2.0),
        sd=sd,
        icc=icc,
        **{**known, **stated},
    )
    found = plan(
        assumed,
        power=power,
        pay=pay,
        simulations=simulations,
        seed=seed,
        most=most,
        warnings=learned.warnings if learned else (),
    )
    if sequential:
        say_sequential(
            found,
            until=until,
            within=within,
            at_most=at_most,
            simulations=simulations,
            seed=seed,
            as_json=as_json,
        )
        return
    if as_json:
        document = plain(found)
        document["assumptions"]["pilot"] = str(pilot) if pilot else None
        print_json(document)
        return
    _say(found, stated.keys(), known.keys())


def _from_pilot(learned: Pilot | None, *, with_icc: bool) -> dict[str, float]:
    if learned is None:
        return {}
    replaced = {"item_sd", "residual_sd"} if with_icc else set()
    return {name: value for name, value in learned.deviations.items() if name not in replaced}


def _base(base: float | None, learned: Pilot | None, difference: float) -> float | None:
    if base is not None or learned is None or learned.base is None:
        return base
    # The pilot's proportion is in the middle of the two that are to be distinguished, where it can be.
    middle = learned.base - difference / 2
    return min(max(middle, 0.01), 0.99 - difference) if difference < 0.98 else None


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)


def _say(found: Plan, stated: Container[str], known: Container[str]) -> None:
    assumed = found.assumptions
    what = "comparisons" if assumed.outcome == "votes" else "dialogues"
    if found.point is None:
        click.echo(f"No plan: {found.reason}.")
    else:
        ends = found.point.power_interval
        power = measured(found.point.power, ends.low, ends.high, write=percent)
        each = (
            "" if assumed.per_dialogue == 1 else f", each judged by {assumed.per_dialogue} raters"
        )
        click.echo(
            f"{found.dialogues} {what}{each}: {found.votes} judgements by {assumed.raters} raters"
        )
        click.echo(f"  per rater       {found.dialogues_per_rater}")
        click.echo(f"  power           {power}")
        click.echo(f"  hours           {found.hours:.1f}")
        if found.cost is not None:
            click.echo(f"  cost            {found.cost:.2f} at {found.pay:g} an hour")
    click.echo(f"\nTo find a difference of {assumed.difference:g}: {assumed.meaning}.")
    click.echo(f"By {found.method}.")
    click.echo("\nAssumed")
    rows = [("assumption", "value", "source")]
    for name, title in NAMES.items():
        number = getattr(assumed, name)
        if number or name == "minutes":
            rows.append((title, f"{number:.3g}", _source(name, stated, known)))
    click.echo(table_text(rows, indent="  "))
    click.echo("\nPower by size")
    curve = [(f"{point.dialogues:,}", percent(point.power)) for point in found.curve]
    click.echo(table_text([(what, "power"), *curve], indent="  "))
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")


def _source(name: str, stated: Container[str], known: Container[str]) -> str:
    if name in stated:
        return "given"
    return "the pilot" if name in known else "usual"
