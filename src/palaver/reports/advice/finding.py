"""What the report of a study of advice begins with: the same as its board."""

import time

from palaver.core.studies.headline import Headline
from palaver.core.words import counted, measured, percent
from palaver.evaluation.boards import Raters
from palaver.reports.target import OpenStudy
from palaver.studies.advice.board import read_round_board
from palaver.studies.advice.board_records import AdviceBoard
from palaver.studies.advice.kept_board import judges_advice

# Whose answers a report is of, as boards call them.
RATERS: dict[str, Raters] = {"all": "all", "person": "people", "simulated": "simulated"}


def round_finding(opened: OpenStudy, raters: str) -> Headline | None:
    """What the board of a round says; None for other studies, and where nobody has judged."""
    study = opened.definition
    if study is None or raters not in RATERS or not judges_advice(study):
        return None
    board = opened.store.read_now(
        lambda c: read_round_board(c, study, RATERS[raters], now=time.time())
    )
    if not board.judged:
        return None
    return Headline(finding=board.answer, certainty=_certainty(board), next=_next(board))


def _certainty(board: AdviceBoard) -> str:
    rates = [
        f"{row.name} {measured(row.rate.value, row.rate.low, row.rate.high, write=percent)}"
        for row in board.rows[:3]
        if row.rate.value is not None
    ]
    return (
        f"Preferred to people’s best advice (50 % would be as good): {', '.join(rates)}. "
        f"{counted(board.judgements, 'judgement')} on {counted(board.situations, 'situation')} by "
        f"{counted(board.people, 'rater')}."
    )


def _next(board: AdviceBoard) -> str:
    if board.state == "final" or board.needed is None or board.done is None:
        return f"The board of the round and why models lose: /boards/{board.study}."
    left = counted(board.needed - board.done, "judgement")
    return f"{left} are to come; until then the board is provisional."
