"""The board of a study, the list of boards, and what they need to know of definitions."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.analysis.win_rates import expected_win_rates
from palaver.core.errors import MissingError
from palaver.core.questions.question import spoken
from palaver.evaluation.boards import Raters, VoteBoard, read_vote_board
from palaver.storage.dialogues.summaries import count_labels
from palaver.studies.file.definition import Condition, RateStage, Study


def read_study_board(
    connection: Connection, name: str, study: Study, raters: Raters = "all", *, now: float
) -> VoteBoard:
    """The board of a study as the votes stand; MissingError if it compares nothing."""
    question = study.board_question
    if question is None:
        raise MissingError(
            f"The study '{name}' has no board: it does not ask which of two conversations is better."
        )
    systems = {system for condition in _compared(study) for system in condition.systems}
    return read_vote_board(
        connection,
        study=name,
        question=question,
        systems=sorted(systems),
        needed=votes_needed(study, raters),
        raters=raters,
        truth=true_win_rates(study, raters),
        unjudged=unjudged_systems(study),
        title=study.title,
        now=now,
    )


def votes_needed(study: Study, raters: Raters = "all") -> int | None:
    """How many comparisons are planned; None if neither the board nor every condition says.

    Simulated visitors are as many as the study says, however many people come.
    """
    if raters == "simulated" and study.simulated is not None:
        return study.simulated.visitors
    if study.board.votes is not None:
        return study.board.votes
    quotas = [condition.needed for condition in _compared(study)]
    return None if not quotas or None in quotas else sum(quota or 0 for quota in quotas)


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
    compared = {name: None for condition in _compared(study) for name in condition.systems}
    return tuple(name for name in compared if name not in study.simulated.strengths)


def _compared(study: Study) -> tuple[Condition, ...]:
    """The conditions whose conversations the board's question compares; none where a file has them."""
    asked = [stage for stage in study.stages if isinstance(stage, RateStage)]
    stage = next((stage for stage in asked if study.board_question in stage.ask), None)
    own = stage is not None and not stage.has_source
    return study.chat.conditions if own and study.chat is not None else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBoard:
    """The board of a study in a list; `needed` votes are planned, None where there is no limit."""

    study: str
    title: str
    question: str
    votes: int
    needed: int | None
    public: bool


def list_boards(connection: Connection, studies: Iterable[Study]) -> list[ListedBoard]:
    """The boards of the studies that compare systems."""
    votes = count_labels(connection)
    return [
        ListedBoard(
            study=study.name,
            title=study.title,
            question=spoken(study.questions[name].text),
            votes=votes.get((study.name, name), 0),
            needed=votes_needed(study),
            public=study.board.public,
        )
        for study in studies
        if (name := study.board_question) is not None
    ]
