"""The board of a study, the list of boards, and what they need to know of definitions."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.analysis.win_rates import expected_win_rates
from palaver.core.errors import InputError
from palaver.core.questions.question import spoken
from palaver.evaluation.boards import Raters, VoteBoard, read_vote_board
from palaver.storage.dialogues.summaries import count_labels
from palaver.studies.file.definition import Study


def read_study_board(
    connection: Connection, name: str, study: Study, raters: Raters = "all", *, now: float
) -> VoteBoard:
    """The board of a study as the votes stand; InputError if it compares nothing."""
    question = study.board_question
    if question is None:
        raise InputError(f"The study '{name}' asks no comparative question, so it has no board.")
    conditions = study.chat.conditions if study.chat else ()
    systems: set[str] = set().union(*(condition.systems for condition in conditions))
    return read_vote_board(
        connection,
        study=name,
        question=question,
        systems=sorted(systems),
        needed=votes_needed(study),
        raters=raters,
        truth=true_win_rates(study),
        title=study.title,
        now=now,
    )


def votes_needed(study: Study) -> int | None:
    """How many comparisons are planned; None if neither the board nor every condition says."""
    if study.board.votes is not None:
        return study.board.votes
    conditions = study.chat.conditions if study.chat else ()
    quotas = [condition.needed for condition in conditions]
    return None if None in quotas else sum(quota or 0 for quota in quotas)


def true_win_rates(study: Study) -> dict[str, float] | None:
    """What a simulated crowd of unlimited size would say; None without one."""
    if study.simulated is None or study.chat is None:
        return None
    planned = {
        (condition.systems[0], condition.systems[1]): condition.needed or 1
        for condition in study.chat.conditions
        if len(condition.systems) == 2
    }
    return expected_win_rates(study.simulated.strengths, planned, study.simulated.ties)


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
