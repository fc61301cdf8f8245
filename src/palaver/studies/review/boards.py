"""The board of a study, the list of boards, and what they need to know of definitions."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.analysis.win_rates import expected_win_rates
from palaver.core.errors import MissingError
from palaver.core.questions.question import spoken
from palaver.core.studies.progress import SlotProgress
from palaver.evaluation.boards import Raters, VoteBoard, VotePlan, read_vote_board
from palaver.storage import Store
from palaver.storage.judging.sheets import have_single_parts
from palaver.storage.judging.summaries import keep_summary
from palaver.storage.judging.votes import Votes, read_votes, summary_of, votes_name
from palaver.studies.file.definition import Study
from palaver.studies.review.progress import (
    StudyProgress,
    find_progress,
    read_progress,
    sum_if_known,
)
from palaver.studies.stages import RateStage


async def current_board(
    store: Store,
    study: Study,
    raters: Raters = "all",
    *,
    progress: StudyProgress | None = None,
    now: float,
) -> VoteBoard:
    """The board of a study as the votes stand; what was counted of many votes is kept for others.

    Whoever knows the progress of the study hands it over, so that it is not counted again.
    """
    found = await store.read(lambda c: _read_board(c, study, raters, progress, now))
    if found.votes.keep and not store.read_only:
        kept = summary_of(found.votes, now)
        name = votes_name(study.board_question or "")
        await store.write(lambda c: keep_summary(c, found.study_id, name, kept))
    return found.board


def read_study_board(
    connection: Connection, study: Study, raters: Raters = "all", *, now: float
) -> VoteBoard:
    """The board of a study as the votes stand; MissingError if it compares nothing."""
    return _read_board(connection, study, raters, None, now).board


@dataclass(frozen=True, slots=True)
class _FoundBoard:
    """A board, and the votes that it was made of."""

    study_id: int
    votes: Votes
    board: VoteBoard


def _read_board(
    connection: Connection,
    study: Study,
    raters: Raters,
    progress: StudyProgress | None,
    now: float,
) -> _FoundBoard:
    question = study.board_question
    if question is None:
        raise MissingError(
            f"The study '{study.name}' has no board: it does not ask which of two conversations is "
            "better."
        )
    known = progress or find_progress(connection, study)
    votes = read_votes(connection, known.id, study.name, question)
    board = read_vote_board(
        connection,
        study=study.name,
        question=question,
        systems=sorted(compared_systems(study, question)),
        plan=plan_votes(connection, study, known, raters),
        preferences=votes.preferences,
        raters=raters,
        truth=true_win_rates(study, raters),
        unjudged=unjudged_systems(study),
        title=study.title,
        now=now,
    )
    return _FoundBoard(known.id, votes, board)


def plan_votes(
    connection: Connection,
    study: Study,
    progress: StudyProgress | None = None,
    raters: Raters = "all",
) -> VotePlan:
    """How many comparisons a study plans: as its board says, else by its quotas or its sheets.

    Simulated visitors are as many as the study says, however many people come.
    """
    if raters == "simulated" and study.simulated is not None:
        return VotePlan(study.simulated.visitors)
    if study.board.votes is not None:
        return VotePlan(study.board.votes)
    known = progress or find_progress(connection, study)
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
    compared = compared_systems(study, study.board_question)
    return tuple(name for name in compared if name not in study.simulated.strengths)


def compared_systems(study: Study, question: str | None) -> tuple[str, ...]:
    """The systems whose conversations a question compares; none where they come from a file."""
    asked = [stage for stage in study.stages if isinstance(stage, RateStage)]
    stage = next((stage for stage in asked if question in stage.ask), None)
    if stage is None or stage.has_source or study.chat is None:
        return ()
    pairs = [each.systems for each in study.chat.conditions if len(each.systems) == 2]
    return tuple(dict.fromkeys(name for pair in pairs for name in pair))


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
