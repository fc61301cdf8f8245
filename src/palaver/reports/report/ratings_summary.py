"""The part that puts ratings and success side by side: mean, standard error and n over dialogues."""

from collections.abc import Iterator

from palaver.analysis.ratings_summary import (
    RatedDialogue,
    RatingsSummary,
    SummaryPair,
    SystemRating,
    summarise_ratings,
)
from palaver.core.words import counted, decimals
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import (
    EVIDENCE,
    ReportColumn,
    ReportPart,
    ResultTable,
    known,
)
from palaver.reports.report.subject import QuestionRatings, ReportSettings, Subject
from palaver.studies.review.outcomes import PEOPLE

ANCHOR = "summary"
SUCCESS = "success"
INTERVALS = "Intervals: over dialogues, or over people where some rated several."
# More columns than these do not stand side by side on a page.
MOST_BESIDE = 6


def summary_of(subject: Subject, settings: ReportSettings) -> RatingsSummary:
    """The summary of a subject's scales, and of the outcomes of its dialogues."""
    return summarise_ratings(
        {each.name: list(_rated(each, subject)) for each in scales_of(subject)},
        subject.outcomes.successes,
        settings=settings,
    )


def scales_of(subject: Subject) -> list[QuestionRatings]:
    """The questions whose answers are points or amounts."""
    return [
        each
        for each in subject.ratings
        if each.level != "nominal" and not each.is_choice and not each.is_presence
    ]


def summary_part(subject: Subject, settings: ReportSettings) -> ReportPart | None:
    """Ratings by system and question, and success; None where there are neither."""
    found = summary_of(subject, settings)
    if not found.questions and not found.success:
        return None
    tables = [_beside(found), _long(found, subject), _tested(found)]
    return ReportPart(
        anchor=ANCHOR,
        title="Ratings and success" if found.success else "Ratings over dialogues",
        lead=_lead(found),
        tables=tuple(table for table in tables if table is not None),
        warnings=(*found.warnings, *_unknown(subject, found)),
        methods=(
            "Ratings of one dialogue were averaged first; means and standard errors are over "
            "dialogues. Systems were compared by Welch's t test of the dialogues' means (by a "
            "permutation test with fewer than ten dialogues of a system, and of whole raters where "
            "these rated several dialogues of one system alone), with p-values corrected for the "
            "number of pairs of each question (Holm). Success rates have Wilson's intervals and "
            "were compared by the z test of two shares (Fisher's exact test where fewer than five are "
            "expected in a cell), corrected in the same way."
        ),
    )


def _rated(ratings: QuestionRatings, subject: Subject) -> Iterator[RatedDialogue]:
    frame = ratings.frame
    columns = (
        frame.texts("system"),
        frame.texts("dialogue"),
        frame.texts("unit"),
        frame.texts("rater"),
        frame.numbers("value"),
    )
    for system, dialogue, unit, rater, value in zip(*columns, strict=True):
        held_by = subject.outcomes.held_by.get(dialogue or "")
        who = system if system is not None else PEOPLE if held_by == PEOPLE else None
        if who is not None and known(value):
            yield RatedDialogue(who, dialogue or unit, rater, value)


def _lead(found: RatingsSummary) -> str:
    dialogues = max((sum(s.n for s in q.systems) for q in found.questions), default=0)
    outcomes = sum(each.n for each in found.success)
    told = [
        f"{counted(len(found.questions), 'question')} over {counted(dialogues, 'rated dialogue')}"
        if dialogues
        else "",
        f"outcomes of {counted(outcomes, 'dialogue')}" if outcomes else "",
    ]
    return "; ".join(each for each in told if each).capitalize() + "."


def _beside(found: RatingsSummary) -> ResultTable | None:
    """One row per system: what people thought of it, and how often it succeeded."""
    if len(found.questions) > MOST_BESIDE:
        return None
    rated = {(q.question, each.system): each for q in found.questions for each in q.systems}
    done = {each.system: each for each in found.success}
    columns = [ReportColumn("system", "System")]
    columns += [ReportColumn(q.question, f"{q.question}, mean ± SEM") for q in found.questions]
    if done:
        columns += [
            ReportColumn("share", "Success", "percent"),
            ReportColumn("interval", "95 % interval", "percent"),
            ReportColumn("outcomes", "Outcomes", "whole"),
        ]
    rows = []
    for system in found.systems:
        success = done.get(system)
        rows.append(
            {
                "system": system,
                **{q.question: _cell(rated.get((q.question, system))) for q in found.questions},
                "share": success.share if success else None,
                "interval": success.interval if success else None,
                "outcomes": success.n if success else None,
            }
        )
    return ResultTable(
        slug="summary",
        title="Ratings and success of each system" if done else "Ratings of each system",
        columns=tuple(columns),
        rows=rows,
        note="In brackets: rated dialogues. Outcomes are those of all dialogues that have one."
        if done
        else "In brackets: rated dialogues.",
    )


def _cell(rating: SystemRating | None) -> str | None:
    if rating is None:
        return None
    error = decimals(rating.sem, 2) if known(rating.sem) else "–"
    return f"{decimals(rating.mean, 2)} ± {error} ({rating.n:,})"


def _long(found: RatingsSummary, subject: Subject) -> ResultTable | None:
    if not found.questions:
        return None
    places = {each.name: Places(each) for each in scales_of(subject)}
    return ResultTable(
        slug="summary-ratings",
        title="Ratings over dialogues",
        columns=(
            ReportColumn("question", "Question"),
            ReportColumn("system", "System"),
            ReportColumn("mean", "Mean", "number"),
            ReportColumn("sem", "SEM", "number"),
            ReportColumn("interval", "95 % interval", "number"),
            ReportColumn("n", "Dialogues", "whole"),
            ReportColumn("ratings", "Ratings", "whole"),
        ),
        rows=[
            {
                "question": question.question,
                "system": each.system,
                "mean": each.mean,
                "sem": each.sem,
                "interval": each.interval,
                "n": each.n,
                "ratings": each.ratings,
                EVIDENCE: places[question.question].of(each.system),
            }
            for question in found.questions
            for each in question.systems
        ],
        note=" ".join([INTERVALS, *_bare(found)]),
    )


def _bare(found: RatingsSummary) -> Iterator[str]:
    """Which means have no interval, and why."""
    for question in found.questions:
        for each in question.systems:
            if each.reason:
                yield f"{question.question} of {each.system} has none, because {each.reason}."


def _tested(found: RatingsSummary) -> ResultTable | None:
    tested = [(q.question, pair) for q in found.questions for pair in q.pairs]
    tested += [(SUCCESS, pair) for pair in found.success_pairs]
    if not tested:
        return None
    return ResultTable(
        slug="summary-tests",
        title="Pairs of systems",
        columns=(
            ReportColumn("question", "Question"),
            ReportColumn("pair", "Systems"),
            ReportColumn("difference", "Difference", "number"),
            ReportColumn("p", "p", "p"),
            ReportColumn("adjusted", "p, corrected", "p"),
            ReportColumn("test", "Test"),
        ),
        rows=[_test_row(question, pair) for question, pair in tested],
        note="Correction: Holm, over the pairs of each question.",
    )


def _test_row(question: str, pair: SummaryPair) -> dict[str, object]:
    return {
        "question": question,
        "pair": f"{pair.a} − {pair.b}",
        "difference": pair.difference,
        "p": pair.test.p,
        "adjusted": pair.adjusted,
        "test": pair.test.name,
    }


def _unknown(subject: Subject, found: RatingsSummary) -> Iterator[str]:
    if found.success and subject.outcomes.unknown:
        yield (
            f"{counted(subject.outcomes.unknown, 'dialogue')} ended without an outcome that says "
            "whether the task was done; success rates leave them out."
        )
