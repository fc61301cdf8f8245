"""`palaver compare`: every pair of systems, with difference, interval, p-value and effect size."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from palaver.analysis.comparisons.choosing import TESTS, TestName
from palaver.analysis.comparisons.pairwise import ComparisonSettings
from palaver.analysis.comparisons.permutation import TRIALS
from palaver.analysis.comparisons.systems import Comparison, compare_systems
from palaver.analysis.corrections import Correction
from palaver.analysis.resampling import RESAMPLES
from palaver.cli import options
from palaver.cli.compare_words import comparison_lines
from palaver.cli.options import DATA_PATH, HOME, JSON, QUESTION
from palaver.cli.printing import print_json
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.formats.frames import Frame, read_frame
from palaver.reports.opening import opened_study
from palaver.studies.evidence import Measured, StudyEvidence

# What clusters the answers of a study where nothing else is said.
STUDY_CLUSTER = "dialogue"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Columns:
    system: str
    value: str
    item: str | None
    rater: str | None
    clusters: tuple[str, ...]


@click.command("compare")
@DATA_PATH
@options.column("system", "Which system it is about.", usual="system")
@options.column("value", "The number; higher is better.", usual="value")
@options.column("item", "What pairs the systems: the same item for each.", of_study=True)
@options.column("rater", "Who judged it; a random factor of mixed models.", of_study=True)
@click.option(
    "--cluster",
    "clusters",
    multiple=True,
    metavar="COL",
    help="Rows that belong together; may be given more than once. A study's default: dialogue.",
)
@click.option(
    "--test",
    default="auto",
    show_default=True,
    type=click.Choice(TESTS),
    help="The test; auto follows from the columns.",
)
@click.option(
    "--correction",
    default="holm",
    show_default=True,
    type=click.Choice(["holm", "bh", "none"]),
    help="How p-values are corrected for the number of pairs.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, min_open=True),
    metavar="M",
    help="Ask whether systems are equivalent within M.",
)
@click.option(
    "--at-least", is_flag=True, help="With --margin: ask whether one is at least as good."
)
@click.option(
    "--word",
    default="good",
    show_default=True,
    help="What a high value means, for verdicts: helpful, …",
)
@options.confidence("The confidence of intervals and verdicts, between 0 and 1.")
@options.bootstrap(draws=RESAMPLES)
@click.option(
    "--trials", default=TRIALS, show_default=True, metavar="B", help="Random rearrangements."
)
@options.seed()
@QUESTION
@options.study()
@options.raters()
@HOME
@JSON
def command(
    path: Path,
    system: str,
    value: str,
    item: str | None,
    rater: str | None,
    clusters: tuple[str, ...],
    test: str,
    correction: str,
    margin: float | None,
    at_least: bool,
    word: str,
    confidence: float,
    bootstrap: int,
    trials: int,
    seed: int,
    question: str | None,
    study: str | None,
    raters: str,
    home: Path | None,
    as_json: bool,
) -> None:
    """Compare systems pair by pair: differences, intervals, p-values and effect sizes.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json; - for CSV from a pipe) with one row per answer.
    """
    if at_least and margin is None:
        raise click.UsageError("--at-least needs a margin; give --margin too.")
    settings = ComparisonSettings(
        confidence=confidence,
        resamples=bootstrap,
        trials=trials,
        seed=seed,
        margin=margin,
        at_least=at_least,
        word=word,
    )
    columns = _Columns(system=system, value=value, item=item, rater=rater, clusters=clusters)
    asked = ""
    if is_of_study(path):
        with opened_study(path, study=study, home=home) as opened:
            measured = _asked(opened.evidence(raters=raters), question)
        frame, asked = _of_study(measured), measured.name
        columns = _Columns(
            system="system",
            value="value",
            item=item,
            rater=rater or "rater",
            clusters=clusters or (() if item else (STUDY_CLUSTER,)),
        )
    else:
        frame = read_frame(path)
    found = _compared(frame, columns, cast(TestName, test), cast(Correction, correction), settings)
    if as_json:
        print_json(({"question": asked} if asked else {}) | plain(found))
        return
    for line in ([f"Question: {asked}", ""] if asked else []) + comparison_lines(found):
        click.echo(line)


def _compared(
    frame: Frame,
    columns: _Columns,
    test: TestName,
    correction: Correction,
    settings: ComparisonSettings,
) -> Comparison:
    if not len(frame):
        raise InputError(f"{frame.name} has no rows.")
    return compare_systems(
        frame.numbers(columns.value),
        frame.filled(columns.system),
        items=frame.filled(columns.item) if columns.item else None,
        raters=frame.filled(columns.rater) if columns.rater else None,
        clusters={name: frame.filled(name) for name in columns.clusters},
        test=test,
        correction=correction,
        settings=settings,
    )


def _asked(evidence: StudyEvidence, question: str | None) -> Measured:
    """What was asked about systems: the only thing, or the one that is named."""
    known = {
        each.name: each
        for each in evidence.measured
        if any(system is not None for system in each.ratings.column("system"))
    }
    if question is None and len(known) == 1:
        return next(iter(known.values()))
    if question in known:
        return known[question]
    names = ", ".join(known) or "none; comparisons of two are for 'palaver rank'"
    if question is None:
        raise InputError(f"Name one question with --question. Answered about systems: {names}.")
    raise InputError(f"There are no answers about systems to '{question}'. Answered: {names}.")


def _of_study(measured: Measured) -> Frame:
    """The answers as a table whose values are numbers."""
    ratings, facet = measured.ratings, measured.facet
    kept = [row for row, system in enumerate(ratings.column("system")) if system is not None]
    columns = {name: [cells[row] for row in kept] for name, cells in ratings.columns.items()}
    shown = [facet.shown(code) for code in columns["value"]]
    columns["value"] = _as_numbers(measured, columns["value"], shown)
    return Frame(ratings.name, columns)


def _as_numbers(measured: Measured, codes: Sequence[Any], shown: Sequence[Any]) -> list[float]:
    """Values as they are if they are numbers, else their places on an ordered scale."""
    if all(isinstance(each, bool | int | float) for each in shown):
        return [float(each) for each in shown]
    if measured.facet.level == "ordinal":
        return [float(each) for each in codes]
    raise InputError(
        f"Answers to '{measured.name}' are names without an order, so they have no mean."
    )
