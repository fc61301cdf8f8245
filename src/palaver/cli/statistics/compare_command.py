"""`palaver compare`: every pair of systems, with difference, interval, p-value and effect size."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, cast

import click

from palaver.analysis.comparisons.choice import TESTS, TestName
from palaver.analysis.comparisons.pairwise import ComparisonSettings, PairComparison
from palaver.analysis.comparisons.permutation import TRIALS
from palaver.analysis.comparisons.systems import Comparison, compare_systems
from palaver.analysis.corrections import Correction
from palaver.analysis.resampling import RESAMPLES
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, QUESTION
from palaver.cli.output import print_json, table_lines, with_interval, without_interval
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.core.words import UNDEFINED, decimals
from palaver.formats.frames import Frame, read_frame
from palaver.reports.target import opened_study
from palaver.studies.review.evidence import MeasuredFacet, StudyEvidence

# What clusters the answers of a study, beside its raters, where nothing else is said.
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
@options.column("rater", "Who judged it: a rater's answers belong together.", of_study=True)
@click.option(
    "--cluster",
    "clusters",
    multiple=True,
    metavar="COL",
    help="Rows that belong together; may be given more than once. A study's default: dialogue, "
    "beside its raters.",
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
@options.SECTIONS
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
    sections: tuple[str, ...],
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
            measured = _asked(opened.evidence(raters=raters, sections=sections), question)
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


def _asked(evidence: StudyEvidence, question: str | None) -> MeasuredFacet:
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


def _of_study(measured: MeasuredFacet) -> Frame:
    """The answers as a table whose values are numbers."""
    ratings, facet = measured.ratings, measured.facet
    kept = [row for row, system in enumerate(ratings.column("system")) if system is not None]
    columns = {name: [cells[row] for row in kept] for name, cells in ratings.columns.items()}
    shown = [facet.shown(code) for code in columns["value"]]
    columns["value"] = _as_numbers(measured, columns["value"], shown)
    return Frame(ratings.name, columns)


def _as_numbers(measured: MeasuredFacet, codes: Sequence[Any], shown: Sequence[Any]) -> list[float]:
    """Values as they are if they are numbers, else their places on an ordered scale."""
    if all(isinstance(each, bool | int | float) for each in shown):
        return [float(each) for each in shown]
    if measured.facet.level == "ordinal":
        return [float(code) for code in codes]
    raise InputError(
        f"Answers to '{measured.name}' are names without an order, so they have no mean."
    )


def comparison_lines(found: Comparison) -> list[str]:
    """Systems, pairs, verdicts, method and warnings, line by line."""
    best_first = sorted(found.systems.items(), key=lambda pair: -pair[1].value)
    rows = [("system", "n", with_interval("mean", found.confidence))]
    rows += [(name, f"{each.n:,}", each.written()) for name, each in best_first]
    lines = [*table_lines(rows), "", *_pairs(found), *_tested(found)]
    verdicts = [margin.sentence for pair in found.pairs for margin in pair.margins]
    if verdicts:
        lines += ["", *verdicts, f"({found.pairs[0].margins[0].result.method}; not corrected)"]
    return [*lines, "", *_footnotes(found)]


def _pairs(found: Comparison) -> list[str]:
    corrected = found.correction != "none"
    head = ["a", "b", with_interval("difference", found.confidence), "p"]
    head += [f"{found.correction} p"] if corrected else []
    rows = [[*head, "effect"]]
    for pair in found.pairs:
        row = [pair.a, pair.b, pair.difference.written(), _p(pair.test.p)]
        row += [_p(pair.adjusted)] if corrected else []
        rows.append([*row, _effects(pair)])
    return list(table_lines(rows, names=2))


def _tested(found: Comparison) -> list[str]:
    """What a test compares where that is not the difference of the means."""
    apart = [pair for pair in found.pairs if pair.tested is not None]
    if not apart:
        return []
    head = ["a", "b", with_interval("tested", found.confidence), "which is the"]
    rows = [[pair.a, pair.b, pair.tested.written(), pair.estimand] for pair in apart if pair.tested]
    return ["", *table_lines([head, *rows], names=2)]


def _effects(pair: PairComparison) -> str:
    named = pair.test.effects.items()
    return ", ".join(f"{name} {each}" for name, each in named if name != "risk difference")


def _p(p: float) -> str:
    if isnan(p):
        return UNDEFINED
    return decimals(p, 4) if p >= 0.0001 else "<0.0001"


def _about_intervals(found: Comparison) -> list[str]:
    """How intervals of differences were made, and which numbers have none, and why."""
    apart = {f"{pair.a} minus {pair.b}": pair.difference for pair in found.pairs}
    methods = dict.fromkeys(each.method for each in apart.values() if each.method)
    made = [f"Intervals of differences: {next(iter(methods))}."] if methods else []
    return made + without_interval([*found.systems.items(), *apart.items()])


def _footnotes(found: Comparison) -> list[str]:
    lines = [f"Test: {found.rule}."]
    if found.pairs[0].test.method:
        lines.append(f"Method: {found.pairs[0].test.method}.")
    lines += _about_intervals(found)
    if found.model is not None:
        parts = ", ".join(f"{name} {each:.4f}" for name, each in found.model.components.items())
        lines.append(f"Variances: {parts}.")
    lines += [
        f"{pair.a} and {pair.b}: no p-value, because {pair.test.reason}."
        for pair in found.pairs
        if pair.test.reason
    ]
    warnings = [*found.warnings]
    for pair in found.pairs:
        told = [*pair.difference.warnings, *pair.test.warnings]
        warnings += [f"{pair.a} and {pair.b}: {each}" for each in told]
    return lines + [f"Warning: {each}" for each in dict.fromkeys(warnings)]
