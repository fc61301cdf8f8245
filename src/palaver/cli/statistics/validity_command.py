"""`palaver validity`: whether labels measure anything, and what they cost."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from palaver.analysis.validity import (
    Incremental,
    LabelCost,
    SetValidity,
    Validity,
    ValiditySettings,
    validity,
)
from palaver.analysis.validity.incremental import EliminationStep
from palaver.analysis.validity.sensitivity import METHODS
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, StudyOption
from palaver.cli.output import print_json, table_text, with_interval, without_interval
from palaver.cli.sources import is_of_study
from palaver.cli.statistics.validity_choices import Annotators, ValidityChoices, Whose, chosen
from palaver.cli.statistics.validity_input import Columns, from_table
from palaver.cli.statistics.validity_study import from_study
from palaver.core.words import UNDEFINED, coefficient, decimals, measured, percent

STEP_HEADINGS = ("labels", "R²", "adjusted", "p against all", "left out at this step")
SET_HEADINGS = ("set", "labels", "R²", "adjusted", "best labels", "adjusted of best", "dialogues")
COST_HEADINGS = (
    *("label", "judgement median", "judgement mean", "dialogue median", "dialogue mean"),
    *("cost per dialogue", "needed", "their cost"),
)


@click.command("validity")
@DATA_PATH
@click.option(
    "--quality", required=True, metavar="LABEL", help="The label that is overall quality."
)
@options.column("dialogue", "Column of dialogues.", usual="dialogue")
@options.column("label", "Column of labels.", usual="label")
@options.column("value", "Column of values.", usual="value")
@options.column("system", "Column of systems. Default: system, if there is one.")
@options.column("rater", "Column of raters. Default: rater, if there is one.")
@options.column("unit", "Column of units. Default: unit, if there is one.")
@options.column("seconds", "Column of times. Default: seconds, if there is one.")
@options.column(
    "against", "Quality is a comparison: column of the other dialogue; values are -1, 0 and 1."
)
@options.column("own", "Column that says whether the rater held the dialogue: yes or no.")
@click.option(
    "--quality-by",
    type=click.Choice(get_args(Whose)),
    help="Quality from those who held the dialogue (own), or from others. Default: both together.",
)
@click.option(
    "--quality-from",
    cls=StudyOption,
    metavar="STUDY",
    help="Quality from another study of the home, for the same dialogues.",
)
@click.option(
    "--labels",
    "labels",
    multiple=True,
    metavar="A,B",
    help="A set of labels or questions: names, patterns (*_likert), or behaviours, likert or "
    "likert_turn. May be given more than once, to compare sets. Default: all labels.",
)
@click.option(
    "--annotators",
    type=click.Choice(get_args(Annotators)),
    default="all",
    show_default=True,
    help="Where several judged a dialogue: all of them, one by chance (--seed), or the first.",
)
@click.option("--pay", type=float, metavar="X", help="Pay per hour, for costs in money.")
@click.option(
    "--width", type=float, metavar="W", help="Show what an interval this wide would cost."
)
@click.option(
    "--test",
    type=click.Choice(list(METHODS)),
    default="dialogues",
    show_default=True,
    help="How systems are distinguished: dialogues as clusters, or every row as independent.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of significance.")
@click.option(
    "--beam", default=10, show_default=True, help="Sets of each size kept in backward elimination."
)
@options.bootstrap()
@options.confidence()
@options.seed()
@options.study()
@options.raters()
@options.SECTIONS
@HOME
@JSON
def command(
    path: Path,
    quality: str,
    dialogue: str,
    label: str,
    value: str,
    system: str | None,
    rater: str | None,
    unit: str | None,
    seconds: str | None,
    against: str | None,
    own: str | None,
    quality_by: Whose | None,
    quality_from: str | None,
    labels: tuple[str, ...],
    annotators: Annotators,
    pay: float | None,
    width: float | None,
    test: str,
    alpha: float,
    beam: int,
    bootstrap: int,
    confidence: float,
    seed: int,
    study: str | None,
    raters: str,
    sections: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> None:
    """Measure how well labels predict quality and distinguish systems, and what they cost.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json; - for CSV from a pipe) with one row per judgement: dialogue, label, value, and if
    known system, rater and seconds. The labels of an export are read as they are.
    """
    if own is not None and quality_by is None:
        raise click.UsageError(
            "--own says who held each dialogue; say whose quality: --quality-by."
        )
    if is_of_study(path):
        judged = from_study(
            path,
            quality,
            study=study,
            home=home,
            raters=raters,
            sections=sections,
            quality_from=quality_from,
        )
    else:
        columns = Columns(dialogue, label, value, system, rater, unit, seconds, against, own)
        judged = from_table(path, quality, columns)
    choices = ValidityChoices(
        quality_by=quality_by, annotators=annotators, seed=seed, labels=labels
    )
    given = chosen(judged, quality, choices)
    found = validity(
        given.scores,
        quality,
        comparisons=given.comparisons,
        timed=given.timed,
        sets=given.sets,
        basis=given.basis,
        settings=ValiditySettings(
            resamples=bootstrap,
            confidence=confidence,
            seed=seed,
            beam=beam,
            alpha=alpha,
            test="rows" if test == "rows" else "dialogues",
            pay=pay,
            width=width,
        ),
    )
    if as_json:
        print_json(found)
        return
    _say(found, width, confidence)


def _say(found: Validity, width: float | None, confidence: float) -> None:
    click.echo(
        f"Labels of {found.dialogues} dialogues, and how well they predict '{found.quality}'"
    )
    for sentence in found.basis:
        click.echo(sentence)
    _predictive(found, confidence)
    if found.incremental:
        _incremental(found.incremental)
    if len(found.sets) > 1:
        _sets(found.sets)
    for each in found.sets:
        _incremental(each.incremental, each.name)
    _sensitivity(found)
    _cost(found.cost, width)
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")


def _predictive(found: Validity, confidence: float) -> None:
    click.echo("\nPredictive validity")
    rows = [("label", with_interval("R²", confidence), "slope", "p", "n")]
    for each in found.predictive:
        numbers = ("", "")
        if each.r2.is_defined:
            numbers = f"{each.slope:.3g}", f"{each.p:.2g}"
        rows.append((each.label, each.r2.written(coefficient), *numbers, f"{each.r2.n:,}"))
    click.echo(table_text(rows, indent="  "))
    for each in found.predictive:
        if not each.r2.is_defined:
            click.echo(f"  {each.label}: {UNDEFINED}, because {each.r2.reason}.")
    for note in without_interval((each.label, each.r2) for each in found.predictive):
        click.echo(f"  {note}")
    method = next((each.r2.method for each in found.predictive if each.r2.method), "")
    if method:
        click.echo(f"  By {method}.")


def _sets(sets: Sequence[SetValidity]) -> None:
    """What each set explains together: all its labels, and the best of its subsets."""
    click.echo("\nSets of labels compared")
    rows: list[tuple[str, ...]] = [SET_HEADINGS]
    rows += [_set_row(each) for each in sets]
    click.echo(table_text(rows, indent="  "))


def _set_row(each: SetValidity) -> tuple[str, ...]:
    found = each.incremental
    head, tail = (each.name, f"{len(each.labels):,}"), f"{found.dialogues:,}"
    if not found.steps or found.chosen is None:
        return (*head, UNDEFINED, UNDEFINED, "–", UNDEFINED, tail)
    whole, best = found.steps[0], found.chosen
    shown = [measured(value, write=coefficient) for value in (whole.r2, whole.adjusted)]
    return (*head, *shown, f"{best.size:,}", measured(best.adjusted, write=coefficient), tail)


def _incremental(found: Incremental, name: str = "") -> None:
    click.echo(f"\nIncremental validity{f': {name}' if name else ''}")
    if found.reason:
        click.echo(f"  {UNDEFINED}: {found.reason}")
    if found.steps:
        rows: list[tuple[str, ...]] = [STEP_HEADINGS]
        rows += [_step(step, is_chosen=step is found.chosen) for step in found.steps]
        click.echo(table_text(rows, indent="  "))
    if found.chosen:
        click.echo(f"  * {found.criterion}: {', '.join(found.chosen.labels)}.")
        click.echo(f"  By {found.method}; {found.dialogues} dialogues.")
    for label, why in found.left_out.items():
        click.echo(f"  Without '{label}': {why}.")


def _step(step: EliminationStep, *, is_chosen: bool) -> tuple[str, ...]:
    p = f"{step.p:.2g}" if step.p == step.p else "–"
    back = f"; back: {', '.join(step.returned)}" if step.returned else ""
    return (
        f"{len(step.labels)}{' *' if is_chosen else ''}",
        measured(step.r2, write=coefficient),
        measured(step.adjusted, write=coefficient),
        p,
        f"{', '.join(step.dropped) or '–'}{back}",
    )


def _sensitivity(found: Validity) -> None:
    if not found.sensitivity:
        return
    click.echo("\nSensitivity: pairs of systems distinguished")
    rows = [("label", "distinguished", "share", "without correction")]
    rows += [
        (
            each.label,
            f"{each.apart} of {len(each.pairs)}",
            measured(each.share, write=percent),
            str(each.unadjusted),
        )
        for each in found.sensitivity
    ]
    click.echo(table_text(rows, indent="  "))
    for method in dict.fromkeys(each.method for each in found.sensitivity):
        click.echo(f"  By {method}.")
    first = found.sensitivity[0]
    click.echo(f"  At {first.alpha:g}; correction: {first.correction}.")


def _cost(costs: tuple[LabelCost, ...], width: float | None) -> None:
    if not costs:
        return
    click.echo("\nCost: seconds per judgement and per dialogue")
    rows: list[tuple[str, ...]] = [COST_HEADINGS]
    rows += [_cost_row(cost) for cost in costs if not cost.reason]
    if len(rows) > 1:
        click.echo(table_text(_without_empty(rows), indent="  "))
    for cost in costs:
        if cost.reason:
            click.echo(f"  {cost.label}: {cost.reason}")
    if width is not None and any(cost.dialogues_for_width is not None for cost in costs):
        click.echo(f"  Needed: dialogues for an interval of R² that is {width:g} wide.")


def _cost_row(each: LabelCost) -> tuple[str, ...]:
    seconds = (
        *(each.median_seconds, each.mean_seconds),
        *(each.median_dialogue_seconds, each.mean_dialogue_seconds),
    )
    needed = each.dialogues_for_width
    return (
        each.label,
        *(decimals(value, 1) for value in seconds),
        "" if each.cost_per_dialogue is None else decimals(each.cost_per_dialogue, 2),
        "" if needed is None else f"{needed:,}",
        "" if each.cost_for_width is None else decimals(each.cost_for_width, 2),
    )


def _without_empty(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The table without columns that hold nothing but their heading."""
    kept = [n for n in range(len(rows[0])) if any(row[n] for row in rows[1:])]
    return [[row[n] for n in kept] for row in rows]
