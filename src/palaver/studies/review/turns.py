"""The order in which votes count, as a column of a study's votes.

`turn` is a vote's place in the order in which raters were done; it is empty where a rater is still at
work. With it a table of votes says all that intervals need that hold however often one looks.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.analysis.ranking.votes import Votes
from palaver.core.numeric import np
from palaver.evaluation.verdicts import AGAIN, WAITS, CastVotes, vote_turns
from palaver.formats.frames import Frame
from palaver.storage.judging.votes import read_votes, vote_keys

TURN = "turn"
_CAME_AGAIN = "again"


def with_turns(connection: Connection, study_id: int, question: str, frame: Frame) -> Frame:
    """A table of a study's votes, with the column `turn` beside the others.

    One that came after the table was read is not in it; one whose rater is at work has no turn, and
    one of a rater who came again is marked as such.
    """
    rows = read_votes(connection, study_id, question)
    keys = vote_keys(connection, study_id, rows)
    turns = dict(zip(keys, vote_turns(rows).tolist(), strict=True))
    cells = zip(frame.texts("unit"), frame.texts("rater"), strict=True)
    found = [_cell(turns.get((unit or "", rater or ""), WAITS)) for unit, rater in cells]
    return Frame(frame.name, {**frame.columns, TURN: found}, frame.first_row)


def cast_of(frame: Frame, votes: Votes, kept: Sequence[bool]) -> CastVotes:
    """Votes that were read from a table, each with its turn; without that column as they stand.

    `kept` says which rows of the table are among the votes.
    """
    if TURN not in frame.columns:
        return CastVotes(votes, np.arange(len(votes)))
    cells = [cell for cell, is_kept in zip(frame.texts(TURN), kept, strict=True) if is_kept]
    return CastVotes(votes, np.array([_turn(cell) for cell in cells], dtype=np.intp))


def _cell(turn: int) -> int | str | None:
    return None if turn == WAITS else _CAME_AGAIN if turn == AGAIN else turn


def _turn(cell: str | None) -> int:
    return WAITS if cell is None else AGAIN if cell == _CAME_AGAIN else int(float(cell))
