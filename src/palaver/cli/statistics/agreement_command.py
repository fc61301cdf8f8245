"""`palaver agreement`: how well raters agree, in a table or in a study."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from palaver.analysis.agreement import (
    CLOSENESS,
    DRAWS,
    LEVELS,
    METHODS,
    Closeness,
    Coefficients,
    Draw,
    Measured,
    Method,
    Pairwise,
    RaterAgreement,
    SamplingSettings,
    measured,
    pairwise_of,
    per_rater_of,
)
from palaver.cli import options
from palaver.cli.options import DATA_PATH, HOME, JSON, OUT_FILE, QUESTION, TableOption
from palaver.cli.output import print_json
from palaver.cli.sources import is_of_study
from palaver.cli.statistics.agreement_judges import (
    JudgeQuery,
    JudgesFound,
    judges_of_study,
    judges_of_table,
)
from palaver.cli.statistics.agreement_words import (
    overview_words,
    pairwise_words,
    rater_words,
    table_words,
)
from palaver.cli.statistics.judge_words import judge_words, write_judges
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.words import listed
from palaver.formats.frames import Frame, read_frame
from palaver.formats.judgements import JudgementGroup, read_judged
from palaver.reports.target import OpenStudy, opened_study
from palaver.studies.review.evidence import (
    RATING_COLUMNS,
    SPEAKER,
    MeasuredFacet,
    StudyEvidence,
    of_turns,
)

# What is positive where nobody names it, in a table and in a study.
POSITIVE = {False: "1, true or yes", True: "a label that is given, or the answer yes"}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is compared: judgements at a level, and what they are about."""

    judged: JudgementGroup
    level: Measured
    order: Sequence[Any]
    question: str | None = None

    @property
    def by(self) -> str | None:
        """What tells this from the others: the question, the value of `--by`, or both."""
        parts = [part for part in (self.question, self.judged.by) if part is not None]
        return ", ".join(parts) or None


@dataclass(frozen=True, slots=True)
class _Found:
    """The numbers of one table of judgements."""

    asked: _Asked
    coefficients: Coefficients
    pairs: Pairwise | None
    raters: tuple[RaterAgreement, ...] | None


@click.command("agreement")
@DATA_PATH
@options.column("unit", "What was judged.")
@options.column("rater", "Who judged it.")
@options.column("value", "What they said.")
@click.option(
    "--level", cls=TableOption, type=click.Choice(LEVELS), help="How values are measured."
)
@click.option(
    "--order", cls=TableOption, metavar="A,B,C", help="The values of the scale, lowest first."
)
@click.option(
    "--weights",
    type=click.Choice(CLOSENESS),
    help="How Cohen's κ and Gwet's coefficient count values that differ. "
    "Default: identity for nominal values, quadratic for others.",
)
@click.option(
    "--by",
    metavar="COL",
    help="Give the numbers for each value of this column; of a study also speaker.",
)
@click.option(
    "--cluster",
    "clusters",
    multiple=True,
    metavar="COL",
    help="Draw these instead of units; may be given more than once. A study's default: dialogue.",
)
@click.option(
    "--draw",
    type=click.Choice(DRAWS),
    default="units",
    show_default=True,
    help="Intervals for these raters (units), or for raters like these, who are drawn too (raters).",
)
@options.bootstrap("How many samples are drawn; 0 for no intervals.")
@click.option(
    "--interval",
    "method",
    type=click.Choice(METHODS),
    default="bca",
    show_default=True,
    help="How intervals are computed from them.",
)
@options.confidence()
@options.seed()
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar="NAME",
    help="Compare this rater with people: F1, precision, recall, accuracy, and people among "
    "themselves. May be given more than once.",
)
@click.option(
    "--positive",
    metavar="VALUE",
    help="With --judge: the positive value. Default: 1, true or yes.",
)
@click.option("--csv", "csv_file", type=OUT_FILE, help="With --judge: write the table as CSV.")
@click.option(
    "--latex", "latex_file", type=OUT_FILE, help="With --judge: write the table as LaTeX."
)
@click.option("--pairwise", "two_by_two", is_flag=True, help="Also show each pair of raters.")
@click.option("--raters", "one_by_one", is_flag=True, help="Also show each rater against the rest.")
@options.study()
@QUESTION
@options.raters("--raters-kind")
@options.SECTIONS
@HOME
@JSON
def command(
    path: Path,
    unit: str | None,
    rater: str | None,
    value: str | None,
    level: str | None,
    order: str | None,
    weights: str | None,
    by: str | None,
    clusters: tuple[str, ...],
    draw: str,
    bootstrap: int,
    method: str,
    confidence: float,
    seed: int,
    judges: tuple[str, ...],
    positive: str | None,
    csv_file: Path | None,
    latex_file: Path | None,
    two_by_two: bool,
    one_by_one: bool,
    study: str | None,
    question: str | None,
    raters_kind: str,
    sections: tuple[str, ...],
    home: Path | None,
    as_json: bool,
) -> None:
    """Measure how well raters agree: Krippendorff's α and related coefficients, with intervals.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json; - for CSV from a pipe) with one row per judgement.
    """
    settings = SamplingSettings(
        method=cast(Method, method),
        draw=cast(Draw, draw),
        resamples=bootstrap,
        confidence=confidence,
        seed=seed,
    )
    of_study = is_of_study(path)
    clusters = clusters or (("dialogue",) if of_study else ())
    if judges:
        _check_judging(level, order, weights, draw, two_by_two, one_by_one)
        query = JudgeQuery(
            judges=tuple(dict.fromkeys(judges)),
            positive=positive,
            by=by,
            clusters=clusters,
            settings=settings,
        )
        if of_study:
            with opened_study(path, study=study, home=home) as opened:
                judged = judges_of_study(
                    opened,
                    question=question,
                    raters=raters_kind,
                    sections=sections,
                    query=query,
                )
        else:
            columns = _named("--judge", unit=unit, rater=rater, value=value)
            judged = judges_of_table(path, **columns, query=query)
        write_judges(judged, csv_file=csv_file, latex_file=latex_file)
        if as_json:
            print_json(judged)
        else:
            _say_judged(judged, query, POSITIVE[of_study], csv_file, latex_file)
        return
    _refuse_without_judge(positive=positive, csv=csv_file, latex=latex_file)
    if of_study:
        with opened_study(path, study=study, home=home) as opened:
            wanted = {"unit", "rater", "value", *clusters, *([by] if by else [])}
            evidence = _evidence(opened, question, raters_kind, sections, wanted)
        asked = list(_of_study(evidence, question, by, clusters))
    else:
        names = _named("A table", unit=unit, rater=rater, value=value, level=level)
        asked = _of_table(path, names, _split(order), by, clusters)
    chosen = cast(Closeness | None, weights)
    found = [_found(each, settings, chosen, two_by_two, one_by_one) for each in asked]
    if as_json:
        documents = [_document(each, clusters) for each in found]
        single = len(found) == 1 and found[0].asked.by is None
        print_json(documents[0] if single else documents)
    else:
        click.echo("\n".join(_words(path, found, clusters, confidence)))


def _say_judged(
    judged: JudgesFound,
    query: JudgeQuery,
    usual: str,
    csv_file: Path | None,
    latex_file: Path | None,
) -> None:
    words = judge_words(
        judged,
        confidence=query.settings.confidence,
        clusters=query.clusters,
        positive=f"'{query.positive}'" if query.positive else usual,
    )
    click.echo("\n".join(words))
    for what, file in (("CSV", csv_file), ("LaTeX", latex_file)):
        if file is not None:
            click.echo(f"Written as {what}: {file}")


def _found(
    asked: _Asked,
    settings: SamplingSettings,
    weights: Closeness | None,
    two_by_two: bool,
    one_by_one: bool,
) -> _Found:
    ratings = asked.judged.ratings(level=asked.level, order=asked.order)
    clusters = asked.judged.cluster_codes
    return _Found(
        asked,
        measured(ratings, clusters, settings, weights=weights),
        pairwise_of(ratings, weights=weights, shared=True) if two_by_two else None,
        per_rater_of(ratings) if one_by_one else None,
    )


def _of_table(
    path: Path,
    names: dict[str, str],
    order: tuple[str, ...],
    by: str | None,
    clusters: tuple[str, ...],
) -> list[_Asked]:
    level = cast(Measured, names["level"])
    columns = [names["unit"], names["rater"], names["value"], *clusters]
    frame = read_frame(path, wanted=dict.fromkeys([*columns, *([by] if by else [])]))
    groups = read_judged(
        frame,
        unit=names["unit"],
        rater=names["rater"],
        value=names["value"],
        level=level,
        order=order,
        by=by,
        clusters=clusters,
    )
    return [_Asked(group, level, order) for group in groups]


def _evidence(
    opened: OpenStudy,
    question: str | None,
    raters: str,
    sections: Sequence[str],
    columns: Collection[str],
) -> StudyEvidence:
    """The answers to one question; all where none is named, and where this one has none."""
    if question is not None:
        found = opened.evidence(
            raters=raters,
            sections=sections,
            asked=lambda name, _: name == question,
            columns=columns,
        )
        if found.measured:
            return found
    return opened.evidence(raters=raters, sections=sections, columns=columns)


def _of_study(
    evidence: StudyEvidence, question: str | None, by: str | None, clusters: tuple[str, ...]
) -> Iterator[_Asked]:
    things = evidence.measured if question is None else evidence.named(question)
    known = dict.fromkeys(each.question for each in evidence.measured)
    if not known:
        raise InputError(f"The study '{evidence.study}' has no answers that can be compared.")
    if not things:
        raise InputError(
            f"The study '{evidence.study}' has no answers to '{question}' that can be compared."
            f"{near(question or '', known)} It has: {', '.join(known)}."
        )
    for name in (*clusters, *([by] if by else [])):
        if name not in RATING_COLUMNS:
            raise InputError(
                f"A study's answers have no column '{name}'. They have: {', '.join(RATING_COLUMNS)}."
            )
    answered = [thing for thing in things if len(thing.ratings)]
    for thing in of_turns(answered, evidence.study) if by == SPEAKER else answered:
        # What is about one speaker's turns alone is by speaker already.
        apart = by == SPEAKER and thing.facet.speaker is not None
        yield from _of_thing(thing, None if apart else by, clusters)


def _of_thing(thing: MeasuredFacet, by: str | None, clusters: tuple[str, ...]) -> Iterator[_Asked]:
    level = thing.facet.level
    order: Sequence[Any] = ()
    if level == "ordinal":
        order = range(len(thing.facet.scale))
    elif level == "nominal" and thing.facet.scale:
        order = [
            text for text in Frame("", {"scale": list(thing.facet.scale)}).texts("scale") if text
        ]
    for group in read_judged(
        thing.ratings,
        unit="unit",
        rater="rater",
        value="value",
        level=level,
        by=by,
        clusters=clusters,
    ):
        yield _Asked(group, level, order, thing.name)


def _document(found: _Found, clusters: tuple[str, ...]) -> dict[str, Any]:
    """What `--json` prints of one table: its coefficients, and what was asked for beside them."""
    told: dict[str, Any] = {}
    if found.asked.by is not None:
        told["by"] = found.asked.judged.by if found.asked.question is None else found.asked.by
    if found.asked.question is not None:
        told["question"] = found.asked.question
    told |= found.coefficients.as_json()
    told["cluster_columns"] = clusters
    told["warnings"] = [*found.coefficients.warnings, *_empty(found)]
    if found.pairs is not None:
        told["pairwise"] = found.pairs
    if found.raters is not None:
        told["per_rater"] = found.raters
    return told


def _words(
    path: Path, found: list[_Found], clusters: tuple[str, ...], confidence: float
) -> Iterator[str]:
    if len(found) == 1:
        title = found[0].asked.by or path.name
        yield from table_words(title, found[0].coefficients, confidence, clusters)
    else:
        yield from overview_words(
            [(each.asked.by or "", each.coefficients) for each in found], confidence, clusters
        )
    for each in found:
        name = f"{each.asked.by}: " if len(found) > 1 else ""
        if each.pairs is not None:
            yield from pairwise_words(name, each.pairs)
        if each.raters is not None:
            yield from rater_words(name, each.raters)
    for each in found:
        name = f"{each.asked.by}: " if len(found) > 1 else ""
        for warning in [*each.coefficients.warnings, *_empty(each)]:
            yield f"Warning: {name}{warning}"


def _empty(found: _Found) -> list[str]:
    count = found.asked.judged.empty
    return [f"Rows without a value, left out: {count:,}."] if count else []


def _split(order: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in order.split(",")) if order else ()


def _named(what: str, **given: str | None) -> dict[str, str]:
    missing = [f"--{name}" for name, value in given.items() if value is None]
    if missing:
        raise click.UsageError(
            f"{what} needs {listed([f'--{name}' for name in given])}; add {missing[0]}."
        )
    return {name: value for name, value in given.items() if value is not None}


def _check_judging(
    level: str | None,
    order: str | None,
    weights: str | None,
    draw: str,
    two_by_two: bool,
    one_by_one: bool,
) -> None:
    """UsageError for an option that says nothing where answers are positive or not."""
    given = {
        "--level": level not in (None, "nominal"),
        "--order": order is not None,
        "--weights": weights is not None,
        "--pairwise": two_by_two,
        "--raters": one_by_one,
    }
    if draw != "units":
        raise click.UsageError(
            "--draw raters cannot be used with --judge: people are taken as given."
        )
    for name, is_given in given.items():
        if is_given:
            raise click.UsageError(
                f"{name} cannot be used with --judge, for which an answer is positive or not."
            )


def _refuse_without_judge(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise click.UsageError(f"--{name} goes with --judge NAME.")
