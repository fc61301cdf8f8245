"""What stands in a report: the answer, the parts, the methods and where the rows are."""

import importlib.metadata
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from palaver import __version__
from palaver.core.studies.headline import Headline
from palaver.core.words import counted, listed
from palaver.reports.report.agreements import agreements_part
from palaver.reports.report.answer_times import answer_times_part
from palaver.reports.report.answers import answers_part
from palaver.reports.report.costs import costs_part
from palaver.reports.report.evidence import systems_of
from palaver.reports.report.flagged import flagged_part, with_unflagged
from palaver.reports.report.headline import headline_of, measure
from palaver.reports.report.overview import Overview, overview_of, overview_part
from palaver.reports.report.parts import ReportPart
from palaver.reports.report.ranking import ranking_part
from palaver.reports.report.ratings_summary import summary_part
from palaver.reports.report.subject import QuestionTable, ReportSettings, Subject, count_answers
from palaver.reports.report.validity import validity_part

# Hears what is computed next.
Told = Callable[[str], None]
# How many such steps a report has, from reading the answers on.
STEPS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    title: str
    headline: Headline
    state: str
    facts: str
    overview: Overview
    parts: tuple[ReportPart, ...]
    methods: tuple[str, ...]
    sources: tuple[QuestionTable, ...]
    seed: int
    has_dialogues: bool = False
    again: str = "palaver report manifest.json -o AGAIN"
    version: str = __version__


def untold(step: str) -> None:
    """Nobody is told."""


def report_of(subject: Subject, settings: ReportSettings, told: Told = untold) -> Report:
    """All numbers of a subject, in the order in which they are read."""
    told("Comparing systems")
    measured = measure(subject, settings)
    rankings = [ranking_part(each, settings) for each in measured.rankings]
    answers = [answers_part(each) for each in measured.rated]
    told("Measuring agreement")
    agreements = agreements_part(subject, settings)
    found = [
        *rankings,
        *answers,
        summary_part(subject, settings),
        agreements,
        validity_part(subject, settings),
        answer_times_part(subject, settings),
        costs_part(subject),
        flagged_part(subject),
    ]
    overview = overview_of([*rankings, *answers], subject)
    parts = tuple(part for part in (overview_part(overview), *found) if part is not None)
    headline = with_unflagged(headline_of(subject, measured), subject, measured, settings)
    return Report(
        title=subject.title,
        headline=headline,
        state=_state(subject, rankings),
        facts=_facts(subject),
        overview=overview,
        parts=parts if parts else (_empty(headline),),
        methods=_methods(subject, settings, parts),
        sources=tuple(subject.tables),
        seed=settings.seed,
        has_dialogues=bool(subject.transcripts),
    )


def _state(subject: Subject, rankings: list[ReportPart]) -> str:
    """Provisional until the planned votes are in; a table of others plans nothing."""
    states = [ranking.state for ranking in rankings if ranking.state]
    if states:
        return states[0]
    return "provisional" if subject.is_empty else ""


def _facts(subject: Subject) -> str:
    tables = subject.tables
    raters = {rater for table in tables for rater in table.frame.texts("rater") if rater}
    systems = list(dict.fromkeys(name for table in tables for name in systems_of(table)))
    votes = sum(len(vote.frame) for vote in subject.votes)
    answers = count_answers(rating for rating in subject.ratings if not rating.is_choice)
    facts = [
        counted(len(systems), "system") if systems else "",
        counted(len(raters), "rater") if raters else "",
        counted(votes, "vote") if votes else "",
        counted(answers, "rating") if answers else "",
    ]
    return f"{', '.join(fact for fact in facts if fact) or 'No answers'}."


def _empty(headline: Headline) -> ReportPart:
    lead = f"{headline.finding} {headline.next}"
    return ReportPart(anchor="empty", title="Nothing to report yet", lead=lead)


def _methods(
    subject: Subject, settings: ReportSettings, parts: Iterable[ReportPart]
) -> tuple[str, ...]:
    """Paragraphs that can go into a paper: the data, what was computed, and with what."""
    if subject.is_empty:
        return ("There are no answers yet, so nothing was computed.",)
    said = [part.methods for part in parts if part.methods]
    return (_data(subject), *dict.fromkeys(said), _software(settings))


def _data(subject: Subject) -> str:
    tables = subject.tables
    raters = {name for table in tables for name in table.frame.texts("rater") if name}
    dialogues = {
        name
        for rating in subject.ratings
        if not rating.is_choice
        for name in rating.frame.texts("dialogue")
        if name
    }
    systems = list(dict.fromkeys(name for table in tables for name in systems_of(table)))
    ratings = count_answers(rating for rating in subject.ratings if not rating.is_choice)
    votes = sum(len(vote.frame) for vote in subject.votes)
    what = [
        counted(votes, "pairwise vote") if votes else "",
        counted(ratings, "rating") if ratings else "",
    ]
    given = listed([each for each in what if each])
    by = f" by {counted(len(raters), _kind(subject))}" if raters else ""
    about = f" on {counted(len(dialogues), 'dialogue')}" if dialogues else ""
    of = f" of {counted(len(systems), 'system')} ({listed(systems)})" if systems else ""
    left = ""
    if subject.kind == "study":
        left = " Answers that were replaced by a later one, and those of excluded raters, do not count."
    return f"We analysed {given}{by}{about}{of}.{left}"


def _kind(subject: Subject) -> str:
    if subject.simulated or subject.raters == "simulated":
        return "simulated rater"
    return {"person": "person", "model": "model judge"}.get(subject.raters, "rater")


def _software(settings: ReportSettings) -> str:
    packages = listed([f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "scipy")])
    return (
        f"All numbers were computed with Palaver {__version__} ({packages}); every bootstrap has "
        f"{settings.resamples:,} draws and the seed {settings.seed}."
    )
