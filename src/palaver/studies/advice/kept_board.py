"""The board of a round as it was computed last, kept for pages that do not compute it.

Its statistics take seconds, so that they are computed beside the server. The mark names the version,
the study's file and the answers that a board was computed of.
"""

from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection

from palaver.core.serial import convert, encode
from palaver.evaluation.boards import Raters
from palaver.storage.judging.summaries import KeptSummary, keep_summary, read_summary
from palaver.studies.advice.board_records import AdviceBoard
from palaver.studies.file.definition import Study
from palaver.studies.review.headlines import results_mark
from palaver.studies.stages import RateStage
from palaver.studies.stages.rate import ADVICE


@dataclass(frozen=True, slots=True)
class KeptBoard:
    """A board, if one was computed, and whether it is of the answers as they stand."""

    board: AdviceBoard | None
    is_current: bool
    mark: str


def judges_advice(study: Study) -> bool:
    """Whether the board of a study is one of advice: its question is asked of two pieces of advice."""
    question = study.board_question
    return any(
        isinstance(stage, RateStage) and stage.format == ADVICE and question in stage.ask
        for stage in study.stages
    )


def board_mark(connection: Connection, study_id: int, study: Study) -> str:
    """Changes whenever the board of a study may."""
    return results_mark(connection, study_id, study.digest)


def read_kept_board(
    connection: Connection, study_id: int, study: Study, raters: Raters
) -> KeptBoard:
    """What was computed last."""
    mark = board_mark(connection, study_id, study)
    kept = read_summary(connection, study_id, _name(raters))
    if kept is None:
        return KeptBoard(None, False, mark)
    return KeptBoard(read_board(kept.content), kept.mark == mark, mark)


def keep_board(connection: Connection, study_id: int, mark: str, board: AdviceBoard) -> None:
    """Keep a board in the place of the one before."""
    summary = KeptSummary(mark, encode(board).decode(), board.updated)
    keep_summary(connection, study_id, _name(board.raters), summary)


def read_board(content: str | bytes) -> AdviceBoard | None:
    """The board that was written; None where another version of this program wrote it."""
    try:
        return convert(msgspec.json.decode(content), AdviceBoard)
    except (msgspec.MsgspecError, KeyError):
        return None


def _name(raters: Raters) -> str:
    return f"advice:{raters}"
