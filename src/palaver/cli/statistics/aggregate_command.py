"""`palaver aggregate`: one label, or one distribution, per unit from many raters' answers."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from palaver.analysis.aggregation import Aggregation, Answers, SoftLabels
from palaver.analysis.aggregation.dawid_skene import dawid_skene
from palaver.analysis.aggregation.mace import mace
from palaver.analysis.aggregation.majority import TIES, Ties, majority
from palaver.analysis.aggregation.soft_labels import LEVELS, Level, soft_labels
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, OUT_FILE, QUESTION, TableOption
from palaver.cli.output import print_json, table_text
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.serial import plain
from palaver.core.words import coefficient, measured
from palaver.formats.frames import MISSING_WORDS, Frame, read_frame
from palaver.reports.tables import csv_table
from palaver.reports.target import opened_study
from palaver.studies.review.evidence import MeasuredFacet, StudyEvidence

METHODS = ("majority", "dawid-skene", "mace")
# How many rows a terminal gets to see.
SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Given:
    """The answers, and the level at which their labels are measured."""

    answers: Answers
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    method: str
    soft: bool
    ties: str
    smoothing: float
    seed: int


@click.command("aggregate")
@DATA_PATH
@options.column("unit", "What is judged.", usual="unit")
@options.column("rater", "Who judged it.", usual="rater")
@options.column("value", "The label given.", usual="value")
@click.option(
    "--method",
    default="majority",
    show_default=True,
    type=click.Choice(METHODS),
    help="How one label is chosen.",
)
@click.option("--soft", is_flag=True, help="The distribution of the answers instead of one label.")
@click.option(
    "--level",
    cls=TableOption,
    type=click.Choice(LEVELS),
    help="The level of the labels; all but nominal ones also get a variance. Default: nominal.",
)
@click.option(
    "--order",
    cls=TableOption,
    metavar="A,B,…",
    help="The possible labels in their order. Default: sorted.",
)
@click.option(
    "--ties",
    default="none",
    show_default=True,
    type=click.Choice(tuple(TIES)),
    help="What a majority tie becomes.",
)
@click.option(
    "--smoothing",
    default=0.0,
    show_default=True,
    metavar="NUMBER",
    help="Added to each count of a soft label, or of a Dawid–Skene confusion matrix.",
)
@click.option(
    "--keep",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Label only this share of the units, the most certain ones.",
)
@QUESTION
@options.study()
@options.raters()
@options.SECTIONS
@HOME
@options.seed("The seed of random choices.")
@options.output("Write every unit to .csv or .jsonl.", OUT_FILE, metavar="FILE")
@JSON
def command(
    path: Path,
    unit: str,
    rater: str,
    value: str,
    method: str,
    soft: bool,
    level: str | None,
    order: str | None,
    ties: str,
    smoothing: float,
    keep: float | None,
    question: str | None,
    study: str | None,
    raters: str,
    sections: tuple[str, ...],
    home: Path | None,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Make one label per unit from the answers of several raters.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json; - for CSV from a pipe) with one row per unit and rater.
    """
    if is_of_study(path):
        with opened_study(path, study=study, home=home) as opened:
            given = _of_study(opened.evidence(raters=raters, sections=sections), question)
    else:
        given = _of_table(read_frame(path), (unit, rater, value), level, order)
    settings = _Settings(method=method, soft=soft, ties=ties, smoothing=smoothing, seed=seed)
    found = _aggregated(given, settings)
    kept = None
    if keep is not None:
        if isinstance(found, SoftLabels):
            raise click.UsageError("--keep chooses among labels; --soft gives distributions.")
        kept = found.most_certain(keep)
    rows = [_row(each, kept) for each in found.units]
    if output is not None:
        _write(rows, output)
    if as_json:
        chosen = {} if kept is None else {"kept": [u.unit for u in found.units if u.unit in kept]}
        print_json(plain(found) | chosen)
    else:
        _say(found, rows, output)


def _of_table(
    frame: Frame, columns: tuple[str, str, str], level: str | None, order: str | None
) -> _Given:
    unit, rater, value = columns
    measured = cast(Level, level or "nominal")
    labels = None if order is None else [each.strip() for each in order.split(",")]
    if labels is not None and measured in {"interval", "ratio"}:
        raise click.UsageError("--order is for text labels; numbers have their own order.")
    values = _texts(frame, value) if labels or measured == "nominal" else _numbers(frame, value)
    said = zip(frame.filled(unit), frame.filled(rater), values, strict=True)
    return _Given(Answers.of(said, labels=labels), measured)


def _texts(frame: Frame, column: str) -> list[Any]:
    return [
        None if cell is None or cell.strip().lower() in MISSING_WORDS else cell
        for cell in frame.texts(column)
    ]


def _numbers(frame: Frame, column: str) -> list[Any]:
    """Numbers, whole ones without a point; labels whose order nobody named must be some."""
    try:
        numbers = frame.numbers(column)
    except InputError as error:
        raise InputError(f"{error} Name the order of text labels with --order.") from error
    return [int(number) if number.is_integer() else number for number in numbers]


def _of_study(evidence: StudyEvidence, question: str | None) -> _Given:
    measured = _asked(evidence, question)
    facet, ratings = measured.facet, measured.ratings
    values = [facet.shown(code) for code in ratings.column("value")]
    said = zip(ratings.column("unit"), ratings.column("rater"), values, strict=True)
    labels = facet.scale if facet.level in {"nominal", "ordinal"} and facet.scale else None
    return _Given(Answers.of(said, labels=labels), facet.level)


def _asked(evidence: StudyEvidence, question: str | None) -> MeasuredFacet:
    known = {each.name: each for each in evidence.measured}
    if question is None and len(known) == 1:
        return next(iter(known.values()))
    if question is None:
        raise InputError(
            f"Name one question with --question: {', '.join(known)}."
            if known
            else "No question of this study has been answered yet."
        )
    if question not in known:
        hint = near(question, known) or f" Known: {', '.join(known) or 'none'}."
        raise InputError(f"No answered question '{question}'.{hint}")
    return known[question]


def _aggregated(given: _Given, settings: _Settings) -> Aggregation | SoftLabels:
    if settings.soft:
        return soft_labels(given.answers, level=given.level, smoothing=settings.smoothing)
    ways: dict[str, Callable[[], Aggregation]] = {
        "majority": lambda: majority(
            given.answers, ties=cast(Ties, settings.ties), seed=settings.seed
        ),
        "dawid-skene": lambda: dawid_skene(given.answers, pseudo_counts=settings.smoothing),
        "mace": lambda: mace(given.answers, seed=settings.seed),
    }
    return ways[settings.method]()


def _row(each: Any, kept: frozenset[Any] | None) -> dict[str, Any]:
    row = {key: cell for key, cell in plain(each).items() if key not in {"counts", "tied"}}
    shares = row.pop("distribution")
    if kept is not None and each.unit not in kept:
        row["label"] = None
    return row | {f"p({label})": share for label, share in shares.items()}


def _write(rows: list[dict[str, Any]], output: Path) -> None:
    kind = output.suffix.lower()
    if kind == ".jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        output.write_text(text, encoding="utf-8")
    elif kind == ".csv":
        csv_table(rows, output)
    else:
        raise click.UsageError(f"{output.name}: labels are written to .csv or .jsonl.")


def _say(found: Aggregation | SoftLabels, rows: list[dict[str, Any]], output: Path | None) -> None:
    click.echo(found.method)
    click.echo()
    _show(rows[:SHOWN])
    if len(rows) > SHOWN:
        where = f"all are in {output}" if output else "write all with -o FILE"
        click.echo(f"… and {len(rows) - SHOWN} more units; {where}.")
    if isinstance(found, Aggregation):
        click.echo()
        _show(
            [
                {"rater": rater.rater, "answers": rater.n, "competence": rater.competence}
                for rater in found.raters
            ]
        )
        if found.missing:
            click.echo(f"{found.missing} rows without a value were left out.")
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")
    if output is not None:
        click.echo(f"Written to {output}.")


def _show(rows: list[dict[str, Any]]) -> None:
    names = list(rows[0])
    click.echo(table_text([names, *([_cell(row[name]) for name in names] for row in rows)]))


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return measured(value, write=coefficient)
    return str(value)
