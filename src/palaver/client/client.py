"""The client: a method per thing that people ask a Palaver server for."""

from palaver.client.challenges import ChallengeCalls
from palaver.client.connection import Connection
from palaver.client.rounds import RoundCalls
from palaver.client.runs import RunCalls
from palaver.client.studies import StudyCalls
from palaver.client.submissions import SubmissionCalls
from palaver.client.tasks import TaskCalls


class Client(TaskCalls, RunCalls, SubmissionCalls, RoundCalls, ChallengeCalls, StudyCalls):
    """A Palaver server, and the token of an account or of a team to use it with.

    `timeout` is in seconds and for each wait on the server; what only reads is tried `retries` more
    times when the connection is lost.
    """

    def __init__(
        self, url: str, token: str = "", *, timeout: float = 300.0, retries: int = 3
    ) -> None:
        self._connection = Connection(url, token, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        return f"Client('{self._connection.origin}')"
