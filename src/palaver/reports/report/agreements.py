"""The part on agreement: how far raters agree about each question, and who with whom."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from palaver.analysis.agreement import (
    NO_PAIRS,
    Agreement,
    Coefficients,
    Measured,
    Pairwise,
    SamplingSettings,
    alpha_of,
    measured,
    pairwise_of,
)
from palaver.analysis.figures import Figure
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate
from palaver.core.words import counted, decimals, listed, percent
from palaver.formats.judgements import read_judged
from palaver.reports.report.agreement_figures import (
    MOST_RATERS,
    alpha_forest,
    confusion_maps,
    rater_maps,
)
from palaver.reports.report.commands import agreement_command
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import QuestionRatings, ReportSettings, Subject, has_clusters
from palaver.studies.review.question_overview import OWN_CHATS

NAMES = {
    "alpha": "Krippendorff's α",
    "percent": "Percent agreement",
    "kappa": "Cohen's κ",
    "fleiss": "Fleiss' κ",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2",
    "icc": "ICC(A,1)",
}
# Of more pairs of raters a table cannot be read.
MOST_PAIRS = 100


@dataclass(frozen=True, slots=True)
class _Agreed:
    """A question's agreement, or why there is none; `anew` is α for raters like these."""

    ratings: QuestionRatings
    found: Coefficients | None
    pairs: Pairwise | None
    problem: str = ""
    anew: Agreement | None = None


def agreements_part(subject: Subject, settings: ReportSettings) -> ReportPart | None:
    """Agreement about every question; None where there are no ratings."""
    answered = [rating for rating in subject.ratings if len(rating.frame)]
    measured = [_measured(rating, settings) for rating in answered if not _is_of_own(rating)]
    if not measured:
        return (
            ReportPart(anchor="agreement", title="Agreement", lead=f"{OWN_CHATS}.")
            if answered
            else None
        )
    parts = tuple(_part(each, settings) for each in measured if not _is_lone(each))
    defined = [each for each in measured if each.found and each.found.alpha.is_defined]
    return ReportPart(
        anchor="agreement",
        title="Agreement",
        lead=_lead(defined, len(measured)),
        figures=(_forest(measured),) if defined else (),
        tables=(_overview(measured),),
        methods=_methods(measured, defined, settings),
        parts=parts,
    )


def _is_of_own(ratings: QuestionRatings) -> bool:
    """Whether each conversation is judged by the person who had it, and by nobody else."""
    units = ratings.frame.texts("unit")
    return ratings.is_own and len(set(units)) == len(units)


def _is_lone(each: _Agreed) -> bool:
    """Whether no unit has two raters: there is nothing to say beyond that."""
    return each.found is not None and each.found.alpha.reason == NO_PAIRS


def agreement_clusters(ratings: QuestionRatings) -> tuple[str, ...]:
    """What is drawn: dialogues where units lie in dialogues, else the units themselves."""
    return ("dialogue",) if has_clusters(ratings.frame) else ()


def agreement_order(ratings: QuestionRatings) -> tuple[str, ...]:
    """The values of the scale, where a command line can name them."""
    named = ratings.order if ratings.level in ("nominal", "ordinal") else ()
    return () if any("," in each or each != each.strip() for each in named) else named


def _measured(ratings: QuestionRatings, settings: ReportSettings) -> _Agreed:
    level = cast(Measured, ratings.level)
    order = agreement_order(ratings)
    try:
        (judged,) = read_judged(
            ratings.frame,
            unit="unit",
            rater="rater",
            value="value",
            level=level,
            order=order,
            clusters=agreement_clusters(ratings),
        )
        read = judged.ratings(level=level, order=order)
        clusters = judged.cluster_codes
        found = measured(read, clusters, _sampling(settings))
        anew = alpha_of(
            read, clusters=clusters, settings=replace(_sampling(settings), draw="raters")
        )
        few = len(read.raters) <= MOST_RATERS
        pairs = pairwise_of(read, shared=True, most=None if few else MOST_PAIRS)
    except InputError as error:
        return _Agreed(ratings, None, None, str(error))
    return _Agreed(ratings, found, pairs, anew=anew)


def _sampling(settings: ReportSettings) -> SamplingSettings:
    return SamplingSettings(
        method="bca",
        resamples=settings.resamples,
        confidence=settings.confidence,
        seed=settings.seed,
    )


def _lead(defined: list[_Agreed], asked: int) -> str:
    if not defined:
        return "No coefficient is defined: agreement needs units that at least two raters judged."
    values = {each.ratings.name: each.found.alpha.value for each in defined if each.found}
    best, least = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    if len(values) == 1:
        return f"Krippendorff's α of '{best}' is {decimals(values[best], 2)}."
    return (
        f"Krippendorff's α ranges from {decimals(values[least], 2)} ('{least}') to "
        f"{decimals(values[best], 2)} ('{best}') over {counted(asked, 'measured item')}."
    )


def _methods(measured: list[_Agreed], defined: list[_Agreed], settings: ReportSettings) -> str:
    if not defined:
        return ""
    drawn = "dialogues" if any(agreement_clusters(each.ratings) for each in measured) else "units"
    values = listed(
        [
            f"{each.ratings.name} ({each.ratings.level}) {each.found.alpha}"
            for each in defined
            if each.found
        ]
    )
    return (
        f"Agreement between raters was measured with Krippendorff's α at the level of each "
        f"question, with {percent(settings.confidence, 0)} bootstrap intervals (BCa, "
        f"{settings.resamples:,} draws of {drawn}), which hold for these raters: {values}."
    )


def _forest(measured: list[_Agreed]) -> Figure:
    return alpha_forest(
        [
            (
                each.ratings.name,
                each.found.alpha if each.found else Estimate.undefined(each.problem),
            )
            for each in measured
        ]
    )


def _overview(measured: list[_Agreed]) -> ResultTable:
    return ResultTable(
        slug="agreement",
        title="Agreement by question",
        columns=(
            ReportColumn("question", "Question"),
            ReportColumn("alpha", "α", "number"),
            ReportColumn("interval", "95 % interval, these raters", "number"),
            ReportColumn("anew", "Raters like these", "number"),
            ReportColumn("percent", "Percent", "percent"),
            ReportColumn("units", "Units", "whole"),
            ReportColumn("raters", "Raters", "whole"),
            ReportColumn("level", "Level"),
        ),
        rows=[
            {
                "question": each.ratings.name,
                "alpha": each.found.alpha.value if each.found else None,
                "interval": each.found.alpha.interval if each.found else None,
                "anew": each.anew.interval if each.anew else None,
                "percent": each.found.percent.value if each.found else None,
                "units": each.found.units if each.found else None,
                "raters": each.found.raters if each.found else None,
                "level": each.ratings.level,
                EVIDENCE: Places(each.ratings).of(),
            }
            for each in measured
        ],
        note=" ".join(
            [
                "Units are those that two or more raters judged.",
                "The first interval is for these raters: it says how far α may be off with other "
                "units. The second is for raters like these, drawn anew as units are.",
                *_undefined(measured),
                *_no_intervals(measured),
            ]
        ),
    )


def _undefined(measured: list[_Agreed]) -> Iterator[str]:
    """Why there is no α of some questions, each reason once."""
    reasons: dict[str, list[str]] = {}
    for each in measured:
        reason = each.found.alpha.reason if each.found else each.problem
        if reason:
            reasons.setdefault(reason.rstrip("."), []).append(f"'{each.ratings.name}'")
    for reason, names in reasons.items():
        yield f"α of {listed(names)} is undefined: {reason}."


def _no_intervals(measured: list[_Agreed]) -> Iterator[str]:
    """Why an α that has a value lacks an interval, each reason once."""
    reasons: dict[str, list[str]] = {}
    for each in measured:
        for whom, reason in (
            ("these raters", each.found.no_intervals.get("alpha", "") if each.found else ""),
            ("raters like these", each.anew.no_interval if each.anew else ""),
        ):
            if reason:
                words = f"for {whom}, because {reason}"
                reasons.setdefault(words, []).append(f"'{each.ratings.name}'")
    for words, names in reasons.items():
        yield f"α of {listed(names)} has no interval {words}."


def _part(each: _Agreed, settings: ReportSettings) -> ReportPart:
    ratings, found = each.ratings, each.found
    anchor, title = f"agreement-{ratings.slug}", f"Agreement on {ratings.name}"
    if found is None:
        return ReportPart(anchor=anchor, title=title, lead=f"Undefined: {each.problem}")
    lead = (
        f"α = {decimals(found.alpha.value, 2)}."
        if found.alpha.is_defined
        else f"α is undefined, because {found.alpha.reason}."
    )
    figures = [] if each.pairs is None else list(rater_maps(ratings, each.pairs))
    confusion = confusion_maps(ratings)
    return ReportPart(
        anchor=anchor,
        title=title,
        lead=lead,
        figures=(*figures, *confusion),
        tables=(_coefficients(ratings, found, settings), *_pair_table(each)),
        warnings=found.warnings,
        notes=(f"{found.method[0].upper()}{found.method[1:]}.", found.difference),
    )


def _coefficients(
    ratings: QuestionRatings, found: Coefficients, settings: ReportSettings
) -> ResultTable:
    evidence = Places(ratings).of()
    reasons = [
        f"{NAMES[name]}: {each.reason}"
        for name, each in found.estimates().items()
        if each.reason and name != "alpha"
    ]
    return ResultTable(
        slug=f"agreement-{ratings.slug}",
        title="Coefficients",
        columns=(
            ReportColumn("coefficient", "Coefficient"),
            ReportColumn("value", "Value", "number"),
            ReportColumn("interval", "95 % interval", "number"),
        ),
        rows=[
            {
                "coefficient": NAMES[name],
                "value": each.value,
                "interval": each.interval,
                EVIDENCE: evidence,
            }
            for name, each in found.estimates().items()
            if each.is_defined or name == "alpha"
        ],
        command=agreement_command(
            ratings, settings, agreement_clusters(ratings), agreement_order(ratings)
        ),
        note=f"Not given: {'; '.join(reasons)}." if reasons else "",
    )


def _left_out(pairs: int) -> str:
    if pairs <= MOST_PAIRS:
        return ""
    return f"The {MOST_PAIRS} pairs that share most units, of {pairs:,} that share any."


def _pair_table(each: _Agreed) -> Iterator[ResultTable]:
    shared = [] if each.pairs is None else [pair for pair in each.pairs.pairs if pair.units]
    if len(shared) < 2:
        return
    shown = sorted(shared, key=lambda pair: -pair.units)[:MOST_PAIRS]
    evidence = Places(each.ratings).of()
    yield ResultTable(
        slug=f"raters-{each.ratings.slug}",
        title="Each pair of raters",
        columns=(
            ReportColumn("pair", "Raters"),
            ReportColumn("alpha", "α", "number"),
            ReportColumn("kappa", "Cohen's κ", "number"),
            ReportColumn("percent", "Percent", "percent"),
            ReportColumn("units", "Shared units", "whole"),
        ),
        rows=[
            {
                "pair": ", ".join(
                    each.ratings.rater_names.get(str(rater), str(rater))
                    for rater in (pair.first, pair.second)
                ),
                "alpha": pair.alpha,
                "kappa": pair.kappa,
                "percent": pair.percent,
                "units": pair.units,
                EVIDENCE: evidence,
            }
            for pair in shown
        ],
        note=_left_out(each.pairs.sharing if each.pairs else 0),
    )
