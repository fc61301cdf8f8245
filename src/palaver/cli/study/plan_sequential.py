"""`palaver plan --sequential`: what a study costs that stops by a rule."""

import click

from palaver.analysis.planning.plan import Plan
from palaver.analysis.planning.sequential import SequentialPlan, sequential_plan
from palaver.cli.output import print_json, table_text
from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.core.studies.stops import Until
from palaver.core.words import percent

UNTIL = {"order": "the order is decided", "leader": "the leader is decided"}


def say_sequential(
    fixed: Plan,
    *,
    until: Until,
    within: float,
    at_most: int | None,
    simulations: int,
    seed: int,
    as_json: bool,
) -> None:
    """Print what it costs; `within` is in points."""
    if not 0 < within < 50:
        raise InputError(f"A margin of equality is above 0 and below 50 points; got {within:g}.")
    found = sequential_plan(
        fixed,
        until=until,
        within=within / 100,
        at_most=at_most,
        simulations=simulations,
        seed=seed,
    )
    if as_json:
        print_json(plain(found))
        return
    _say(found)


def _say(found: SequentialPlan) -> None:
    rule = found.rule
    click.echo(
        f"Stop when {UNTIL[rule.until]} or every open pair is within ±{100 * rule.within:g} points, "
        f"at most {rule.at_most:,} votes."
    )
    fixed = (
        "none reaches the power" if found.fixed_votes is None else f"{found.fixed_votes:,} votes"
    )
    click.echo(f"Fixed plan, looked at once: {fixed}.\n")
    head = ["", "mean votes", "median", "9 in 10", "raters (9 in 10)"]
    head += [*(["mean cost"] if found.pay is not None else []), "right", "wrong", "undecided"]
    rows = [head]
    for name, course in (
        (f"one better by {100 * found.assumptions.difference:g} points", found.better),
        ("all equal", found.equal),
    ):
        row = [name, f"{course.mean:,.0f}", f"{course.median:,}", f"{course.nine_in_ten:,}"]
        row.append(f"{course.raters:,}")
        row += [f"{course.cost:,.2f}"] if course.cost is not None else []
        row += [percent(course.right), percent(course.wrong), percent(course.nothing)]
        rows.append(row)
    click.echo(table_text(rows))
    click.echo(
        f"\n{found.per_rater} votes of each rater, one rater after the other. By {found.method}."
    )
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")
