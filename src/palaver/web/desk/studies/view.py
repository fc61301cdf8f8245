"""The pages of studies: from what was counted to what is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.studies.dialogues import RunningDialogue
from palaver.core.studies.progress import ConditionProgress
from palaver.core.studies.visits import (
    FailureCount,
    ListedVisit,
    ReportedProblem,
    Tally,
    Visit,
    VisitCount,
)
from palaver.studies.file.terms import Pay
from palaver.studies.review.boards import ListedBoard
from palaver.studies.review.progress import (
    StudyProgress,
)
from palaver.studies.review.question_overview import RaterFilter
from palaver.studies.review.views import read_questions, sheet_progress
from palaver.studies.run.deployment import RunningStudy
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.parts import Fact, Listed, Option
from palaver.web.desk.questions.judgements import (
    Judgements,
    agreement_sentence,
    axis_of,
    excluded_words,
    facet_bars,
    rater_choices,
)
from palaver.web.formatting import Moment, moment, money, reason_words, spread, with_query


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage:
    """Every study here."""

    template: ClassVar[str] = "desk/studies/studies.html"
    shell: DeskShell
    studies: list[StudyProgress]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """A dialogue that runs; `last` is the time of its last event."""

    key: str
    url: str
    condition: str
    messages: int
    started: Moment
    last: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStudy:
    """What of a study changes while one looks: drawn first, sent as JSON from then on."""

    state: str
    complete: bool
    # None where nobody has to wait for a partner.
    waiting: int | None
    conditions: Sequence[ConditionProgress]
    running: tuple[RunningRow, ...]
    running_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How many people came so far, and what became of them."""

    came_to: str
    then: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportForm:
    """The choices of a download; None where this person may not export."""

    action: str
    formats: tuple[Option, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    """One study."""

    template: ClassVar[str] = "desk/studies/study.html"
    shell: DeskShell
    title: str
    served: bool
    file: str
    live: LiveStudy
    live_url: str
    facts: tuple[Fact, ...]
    departures: tuple[Departure, ...]
    endings: list[Tally]
    failures: list[FailureCount]
    # None where this person may not read them.
    reports: list[ReportedProblem] | None
    judgements: Judgements
    list_url: str
    participants_url: str
    dialogues_url: str
    results_url: str = ""
    board_url: str = ""
    exports: ExportForm | None = None
    links_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementsPage:
    """What raters said in a study."""

    template: ClassVar[str] = "desk/studies/judgements.html"
    shell: DeskShell
    judgements: Judgements


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantsPage:
    """Who came to a study; a panel's names for them are shown to those who may see them."""

    template: ClassVar[str] = "desk/studies/participants.html"
    shell: DeskShell
    study: StudyProgress
    list: Listed[ListedVisit]
    pay: Pay | None
    shows_panel: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardListPage:
    """The boards of the studies that compare systems."""

    template: ClassVar[str] = "desk/studies/boards.html"
    shell: DeskShell
    boards: list[ListedBoard]


def read_judgements(
    connection: Connection,
    study_id: int,
    served: RunningStudy | None,
    *,
    raters: RaterFilter,
    address: str,
) -> Judgements:
    """What raters said so far, measured, for all raters or one kind of them."""
    questions = read_questions(connection, study_id, served, raters)
    overviews = questions.questions
    only = None if raters == "all" else raters
    return Judgements(
        answer=agreement_sentence(overviews),
        excluded=excluded_words(questions.excluded),
        raters_url=with_query(f"{address}/raters", raters=only),
        choices=rater_choices(f"{address}/judgements", raters),
        sheets=sheet_progress(connection, study_id),
        questions=overviews,
        address=address,
        raters=only,
        axis=axis_of(overviews),
        bars=facet_bars,
    )


def live_study(
    progress: StudyProgress,
    running: Sequence[RunningDialogue],
    *,
    waiting: int | None,
    root: str,
) -> LiveStudy:
    """The part that changes while one looks."""
    return LiveStudy(
        state=progress.state,
        complete=progress.complete,
        waiting=waiting,
        conditions=progress.conditions,
        running=tuple(_running(dialogue, root) for dialogue in running),
        running_count=progress.running,
    )


def _running(dialogue: RunningDialogue, root: str) -> RunningRow:
    return RunningRow(
        key=dialogue.key,
        url=f"{root}/desk/dialogues/{dialogue.key}",
        condition=dialogue.condition,
        messages=dialogue.messages,
        started=moment(dialogue.created),
        last=moment(dialogue.last or dialogue.created),
    )


def facts(
    progress: StudyProgress, visits: Sequence[Visit], pay: Pay | None, minutes: int | None
) -> tuple[Fact, ...]:
    """Time and cost per participant, each with its n."""
    finished = [
        visit.seconds / 60 for visit in visits if visit.is_complete and visit.seconds is not None
    ]
    waits = [visit.waited / 60 for visit in visits if visit.waited > 0]
    found = [
        Fact(name="People who arrived", value=f"{progress.visits:,}"),
        Fact(name="Finished", value=f"{len(finished):,}"),
        Fact(name="Minutes per participant", value=spread(finished, unit="min")),
    ]
    if minutes is not None:
        found.append(Fact(name="Announced minutes", value=f"{minutes:,} min"))
    if waits:
        found.append(Fact(name="Minutes waited", value=spread(waits, unit="min")))
    if pay is not None:
        found.append(Fact(name="Pay so far", value=cost_words(pay, visits)))
        found += _hourly(pay, finished)
    return tuple(found)


def _hourly(pay: Pay, finished: Sequence[float]) -> Iterable[Fact]:
    if finished and median(finished) > 0:
        rate = pay.amount / median(finished) * 60
        yield Fact(
            name="Pay per hour at the median time",
            value=f"{money(rate, pay.currency)} (n = {len(finished):,})",
        )


def cost_words(pay: Pay, visits: Sequence[Visit]) -> str:
    """What the visits so far cost, and how that comes about."""
    paid = sum(pay.is_full(visit.state, visit.reason) for visit in visits)
    total = sum(pay.due(visit.state, visit.reason, visit.waited) for visit in visits)
    waiting = total - paid * pay.amount
    parts = f"{paid:,} × {money(pay.amount, pay.currency)}"
    if waiting >= 0.005:
        parts += f" + {money(waiting, pay.currency)} for waiting"
    return f"{money(total, pay.currency)} ({parts})"


def departures(visits: Sequence[VisitCount], study: RunningStudy | None) -> tuple[Departure, ...]:
    """Who is here and who left, by how far they came and why; those who finished come last."""
    rows: dict[tuple[str, str], int] = {}
    for visit in visits:
        words = (_how_far(visit, study), _why(visit))
        rows[words] = rows.get(words, 0) + visit.count
    order = {"consent": 0, "before the first dialogue": 1, "in a dialogue or after": 2}
    ordered = sorted(rows.items(), key=lambda row: (order.get(row[0][0], 3), -row[1], row[0]))
    return tuple(
        Departure(came_to=words[0], then=words[1], count=count) for words, count in ordered
    )


def _how_far(visit: VisitCount, study: RunningStudy | None) -> str:
    if visit.is_complete:
        return "the end"
    asks_consent = study is None or study.definition.consent is not None
    if visit.state == "declined" or (asks_consent and not visit.consented and not visit.seated):
        return "consent"
    return "in a dialogue or after" if visit.seated else "before the first dialogue"


def _why(visit: VisitCount) -> str:
    if visit.state == "active":
        return "still active"
    return reason_words((visit.state == "finished" and visit.reason) or visit.state)
