"""`palaver metrics`: what can be computed, what each means, and the score of two files."""

import math
import textwrap
from collections.abc import Mapping
from pathlib import Path

import click

from palaver.cli.options import IN_FILE, JSON, METRIC_OPTIONS, parsed_options
from palaver.cli.output import json_line, print_json, prose_width, table_text
from palaver.core.serial import plain
from palaver.core.words import measured
from palaver.metrics import FAMILIES, Metric, Score, find_metric, known_metrics, score_files

CLASS_NUMBERS = ("precision", "recall", "f1", "support")
ARROWS = {"higher": "higher is better", "lower": "lower is better", "none": "no direction"}
BETTER = {"higher": "higher", "lower": "lower", "none": "–"}


@click.command("metrics")
@click.argument("name", required=False)
@click.option("--family", type=click.Choice(FAMILIES), help="List the metrics of one family only.")
@click.option(
    "--pred",
    type=IN_FILE,
    metavar="FILE",
    help="Score these predictions with NAME: lines of text, JSON lines or JSON.",
)
@click.option(
    "--ref",
    type=IN_FILE,
    metavar="FILE",
    help="The references that --pred is scored against.",
)
@METRIC_OPTIONS
@click.option("--items", is_flag=True, help="With --pred and --json: also the value of each item.")
@JSON
def command(
    name: str | None,
    family: str | None,
    pred: Path | None,
    ref: Path | None,
    options: tuple[str, ...],
    items: bool,
    as_json: bool,
) -> None:
    """List the metrics, explain what NAME measures, or score a file with it.

    NAME is a metric of the list, or module:function for one of your own in this folder.
    """
    if pred is None and (ref is not None or options or items):
        raise click.UsageError("--ref, --option and --items need --pred.")
    if name is None:
        if pred is not None:
            raise click.UsageError("--pred needs the NAME of a metric.")
        _list(family, as_json=as_json)
    elif family is not None:
        raise click.UsageError("--family is for the list; leave NAME out.")
    elif pred is None:
        _explain(find_metric(name), as_json=as_json)
    else:
        metric = find_metric(name)
        score = score_files(metric, pred, ref, parsed_options(options))
        _say(score, metric, items=items, as_json=as_json)


def _list(family: str | None, *, as_json: bool) -> None:
    metrics = [metric for metric in known_metrics() if family in (None, metric.family)]
    if as_json:
        print_json({"metrics": metrics})
        return
    rows = [("metric", "family", "better", "range", "title")]
    rows += [
        (metric.name, metric.family, BETTER[metric.direction], _range(metric), metric.title)
        for group in FAMILIES
        for metric in metrics
        if metric.family == group
    ]
    click.echo(table_text(rows))
    click.echo("\nMore about one: palaver metrics NAME. To score: palaver metrics NAME --pred FILE")


def _explain(metric: Metric, *, as_json: bool) -> None:
    if as_json:
        print_json(metric)
        return
    click.echo(f"{metric.name}: {metric.title}\n{textwrap.fill(metric.about, prose_width())}\n")
    rows = {
        "family": metric.family,
        "direction": ARROWS[metric.direction],
        "unit": metric.unit,
        "range": _range(metric),
        "predictions": metric.predictions.words,
        "references": metric.references.words if metric.references else "none",
        "per item": "yes, the value is their mean" if metric.decomposes else "no",
        "needs": f"pip install 'palaver[{metric.extra}]'" if metric.extra else "",
        "paper": metric.paper,
    }
    for name, value in rows.items():
        if value:
            _row(name, value)
    for name, meaning in metric.options.items():
        _row("option", f"{name}: {meaning}")
    if metric.example:
        example = metric.example
        click.echo("\nExample")
        _row("  predictions", json_line(example.predictions))
        if example.references is not None:
            _row("  references", json_line(example.references))
        if example.options:
            _row("  options", json_line(dict(example.options)))
        _row("  value", f"{example.value:.6g}")


def _row(name: str, value: str) -> None:
    click.echo(
        textwrap.fill(
            value,
            prose_width(),
            initial_indent=f"{name:<14}",
            subsequent_indent=" " * 14,
            break_on_hyphens=False,
        )
    )


def _say(score: Score, metric: Metric, *, items: bool, as_json: bool) -> None:
    if as_json:
        print_json({**plain(score), "per_item": score.per_item} if items else score)
        return
    unit = f" {metric.unit}" if metric.unit and score.is_defined else ""
    reason = f": {score.reason}" if score.reason else ""
    click.echo(f"{metric.name}  {measured(score.value)}{reason}{unit}  (n = {score.n:,})")
    click.echo(f"{metric.title}; {ARROWS[metric.direction]}; range {_range(metric)}")
    if score.signature:
        click.echo(f"signature: {score.signature}")
    classes = [
        (str(row["label"]), *(_cell(row[key]) for key in CLASS_NUMBERS))
        for row in score.parts.get("classes", [])
    ]
    if classes:
        click.echo(table_text([("class", *CLASS_NUMBERS), *classes], indent="  "))
    parts = [
        (key, _cell(value["value"]), _cell(value["n"]))
        if isinstance(value, Mapping)
        else (key, _cell(value), "")
        for key, value in score.parts.items()
        if isinstance(value, int | float) or (isinstance(value, Mapping) and "value" in value)
    ]
    if parts:
        click.echo(table_text([("part", "value", "n"), *parts], indent="  "))
    for warning in score.warnings:
        click.echo(f"Warning: {warning}")


def _cell(value: float) -> str:
    return measured(value) if isinstance(value, float) else f"{value:,}"


def _range(metric: Metric) -> str:
    low = "-∞" if math.isinf(metric.low) else f"{metric.low:g}"
    high = "∞" if math.isinf(metric.high) else f"{metric.high:g}"
    return f"{low} to {high}"
