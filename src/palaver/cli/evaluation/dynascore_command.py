"""`palaver dynascore`: several metrics of several models as one number, from any table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from palaver.analysis.dynascore import ScoredTable, default_weights, dynascore
from palaver.cli.options import IN_TABLE, JSON
from palaver.cli.output import print_json, table_lines
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.core.registry import near
from palaver.core.words import UNDEFINED, counted, decimals, measured, percent, readable
from palaver.formats.frames import Frame, read_frame

MODEL = "model"


@dataclass(frozen=True, slots=True)
class _Table:
    """Models × metrics; the first metric is performance."""

    models: list[str]
    metrics: list[str]
    values: Numbers


@click.command("dynascore")
@click.argument("table", type=IN_TABLE)
@click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="COL=W",
    help="A metric's weight. Default: 4 for the first, 1 for the others.",
)
@click.option(
    "--direction",
    "directions",
    multiple=True,
    metavar="COL=-1",
    help="-1 where lower is better. Default: 1.",
)
@click.option(
    "--offset",
    "offsets",
    multiple=True,
    metavar="COL=X",
    help="Added to direction × value to make it positive, for example the size of memory. Default: 0.",
)
@JSON
def command(
    table: Path,
    weights: tuple[str, ...],
    directions: tuple[str, ...],
    offsets: tuple[str, ...],
    as_json: bool,
) -> None:
    """Combine several metrics of models into one Dynascore.

    TABLE has a row per model: the column 'model', then the performance metric, then the others
    (CSV, TSV, Parquet, JSON lines or JSON; - reads CSV from a pipe).
    """
    given = _read(read_frame(table))
    defaults = dict(zip(given.metrics, default_weights(len(given.metrics)), strict=True))
    chosen = _filled("--weight", weights, defaults)
    ways = _filled("--direction", directions, dict.fromkeys(given.metrics, 1.0))
    for metric, way in ways.items():
        if way not in (1, -1):
            raise click.UsageError(f"--direction {metric}={way:g}: a direction must be 1 or -1.")
    added = _filled("--offset", offsets, dict.fromkeys(given.metrics, 0.0))
    found = dynascore(
        given.values,
        weights=list(chosen.values()),
        directions=[int(way) for way in ways.values()],
        offsets=list(added.values()),
        models=given.models,
        metrics=given.metrics,
    )
    if as_json:
        print_json(found.by_name)
    else:
        click.echo("\n".join(_words(found, given)))


def _read(frame: Frame) -> _Table:
    if MODEL not in frame.columns:
        raise InputError(
            f"{frame.name} has no column '{MODEL}' with the models' names; it has: "
            f"{', '.join(frame.columns) or 'none'}."
        )
    metrics = [name for name in frame.columns if name != MODEL]
    if not metrics:
        raise InputError(f"{frame.name} has no column beside '{MODEL}'; a metric is needed.")
    if not len(frame):
        raise InputError(f"{frame.name} has no models; a Dynascore needs at least one row.")
    models = frame.filled(MODEL)
    twins = sorted({name for name in models if models.count(name) > 1})
    if twins:
        raise InputError(f"{frame.name} has the model '{twins[0]}' twice; each has one row.")
    values = np.array([frame.numbers(name) for name in metrics]).T
    return _Table(models, metrics, values)


def _filled(option: str, given: Sequence[str], defaults: Mapping[str, float]) -> dict[str, float]:
    """What was given for each column, else its default."""
    found = dict(defaults)
    for each in given:
        name, equals, text = each.rpartition("=")
        if not equals or not name:
            raise click.UsageError(f"{option} takes COLUMN=NUMBER; got '{each}'.")
        if name not in defaults:
            raise InputError(
                f"{option} {each}: the table has no metric '{name}'.{near(name, defaults)} "
                f"It has: {', '.join(defaults)}."
            )
        try:
            found[name] = float(text)
        except ValueError:
            raise click.UsageError(f"{option} {each}: '{text}' is not a number.") from None
    return found


def _words(found: ScoredTable, given: _Table) -> Iterator[str]:
    head = ["model", "Dynascore", *given.metrics]
    by_model = dict(zip(given.models, zip(found.scores, given.values, strict=True), strict=True))
    digits = [_digits(column) for column in (found.scores, *given.values.T)]
    rows = []
    for model in found.best_first():
        score, values = by_model[model]
        rows.append([model, *map(_number, (score, *values), digits)])
    foot = [
        ["AMRS", "", *(measured(rate, write=readable) for rate in found.amrs)],
        ["weight", "", *(percent(share) for share in found.shares)],
    ]
    yield from table_lines([head, *rows, [""] * len(head), *foot])
    yield ""
    yield (
        f"AMRS: what a point of {given.metrics[0]} costs in each metric, the mean over "
        f"{counted(found.pairs, 'neighbouring pair')} of models."
    )
    yield from (f"Warning: {warning}" for warning in found.warnings)


def _digits(column: Numbers) -> int:
    """Shares need more digits than percentages."""
    known = np.abs(column[np.isfinite(column)])
    return 4 if known.size and known.max() <= 2 else 2


def _number(value: float, digits: int) -> str:
    return UNDEFINED if np.isnan(value) else decimals(value, digits)
