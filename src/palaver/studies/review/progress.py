"""How far a study is: the same numbers for its page, the list of studies, commands and the API."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import ClassVar

from sqlalchemy import Connection

from palaver.core.errors import MissingError
from palaver.core.serial import if_any, internal
from palaver.core.studies.blinding import BlindingList, SystemBlinding
from palaver.core.studies.dialogues import RunningDialogue
from palaver.core.studies.life import StudyLife
from palaver.core.studies.progress import ConditionProgress, SlotProgress, StudyCounts
from palaver.core.studies.stops import StudyStop
from palaver.core.studies.visits import EndedVisit, FailureCount, ReportedProblem, VisitCount
from palaver.core.words import counted
from palaver.storage.dialogues.blinding import count_blinding
from palaver.storage.dialogues.summaries import (
    PlaceCount,
    ScenarioCount,
    count_failures,
    count_places,
    count_scenarios,
    count_studies,
    count_visits,
    ended_visits,
    running_dialogues,
)
from palaver.storage.judging.screenings import CONDITION as SCREENING
from palaver.storage.judging.slot_counts import count_slots
from palaver.storage.people.participants import list_problems
from palaver.storage.people.queue import count_waiting
from palaver.storage.studies.states import latest_states
from palaver.storage.studies.stops import read_stops
from palaver.studies.file.definition import Study
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.run.life import life_of
from palaver.studies.stages import ChatStage
from palaver.studies.stages.conditions import BETWEEN

SHOWN_RUNNING = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a study is to collect, and how much of it is done; `needed` is null without a quota.

    Held are those under way: somebody was seated, or was handed a sheet, and has not finished.
    """

    noun: str
    needed: int | None
    done: int
    held: int

    @property
    def complete(self) -> bool:
        return self.needed is not None and self.done >= self.needed

    @property
    def free(self) -> int:
        """How many nobody has begun; 0 where there is no quota."""
        return 0 if self.needed is None else max(0, self.needed - self.done - self.held)

    def __str__(self) -> str:
        of = "" if self.needed is None else f"{self.done:,} of "
        what = counted(self.done if self.needed is None else self.needed, self.noun)
        under_way = f", {self.held:,} under way" if self.held else ""
        return f"{of}{what} done{under_way}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyProgress(StudyCounts):
    """A study and its progress; `state` says it in words, `served` whether people can take part.

    `conditions` are those of its chats; `sheets` are what raters are handed, by stage from 0. `stop`
    says that its rule has stopped it: what is there is then all that was needed.
    """

    derived: ClassVar[tuple[str, ...]] = ("state", "complete", "needed", "done", "held")
    # Whether it takes people in, since when and why.
    life: StudyLife = field(default_factory=StudyLife)
    served: bool
    paired: bool = internal(False)
    conditions: tuple[ConditionProgress, ...]
    sheets: Mapping[int, SlotProgress]
    stop: StudyStop | None = if_any(None)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """What is to be collected: conversations, ratings of sheets, or both."""
        goals = []
        if self.conditions:
            noun = "pair" if self.paired else "dialogue"
            goals.append(_goal(noun, self.conditions))
        if self.sheets:
            goals.append(_goal("rating", tuple(self.sheets.values())))
        return tuple(goals)

    @property
    def done(self) -> int:
        return sum(goal.done for goal in self.goals)

    @property
    def held(self) -> int:
        return sum(goal.held for goal in self.goals)

    @property
    def needed(self) -> int | None:
        """How many are to be collected in all; None where a condition has no quota."""
        return sum_if_known(goal.needed for goal in self.goals)

    @property
    def complete(self) -> bool:
        if self.stop is not None:
            return True
        return bool(self.goals) and all(goal.complete for goal in self.goals)

    @property
    def state(self) -> str:
        """The state in words: "41 of 60 dialogues done, 3 under way; paused since …"."""
        stopped = "" if self.stop is None else "stopped by its rule"
        running = f", {self.running:,} running" if self.running else ""
        dialogues = f"{counted(self.dialogues, 'dialogue')}{running}"
        done = [str(goal) for goal in self.goals] or [dialogues]
        return "; ".join(filter(None, (*done, stopped, self.life.words)))


@dataclass(frozen=True, slots=True)
class StudyList:
    """Every study, oldest first."""

    studies: list[StudyProgress]


def read_progress(
    connection: Connection,
    served: Mapping[str, Study],
    study: str | None = None,
    *,
    now: float | None = None,
) -> list[StudyProgress]:
    """Where every study (or one) stands, oldest first; `served` are those whose files are here.

    Their dates are looked at as of `now`, or this moment.
    """
    moment = time.time() if now is None else now
    counts = count_studies(connection, study)
    only = counts[0].id if study is not None and counts else None
    by_study: dict[int, list[PlaceCount]] = {}
    for place in count_places(connection, only):
        by_study.setdefault(place.study_id, []).append(place)
    scenarios = count_scenarios(connection, only)
    slots = count_slots(connection, [count.id for count in counts])
    stops, states = read_stops(connection), latest_states(connection)
    return [
        _progress(
            count,
            by_study.get(count.id, []),
            [each for each in scenarios if each.study_id == count.id],
            slots.get(count.id, {}),
            served,
            stops.get(count.id),
            life_of(
                states.get(count.id),
                stops.get(count.id),
                served[count.name].dates if count.name in served else None,
                moment,
            ),
        )
        for count in counts
    ]


def find_progress(connection: Connection, study: Study) -> StudyProgress:
    """Where the study of a file stands; MissingError if nothing of it is stored."""
    found = read_progress(connection, {study.name: study}, study.name)
    if not found:
        raise MissingError(f"There is no study '{study.name}' here.")
    return found[0]


@dataclass(frozen=True, slots=True)
class StudyCourse:
    """How the visits and dialogues of a study went."""

    visits: list[VisitCount]
    ended: list[EndedVisit]
    failures: list[FailureCount]
    problems: list[ReportedProblem]
    blinding: list[SystemBlinding]


def read_course(connection: Connection, study: StudyProgress) -> StudyCourse:
    """How visits and dialogues went, with a handful of statements."""
    return StudyCourse(
        visits=count_visits(connection, study.id),
        ended=ended_visits(connection, study.id),
        failures=count_failures(connection, study.id),
        problems=list_problems(connection, study.name),
        blinding=count_blinding(connection, study.id),
    )


def read_blinding(connection: Connection, study: StudyProgress) -> BlindingList:
    """How often each system of a study may have been recognised."""
    return BlindingList(count_blinding(connection, study.id))


def read_running(connection: Connection, study: StudyProgress) -> list[RunningDialogue]:
    """The dialogues of a study that have not ended, newest first; as many as a page shows."""
    return running_dialogues(connection, study.id, limit=SHOWN_RUNNING)


def read_waiting(connection: Connection, study: RunningStudy, now: float) -> int:
    """How many people wait for a partner in a study."""
    return sum(
        count_waiting(connection, study_id=study.id, stage=stage, now=now) for stage in study.plans
    )


def _goal(noun: str, parts: Sequence[ConditionProgress | SlotProgress]) -> Goal:
    return Goal(
        noun=noun,
        needed=sum_if_known(part.needed for part in parts),
        done=sum(part.done for part in parts),
        held=sum(part.held for part in parts),
    )


def sum_if_known(numbers: Iterable[int | None]) -> int | None:
    """The sum of some numbers; None where one is not known, or there is none."""
    given = list(numbers)
    known = [number for number in given if number is not None]
    return sum(known) if known and len(known) == len(given) else None


def _progress(
    count: StudyCounts,
    places: Sequence[PlaceCount],
    scenarios: Sequence[ScenarioCount],
    slots: Mapping[int, SlotProgress],
    studies: Mapping[str, Study],
    stop: StudyStop | None,
    life: StudyLife,
) -> StudyProgress:
    served = studies.get(count.name)
    return StudyProgress(
        **{each.name: getattr(count, each.name) for each in fields(StudyCounts)},
        served=served is not None,
        paired=_is_paired(places, served),
        conditions=tuple(_conditions(places, scenarios, served)),
        sheets=slots,
        stop=stop,
        life=life,
    )


def _is_paired(places: Sequence[PlaceCount], served: Study | None) -> bool:
    """Whether a place is for two conversations; without the file the names of conditions say it."""
    if served is None:
        return any(BETWEEN in place.condition for place in places)
    return served.chat is not None and served.chat.arrangement == "paired"


def _conditions(
    places: Sequence[PlaceCount], scenarios: Sequence[ScenarioCount], served: Study | None
) -> Iterable[ConditionProgress]:
    by_scenario = {(each.stage, each.condition): each for each in scenarios}
    counts = {(p.stage, p.condition, p.state): p.count for p in places}
    totals: dict[tuple[int, str], int] = {}
    for place in places:
        key = (place.stage, place.condition)
        totals[key] = totals.get(key, 0) + place.count
    # A study that is not served here says nothing of its quotas but the places it made.
    quotas: dict[tuple[int, str], int | None] = dict(totals) if served is None else {}
    chats = {
        number: chat
        for number, chat in enumerate(served.stages if served is not None else ())
        if isinstance(chat, ChatStage) and not chat.practice
    }
    for number, chat in chats.items():
        for each in chat.conditions:
            key = (number, each.name)
            # A quota for each scenario is as many places as were made for it.
            quotas[key] = each.needed if each.per_scenario is None else totals.get(key, 0)
    # How many may be screened is kept as places, too; that is not a quota to fill.
    allowances = {key for key in totals if key[1] == SCREENING and key[0] not in chats}
    totals = {key: total for key, total in totals.items() if key not in allowances}
    quotas = {key: quota for key, quota in quotas.items() if key not in allowances}
    several = len({stage for stage, _ in {**totals, **quotas}}) > 1
    for stage, name in {**quotas, **totals}:
        held, done = (counts.get((stage, name, state), 0) for state in ("held", "done"))
        if (stage, name) not in quotas and held + done == 0:
            continue  # taken out of the file before anybody sat there
        shown = f"stage {stage + 1}: {name}" if several else name
        cells = by_scenario.get((stage, name))
        yield ConditionProgress(
            shown,
            quotas.get((stage, name), held + done),
            held=held,
            done=done,
            scenarios=None if cells is None else cells.scenarios,
            scenarios_done=None if cells is None else cells.done,
        )
