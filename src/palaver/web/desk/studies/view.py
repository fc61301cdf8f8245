"""The pages of studies: from what was counted to what is shown."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar

from palaver.core.studies.dialogues import RunningDialogue
from palaver.core.studies.notices import NoticeList
from palaver.core.studies.visits import EndedVisit, ListedVisit, Tally, VisitCount
from palaver.core.words import counted
from palaver.evaluation.boards import VoteBoard
from palaver.studies.file.definition import Study
from palaver.studies.file.terms import Pay
from palaver.studies.review.headlines import FoundHeadline
from palaver.studies.review.progress import StudyCourse, StudyProgress
from palaver.studies.review.question_overview import QuestionList, RaterFilter
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.dues import Owed, owed
from palaver.web.desk.frame import DeskShell
from palaver.web.desk.measures.reading import Reading
from palaver.web.desk.parts import Listed
from palaver.web.desk.questions.judgements import (
    Judgements,
    agreement_sentence,
    excluded_words,
    facet_bars,
    rater_choices,
)
from palaver.web.formatting import money, reason_words, with_query

# Minutes. Visits that are over sooner are trials, whose pay by the hour would say nothing.
SHORTEST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiesPage:
    """Every study here."""

    template: ClassVar[str] = "desk/studies/studies.html"
    shell: DeskShell
    studies: list[StudyProgress]
    # Whether these are only those that somebody was granted.
    is_member: bool = False
    # Whether this person may make a new one here.
    may_make: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveStudy:
    """What of a study changes while one looks: drawn first, sent as JSON from then on."""

    study: StudyProgress
    # None where nobody has to wait for a partner.
    waiting: int | None
    running: list[RunningDialogue]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAndPay:
    """How many minutes it took those who finished, how long people waited, and what it cost."""

    minutes: list[float]
    waits: list[float]
    cost: str = ""
    # Pay per hour at the median time; None where nobody has finished.
    hourly: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """How many visits came so far, and what became of them."""

    came_to: str
    then: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPage:
    """One study; `definition` is its file, where it is served."""

    template: ClassVar[str] = "desk/studies/study.html"
    shell: DeskShell
    live: LiveStudy
    definition: Study | None
    course: StudyCourse
    judgements: Judgements
    board: VoteBoard | None
    # What the results of these answers begin with, once they are computed: who leads is theirs to say.
    found: FoundHeadline | None
    took: TimeAndPay
    reached: list[Tally]
    departures: tuple[Departure, ...]
    # What was told of it; None where nobody is to be told, or this person may not know.
    notices: NoticeList | None = None
    # Whether this person may read reports and export, and the formats of an export with a summary.
    may_review: bool
    formats: list[tuple[str, str]]

    @property
    def figure(self) -> dict[str, Any]:
        """The board as a figure: each system's win rate with its interval."""
        rows = [
            {"name": row.system, "points": [{"value": row.rate, "low": row.low, "high": row.high}]}
            for row in (self.board.systems if self.board else ())
            if row.rate is not None
        ]
        return {"rows": rows, "percent": True, "reference": 0.5}


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

    def owed(self, visit: ListedVisit) -> Owed | None:
        return owed(self.pay, state=visit.state, reason=visit.reason, waited=visit.waited)


def judgements_of(
    study: StudyProgress, reading: Reading[QuestionList], *, raters: RaterFilter, address: str
) -> Judgements:
    """What raters said so far, measured, for all raters or one kind of them."""
    questions = reading.value or QuestionList(raters, 0, [])
    overviews = questions.questions
    only = None if raters == "all" else raters
    return Judgements(
        answer=agreement_sentence(overviews)
        if reading.value is not None
        else f"{counted(study.labels, 'answer')} are being measured",
        excluded=excluded_words(questions.excluded),
        raters_url=with_query(f"{address}/raters", raters=only),
        choices=rater_choices(f"{address}/judgements", raters),
        sheets=study.sheets,
        questions=overviews,
        address=address,
        raters=only,
        bars=facet_bars,
        freshness=reading.freshness,
    )


def time_and_pay(visits: Sequence[EndedVisit], pay: Pay | None) -> TimeAndPay:
    """Time and cost of the visits that are over."""
    minutes = [
        visit.seconds / 60 for visit in visits if visit.is_complete and visit.seconds is not None
    ]
    middle = median(minutes) if minutes else 0
    return TimeAndPay(
        minutes=minutes,
        waits=[visit.waited / 60 for visit in visits if visit.waited > 0],
        cost=cost_words(pay, visits) if pay else "",
        hourly=pay.amount / middle * 60 if pay and middle >= SHORTEST else None,
    )


def cost_words(pay: Pay, visits: Sequence[EndedVisit]) -> str:
    """What the visits so far cost, and how that comes about."""
    dues = [
        due
        for visit in visits
        if (due := owed(pay, state=visit.state, reason=visit.reason, waited=visit.waited))
    ]
    total, waiting = sum(due.amount for due in dues), sum(due.waiting for due in dues)
    paid = sum(due.share == "full" for due in dues)
    rest = total - waiting - paid * pay.amount
    parts = f"{paid:,} × {money(pay.amount, pay.currency)}"
    if rest >= 0.005:
        parts += f" + {money(rest, pay.currency)} for parts"
    if waiting >= 0.005:
        parts += f" + {money(waiting, pay.currency)} for waiting"
    return f"{money(total, pay.currency)} ({parts})"


def reached(visits: Sequence[VisitCount], study: RunningStudy | None) -> list[Tally]:
    """How many visits there were, and how many of them came on to each step."""
    steps: dict[str, Callable[[VisitCount], bool]] = {"Came": lambda visit: True}
    if study is None or study.definition.consent is not None:
        steps["Agreed"] = lambda visit: visit.consented or visit.seated or visit.is_complete
    if any(visit.seated for visit in visits):
        steps["Chatted"] = lambda visit: visit.seated
    steps["Finished"] = lambda visit: visit.is_complete
    return [
        Tally(name, sum(visit.count for visit in visits if came_to(visit)))
        for name, came_to in steps.items()
    ]


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
