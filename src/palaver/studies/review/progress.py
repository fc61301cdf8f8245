"""How far a study is: the same numbers for its page, the list of studies and the API."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.serial import internal
from palaver.core.studies.dialogues import RunningDialogue
from palaver.core.studies.progress import ConditionProgress, StudyCount
from palaver.core.studies.visits import FailureCount, ReportedProblem, Tally, Visit, VisitCount
from palaver.core.words import counted
from palaver.storage.dialogues.summaries import (
    PlaceCount,
    count_endings,
    count_failures,
    count_places,
    count_studies,
    count_visits,
    ended_visits,
    running_dialogues,
)
from palaver.storage.people.participants import list_problems
from palaver.storage.people.queue import count_waiting
from palaver.studies.run.deployment import RunningStudy

SHOWN_RUNNING = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyProgress(StudyCount):
    """A study and its progress; `state` says it in words, `served` whether people can take part."""

    derived: ClassVar[tuple[str, ...]] = ("state", "complete", "needed", "done", "held")
    served: bool
    paired: bool = internal(False)
    conditions: tuple[ConditionProgress, ...]

    @property
    def done(self) -> int:
        return sum(condition.done for condition in self.conditions)

    @property
    def held(self) -> int:
        return sum(condition.held for condition in self.conditions)

    @property
    def needed(self) -> int | None:
        """How many places there are; None where a condition has no quota."""
        quotas = [condition.needed for condition in self.conditions]
        known = [quota for quota in quotas if quota is not None]
        return sum(known) if known and len(known) == len(quotas) else None

    @property
    def complete(self) -> bool:
        return self.needed is not None and self.done >= self.needed

    @property
    def state(self) -> str:
        """The state in words: "41 of 60 dialogues, 3 running"."""
        noun = "pair" if self.paired else "dialogue"
        if not self.conditions:
            ended = self.dialogues - self.running
            return f"{counted(ended, 'dialogue')}, {self.running:,} running"
        if self.needed is None:
            return f"{counted(self.done, noun)}, {self.held:,} running"
        return f"{self.done:,} of {counted(self.needed, noun)}, {self.held:,} running"


@dataclass(frozen=True, slots=True)
class StudyList:
    """Every study, oldest first."""

    studies: list[StudyProgress]


def read_progress(
    connection: Connection, served: dict[str, RunningStudy], study: str | None = None
) -> list[StudyProgress]:
    """Where every study (or one) stands, oldest first."""
    counts = count_studies(connection, study)
    only = counts[0].id if study is not None and counts else None
    by_study: dict[int, list[PlaceCount]] = {}
    for place in count_places(connection, only):
        by_study.setdefault(place.study_id, []).append(place)
    return [
        _progress(count, by_study.get(count.id, []), served.get(count.name)) for count in counts
    ]


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """What is counted of a study beside its progress: how visits and dialogues went."""

    endings: list[Tally]
    visits: list[VisitCount]
    ended: list[Visit]
    failures: list[FailureCount]
    problems: list[ReportedProblem]


def read_counts(connection: Connection, study: StudyProgress) -> StudyCounts:
    """How visits and dialogues went, with a handful of statements."""
    return StudyCounts(
        endings=count_endings(connection, study.id),
        visits=count_visits(connection, study.id),
        ended=ended_visits(connection, study.id),
        failures=count_failures(connection, study.id),
        problems=list_problems(connection, study.name),
    )


def read_running(connection: Connection, study: StudyProgress) -> list[RunningDialogue]:
    """The dialogues of a study that have not ended, newest first; as many as a page shows."""
    return running_dialogues(connection, study.id, limit=SHOWN_RUNNING)


def read_waiting(connection: Connection, study: RunningStudy, now: float) -> int:
    """How many people wait for a partner in a study."""
    return sum(
        count_waiting(connection, study_id=study.id, stage=stage, now=now) for stage in study.plans
    )


def _progress(
    count: StudyCount, places: Sequence[PlaceCount], served: RunningStudy | None
) -> StudyProgress:
    chat = None if served is None else served.definition.chat
    return StudyProgress(
        **{field.name: getattr(count, field.name) for field in fields(StudyCount)},
        served=served is not None,
        paired=chat is not None and chat.arrangement == "paired",
        conditions=tuple(_conditions(places, served)),
    )


def _conditions(
    places: Sequence[PlaceCount], served: RunningStudy | None
) -> Iterable[ConditionProgress]:
    counts = {(p.stage, p.condition, p.state): p.count for p in places}
    totals: dict[tuple[int, str], int] = {}
    for place in places:
        key = (place.stage, place.condition)
        totals[key] = totals.get(key, 0) + place.count
    # A study that is not served here says nothing of its quotas but the places it made.
    plans = served.plans if served is not None else {}
    quotas: dict[tuple[int, str], int | None] = {} if plans else dict(totals)
    for stage, plan in plans.items():
        quotas |= {(stage, name): quota for name, quota in plan.quotas.items()}
    several = len({stage for stage, _ in {**totals, **quotas}}) > 1
    for stage, name in {**quotas, **totals}:
        held, done = (counts.get((stage, name, state), 0) for state in ("held", "done"))
        if (stage, name) not in quotas and held + done == 0:
            continue  # taken out of the file before anybody sat there
        shown = f"stage {stage + 1}: {name}" if several else name
        yield ConditionProgress(shown, quotas.get((stage, name), held + done), held=held, done=done)
