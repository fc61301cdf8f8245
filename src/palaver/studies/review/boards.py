"""The board of a study, the list of boards, and what they need to know of definitions."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic

from sqlalchemy import Connection

from palaver.analysis.ranking.verdict import VoteVerdict
from palaver.analysis.win_rates import expected_win_rates
from palaver.core.errors import MissingError
from palaver.core.questions.question import spoken
from palaver.core.studies.progress import SlotProgress
from palaver.evaluation.boards import KIND_OF, Raters, VoteBoard, VotePlan, vote_board
from palaver.evaluation.verdicts import cast_votes, study_verdict
from palaver.storage import Store
from palaver.storage.judging.exclusions import count_excluded
from palaver.storage.judging.sheets import have_single_parts
from palaver.storage.judging.votes import VoteRows, read_votes
from palaver.studies.file.definition import Study
from palaver.studies.review.progress import (
    StudyProgress,
    find_progress,
    read_progress,
    sum_if_known,
)
from palaver.studies.stages import RateStage

# What votes say is worked out again after a rest of so many times as long as it took.
REST = 9


class StudyBoards:
    """The boards of the studies in a store, for pages that ask for them again and again.

    The votes of a study are read once and then only what is new; what they say is worked out when
    something has changed, by one at a time and at most a tenth of the time: meanwhile everybody is
    shown what was found last.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._polls: dict[str, _Poll] = {}

    def newest_vote(self, study: str) -> float | None:
        """When the newest vote came that was read for a board of the study."""
        return self._polls[study].newest if study in self._polls else None

    async def get(
        self,
        study: Study,
        raters: Raters = "all",
        *,
        progress: StudyProgress | None = None,
        now: float,
    ) -> VoteBoard:
        """The board of a study; MissingError if it compares nothing.

        Whoever knows the progress of the study hands it over, so that it is not counted again.
        """
        poll = self._polls.setdefault(study.name, _Poll())
        seen = await self._store.read(lambda c: poll.read(c, study, raters, progress, now))
        before, turn = poll.found.get(raters), poll.turns.setdefault(raters, asyncio.Lock())
        if before is not None and before.serves(seen, is_awaited=turn.locked()):
            return _board(study, seen, before)
        async with turn:
            found = await asyncio.to_thread(poll.work_out, study, seen)
        return _board(study, seen, found)


def read_study_board(
    connection: Connection, study: Study, raters: Raters = "all", *, now: float
) -> VoteBoard:
    """The board of a study as the votes stand; MissingError if it compares nothing."""
    poll = _Poll()
    seen = poll.read(connection, study, raters, None, now)
    return _board(study, seen, poll.work_out(study, seen))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What was read for a board at one moment."""

    raters: Raters
    plan: VotePlan
    excluded: int
    version: int
    is_final: bool
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the votes of some moment say; it is good enough `until` another."""

    version: int
    is_final: bool
    verdict: VoteVerdict
    votes: int
    time: float
    until: float

    def serves(self, seen: _Seen, *, is_awaited: bool) -> bool:
        """Whether it may be shown: nothing is new, or what is new is being worked out or can wait."""
        if self.is_final != seen.is_final:
            return False
        return self.version == seen.version or is_awaited or monotonic() < self.until


class _Poll:
    """The votes of one study as they were read last, and what they said."""

    def __init__(self) -> None:
        self._reading = Lock()
        self._rows: VoteRows = VoteRows()
        self.turns: dict[Raters, asyncio.Lock] = {}
        self.found: dict[Raters, _Found] = {}

    @property
    def newest(self) -> float | None:
        """When the newest vote came."""
        return max(self._rows.time, default=None)

    def read(
        self,
        connection: Connection,
        study: Study,
        raters: Raters,
        progress: StudyProgress | None,
        now: float,
    ) -> _Seen:
        """Take in what is new."""
        question = board_question(study)
        known = progress or find_progress(connection, study)
        plan = plan_votes(connection, study, known, raters)
        with self._reading:
            self._rows = read_votes(connection, known.id, question, self._rows)
            votes, version = self._rows.count(KIND_OF[raters]), self._rows.version
        return _Seen(
            raters=raters,
            plan=plan,
            excluded=count_excluded(connection, study.name),
            version=version,
            is_final=plan.has_all(votes),
            time=now,
        )

    def work_out(self, study: Study, seen: _Seen) -> _Found:
        """What the votes say."""
        began = monotonic()
        with self._reading:
            cast = cast_votes(self._rows, KIND_OF[seen.raters])
            version = self._rows.version
        verdict = study_verdict(
            cast,
            systems=listed_systems(study),
            final=seen.is_final,
            stopped=seen.plan.has_rule,
            within=seen.plan.within,
        )
        ended = monotonic()
        found = self.found[seen.raters] = _Found(
            version=version,
            is_final=seen.is_final,
            verdict=verdict,
            votes=len(cast.votes) + cast.votes.self_comparisons,
            time=seen.time,
            until=ended + REST * (ended - began),
        )
        return found


def _board(study: Study, seen: _Seen, found: _Found) -> VoteBoard:
    return vote_board(
        found.verdict,
        title=study.title,
        votes=found.votes,
        plan=seen.plan,
        final=found.is_final,
        raters=seen.raters,
        truth=true_win_rates(study, seen.raters),
        unjudged=unjudged_systems(study),
        excluded=seen.excluded,
        now=seen.time if found.version == seen.version else found.time,
    )


def board_question(study: Study) -> str:
    """The question that a study's board counts; MissingError if it compares nothing."""
    if study.board_question is None:
        raise MissingError(
            f"The study '{study.name}' has no board: it does not ask which of two conversations is "
            "better."
        )
    return study.board_question


def listed_systems(study: Study) -> list[str]:
    """The systems that a board lists even without votes."""
    return sorted(study.compared_systems(study.board_question))


def plan_votes(
    connection: Connection,
    study: Study,
    progress: StudyProgress | None = None,
    raters: Raters = "all",
) -> VotePlan:
    """How many comparisons a study plans: as its board says, else by its quotas or its sheets.

    Simulated visitors are as many as the study says, however many people come. A study that its rule
    has stopped has all there will be.
    """
    known = progress or find_progress(connection, study)
    plan = _plan(connection, study, known, raters)
    if known.stop is not None:
        told = replace(plan, stop=known.stop, within=known.stop.within)
        return replace(told, is_over=True, has_rule=True)
    rule = study.board.stop
    return plan if rule is None else replace(plan, has_rule=True, within=rule.rule.within)


def _plan(connection: Connection, study: Study, known: StudyProgress, raters: Raters) -> VotePlan:
    if raters == "simulated" and study.simulated is not None:
        return VotePlan(study.simulated.visitors)
    if study.board.votes is not None:
        return VotePlan(study.board.votes)
    parts = [
        _plan_stage(connection, study, known, index)
        for index, stage in enumerate(study.stages)
        if isinstance(stage, RateStage) and study.board_question in stage.ask
    ]
    return VotePlan(
        sum_if_known(part.needed for part in parts),
        is_over=bool(parts) and all(part.is_over for part in parts),
    )


def _plan_stage(
    connection: Connection, study: Study, progress: StudyProgress, index: int
) -> VotePlan:
    stage = study.stages[index]
    if isinstance(stage, RateStage) and stage.has_source:
        slots = progress.sheets.get(index)
        return VotePlan(None) if slots is None else _plan_sheets(connection, progress, index, slots)
    # One's own conversations are compared where somebody talks with two systems.
    conditions = study.chat.conditions if study.chat else ()
    compared = {condition.name for condition in conditions if len(condition.systems) == 2}
    places = [each for each in progress.conditions if each.name in compared]
    needed = sum_if_known(place.needed for place in places)
    return VotePlan(
        needed, is_over=needed is not None and sum(place.done for place in places) >= needed
    )


def _plan_sheets(
    connection: Connection, progress: StudyProgress, index: int, slots: SlotProgress
) -> VotePlan:
    """One comparison for each rating, where each sheet shows one thing; else it is not known."""
    single = have_single_parts(connection, progress.id, index)
    return VotePlan(
        slots.needed if single else None, is_over=slots.needed > 0 and slots.done >= slots.needed
    )


def true_win_rates(study: Study, raters: Raters = "all") -> dict[str, float] | None:
    """What a simulated crowd of unlimited size would say; None without one.

    The crowd judges only systems whose strength it knows. People also judge the others, so that
    beside all votes only a system that meets none of those has a true rate.
    """
    if study.simulated is None or study.chat is None:
        return None
    planned = {
        (condition.systems[0], condition.systems[1]): condition.needed or 1
        for condition in study.chat.conditions
        if len(condition.systems) == 2
    }
    strengths = study.simulated.strengths
    judged = {pair: needed for pair, needed in planned.items() if strengths.keys() >= {*pair}}
    rates = expected_win_rates(strengths, judged, study.simulated.ties)
    if raters == "simulated":
        return rates
    mixed = {system for pair in planned.keys() - judged.keys() for system in pair}
    return {system: rate for system, rate in rates.items() if system not in mixed}


def unjudged_systems(study: Study) -> tuple[str, ...]:
    """The compared systems whose strength a simulated crowd does not know, so that it leaves them."""
    if study.simulated is None:
        return ()
    compared = study.compared_systems(study.board_question)
    return tuple(name for name in compared if name not in study.simulated.strengths)


def chat_systems(study: Study) -> tuple[str, ...]:
    """The systems that people are to talk with."""
    conditions = study.chat.conditions if study.chat is not None else ()
    return tuple(dict.fromkeys(name for each in conditions for name in each.systems))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBoard:
    """The board of a study in a list; `needed` votes are planned, None where that is not known."""

    study: str
    title: str
    question: str
    votes: int
    needed: int | None
    public: bool


def list_boards(connection: Connection, studies: Mapping[str, Study]) -> list[ListedBoard]:
    """The boards of the studies that compare systems."""
    stored = {each.name: each for each in read_progress(connection, studies)}
    return [
        ListedBoard(
            study=study.name,
            title=study.title,
            question=spoken(study.questions[name].text),
            votes=stored[study.name].answers.get(name, 0),
            needed=plan_votes(connection, study, stored[study.name]).needed,
            public=study.board.public,
        )
        for study in studies.values()
        if (name := study.board_question) is not None
    ]
