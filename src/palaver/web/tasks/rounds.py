"""What strangers read of a task's rounds of writing: how far each is, and how often models were fooled.

Nobody and no example is named, and neither is a model: some are not published.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request

from palaver.core.evaluation.rounds import ErrorRate, Round
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.rounds.rates import ALL, error_rate
from palaver.storage.evaluation.rounds import RoundMark, list_rounds, round_mark


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRound:
    """A round as anybody may know it."""

    number: int
    state: str
    opened: float
    overall: ErrorRate


class OpenRounds:
    """The rates of rounds, kept until something is written or judged: strangers ask for them often."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[RoundMark, ErrorRate]] = {}

    def read(self, connection: Connection, task_id: int) -> tuple[OpenRound, ...]:
        """The rounds of a task, newest first."""
        return tuple(
            OpenRound(
                number=each.number,
                state=each.state,
                opened=each.opened,
                overall=self._overall(connection, each),
            )
            for each in reversed(list_rounds(connection, task_id))
        )

    def _overall(self, connection: Connection, round_: Round) -> ErrorRate:
        mark, known = round_mark(connection, round_), self._kept.get(round_.id)
        if known is not None and known[0] == mark:
            return known[1]
        found = error_rate(ALL, read_examples(connection, round_))
        self._kept[round_.id] = (mark, found)
        return found


def open_rounds_of(request: Request) -> OpenRounds:
    """The rounds that this process keeps."""
    kept: dict[type, Any] = request.app.state.deployment.kept
    found: OpenRounds = kept.setdefault(OpenRounds, OpenRounds())
    return found
