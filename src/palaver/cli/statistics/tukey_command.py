"""`palaver tukey`: which systems differ, from a matrix of topics × systems."""

import math
from dataclasses import dataclass, field
from pathlib import Path

import click

from palaver.analysis.tukey import TRIALS, TukeyResult, randomised_tukey
from palaver.cli import options
from palaver.cli.options import IN_TABLE, JSON
from palaver.cli.output import print_json, table_text
from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.core.words import coefficient, decimals, measured
from palaver.formats.frames import MISSING_WORDS, Frame, read_frame

# First columns of these names hold ids of topics, also where the ids are numbers.
TOPIC_NAMES = frozenset(
    {"", "topic", "topic_id", "id", "dialogue", "dialogue_id", "item", "query", "query_id", "qid"}
)


@dataclass(frozen=True, slots=True)
class _Matrix:
    """Scores of topics × systems; `topic` names the column that held the topics, if one did."""

    names: list[str]
    topics: list[str]
    rows: list[list[float]]
    topic: str | None = None
    left_out: list[str] = field(default_factory=list)


@click.command("tukey")
@click.argument("matrix", type=IN_TABLE)
@click.option(
    "--trials",
    default=TRIALS,
    show_default=True,
    metavar="B",
    help="How often scores are shuffled.",
)
@options.seed()
@click.option(
    "--legacy",
    is_flag=True,
    help="p = b/B and one-way effect sizes, as published by shared tasks.",
)
@options.column("topic", "The column that holds the topics' ids.")
@click.option(
    "--no-header",
    is_flag=True,
    help="The file has no line of names: systems are s1, s2, … Spaces or commas.",
)
@click.option(
    "--drop-incomplete", is_flag=True, help="Leave out topics that lack a score for any system."
)
@click.option(
    "--alpha",
    default=0.05,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="The level at which a pair is marked as different.",
)
@JSON
def command(
    matrix: Path,
    trials: int,
    seed: int,
    legacy: bool,
    topic: str | None,
    no_header: bool,
    drop_incomplete: bool,
    alpha: float,
    as_json: bool,
) -> None:
    """Find which systems differ, by the randomised Tukey HSD test.

    MATRIX has one row per topic (dialogue, item) and one column of scores per system: CSV, TSV,
    Parquet or JSON lines with the systems' names, or with --no-header bare numbers.
    """
    given = _bare(matrix) if no_header else _named(read_frame(matrix), topic)
    given = _complete(given, drop_incomplete)
    found = randomised_tukey(given.rows, given.names, trials=trials, seed=seed, legacy=legacy)
    if as_json:
        read = {"alpha": alpha, "topic_column": given.topic, "left_out": given.left_out}
        print_json(plain(found) | read)
    else:
        _say(found, given, alpha)


def _named(frame: Frame, topic: str | None) -> _Matrix:
    columns = list(frame.columns)
    if topic is not None:
        frame.column(topic)  # says which columns there are
    elif columns and _holds_topics(frame, columns[0]):
        topic = columns[0]
    names = [name for name in columns if name != topic]
    scores = [frame.numbers(name) for name in names]
    rows = [list(row) for row in zip(*scores, strict=True)]
    topics = [str(n + 1) for n in range(len(rows))]
    if topic is not None:
        topics = [cell or f"row {n + 1}" for n, cell in enumerate(frame.texts(topic))]
    twins = sorted({each for each in topics if topics.count(each) > 1}) if topic else []
    if twins:
        raise InputError(f"{frame.name} has the topic '{twins[0]}' twice; each has one row.")
    return _Matrix(names, topics, rows, topic)


def _holds_topics(frame: Frame, column: str) -> bool:
    """Whether a first column is one of ids: by its name, or because a cell is no number."""
    if column.strip().lower() in TOPIC_NAMES:
        return True
    cells = [cell for cell in frame.texts(column) if cell is not None]
    return any(not _is_number(cell) and cell.strip().lower() not in MISSING_WORDS for cell in cells)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _bare(path: Path) -> _Matrix:
    """Numbers alone, separated by spaces, tabs or commas."""
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    rows: list[list[float]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        cells = line.replace(",", " ").split()
        if not cells:
            continue
        try:
            rows.append([float(cell) for cell in cells])
        except ValueError as error:
            raise InputError(
                f"{path.name}, line {number} should contain only numbers; without --no-header a "
                "first "
                f"line of names is read. ({error})"
            ) from error
        if len(cells) != len(rows[0]):
            raise InputError(
                f"{path.name}, line {number} has {len(cells)} numbers; the first has "
                f"{len(rows[0])}."
            )
    if not rows:
        raise InputError(f"{path.name} is empty.")
    names = [f"s{n + 1}" for n in range(len(rows[0]))]
    return _Matrix(names, [str(n + 1) for n in range(len(rows))], rows)


def _complete(given: _Matrix, drop: bool) -> _Matrix:
    """The topics that every system has a score on; InputError names a hole unless `drop`."""
    holes = [
        (topic, [name for name, score in zip(given.names, row, strict=True) if math.isnan(score)])
        for topic, row in zip(given.topics, given.rows, strict=True)
    ]
    incomplete = [topic for topic, missing in holes if missing]
    if incomplete and not drop:
        topic, missing = next(hole for hole in holes if hole[1])
        raise InputError(
            f"Topic '{topic}' has no score for {', '.join(missing)} ({len(incomplete)} of "
            f"{len(given.rows)} topics are incomplete). Fill it in, or leave such topics out with "
            f"--drop-incomplete."
        )
    kept = [n for n, (_, missing) in enumerate(holes) if not missing]
    return _Matrix(
        given.names,
        [given.topics[n] for n in kept],
        [given.rows[n] for n in kept],
        given.topic,
        incomplete,
    )


def _say(found: TukeyResult, given: _Matrix, alpha: float) -> None:
    read = f"; topics by '{given.topic}'" if given.topic else ""
    click.echo(f"{len(given.names)} systems on {found.topics} topics{read}")
    best_first = sorted(found.means.items(), key=lambda each: -each[1])
    means = [("system", "mean"), *((name, measured(mean)) for name, mean in best_first)]
    click.echo(f"{table_text(means, indent='  ')}\n")
    rows = [("a", "b", "difference", "p", "effect", "differs")]
    for pair in sorted(found.pairs, key=lambda each: (each.p, -abs(each.difference))):
        numbers = measured(pair.difference), decimals(pair.p, 5)
        effect = measured(pair.effect, write=coefficient)
        rows.append((pair.a, pair.b, *numbers, effect, "*" if pair.p <= alpha else ""))
    click.echo(f"{table_text(rows, names=2, indent='  ')}\n")
    different = sum(pair.p <= alpha for pair in found.pairs)
    click.echo(f"{different} of {len(found.pairs)} pairs differ at {alpha:g} (marked *).")
    click.echo(f"Method: {found.method}.")
    if given.left_out:
        click.echo(f"Left out: {len(given.left_out)} incomplete topics ({given.left_out[0]} …).")
    if found.reason:
        click.echo(f"Effects are undefined, because {found.reason}.")
    for warning in found.warnings:
        click.echo(f"Warning: {warning}")
