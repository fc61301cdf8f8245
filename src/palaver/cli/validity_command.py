"""`palaver validity`: whether labels measure anything, and what they cost."""

from pathlib import Path

import click

from palaver.analysis.validity import Incremental, LabelCost, Validity, ValiditySettings, validity
from palaver.analysis.validity.sensitivity import METHODS
from palaver.cli import options
from palaver.cli.options import HOME, JSON, RATERS
from palaver.cli.printing import print_json
from palaver.cli.validity_input import Columns, from_study, from_table
from palaver.core.estimates import Estimate, as_percent
from palaver.reports.opening import is_study


@click.command("validity")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
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
@click.option("--pay", type=float, metavar="X", help="Pay per hour, for costs in money.")
@click.option("--width", type=float, metavar="W", help="Say what an interval this wide would cost.")
@click.option(
    "--test",
    type=click.Choice(list(METHODS)),
    default="dialogues",
    show_default=True,
    help="How systems are told apart: dialogues as clusters, or every row as independent.",
)
@click.option("--alpha", default=0.05, show_default=True, help="Level of significance.")
@click.option(
    "--beam", default=10, show_default=True, help="Sets of each size kept in backward elimination."
)
@options.bootstrap("Bootstrap draws.", metavar="N")
@options.confidence("Confidence of intervals.")
@options.seed("Seed of the bootstrap.")
@options.study("One study of several.")
@RATERS
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
    home: Path | None,
    as_json: bool,
) -> None:
    """Say how well the labels of PATH foretell quality, tell systems apart, and what they cost.

    PATH is a table with one judgement per row (dialogue, label, value, and if known system, rater
    and seconds), or a study or a bundle.
    """
    if is_study(path):
        given = from_study(path, quality, study=study, home=home, raters=raters)
    else:
        columns = Columns(dialogue, label, value, system, rater, unit, seconds, against)
        given = from_table(path, quality, columns)
    found = validity(
        given.scores,
        quality,
        comparisons=given.comparisons,
        timed=given.timed,
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
    _say(found, width)


def _say(found: Validity, width: float | None) -> None:
    click.echo(
        f"Labels of {found.dialogues} dialogues, and how far they foretell '{found.quality}'"
    )
    _predictive(found)
    if found.incremental:
        _incremental(found.incremental)
    _sensitivity(found)
    _cost(found.cost, width)
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")


def _predictive(found: Validity) -> None:
    wide = max(len(each.label) for each in found.predictive)
    click.echo("\nPredictive validity")
    click.echo(f"  {'label':<{wide}}      R²  interval          slope        p     n")
    for each in found.predictive:
        if not each.r2.is_defined:
            click.echo(f"  {each.label:<{wide}}  undefined: {each.r2.reason}")
            continue
        click.echo(
            f"  {each.label:<{wide}}  {each.r2.value:6.3f}  {_ends(each.r2):<16}"
            f"{each.slope:7.3g}  {each.p:7.2g}  {each.r2.n:4d}"
        )
    method = next((each.r2.method for each in found.predictive if each.r2.method), "")
    if method:
        click.echo(f"  By {method}.")


def _ends(estimate: Estimate) -> str:
    ends = estimate.interval
    return f"[{ends.low:.3f}, {ends.high:.3f}]" if ends else "no interval"


def _incremental(found: Incremental) -> None:
    click.echo("\nIncremental validity")
    if found.reason:
        click.echo(f"  undefined: {found.reason}")
    if found.steps:
        click.echo("  labels      R²  adjusted  p against all  left out at this step")
    for step in found.steps:
        mark = "*" if step is found.chosen else " "
        p = f"{step.p:.2g}" if step.p == step.p else "–"
        back = f"; back: {', '.join(step.returned)}" if step.returned else ""
        click.echo(
            f" {mark}{len(step.labels):7d}  {step.r2:6.3f}  {step.adjusted:8.3f}  {p:>13}  "
            f"{', '.join(step.dropped) or '–'}{back}"
        )
    if found.chosen:
        click.echo(f"  * {found.criterion}: {', '.join(found.chosen.labels)}.")
        click.echo(f"  By {found.method}; {found.dialogues} dialogues.")
    for label, why in found.left_out.items():
        click.echo(f"  Without '{label}': {why}.")


def _sensitivity(found: Validity) -> None:
    if not found.sensitivity:
        return
    wide = max(len(each.label) for each in found.sensitivity)
    click.echo("\nSensitivity: pairs of systems told apart")
    for each in found.sensitivity:
        click.echo(
            f"  {each.label:<{wide}}  {each.apart:3d} of {len(each.pairs)} ({as_percent(each.share)}), "
            f"{each.unadjusted} without correction"
        )
    for method in dict.fromkeys(each.method for each in found.sensitivity):
        click.echo(f"  By {method}.")
    first = found.sensitivity[0]
    click.echo(f"  At {first.alpha:g}; correction: {first.correction}.")


def _cost(costs: tuple[LabelCost, ...], width: float | None) -> None:
    if not costs:
        return
    wide = max(len(each.label) for each in costs)
    click.echo("\nCost: seconds per judgement and per dialogue, median and mean")
    for each in costs:
        if each.reason:
            click.echo(f"  {each.label:<{wide}}  {each.reason}")
            continue
        price = "" if each.cost_per_dialogue is None else f"  {each.cost_per_dialogue:.2f} each"
        reach = ""
        if each.dialogues_for_width is not None:
            paid = "" if each.cost_for_width is None else f" at {each.cost_for_width:.2f}"
            reach = f"; {each.dialogues_for_width} dialogues{paid} for a width of {width:g}"
        click.echo(
            f"  {each.label:<{wide}}  {each.median_seconds:6.1f} {each.mean_seconds:6.1f}  "
            f"{each.median_dialogue_seconds:7.1f} {each.mean_dialogue_seconds:7.1f}{price}{reach}"
        )
