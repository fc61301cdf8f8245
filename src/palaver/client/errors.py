"""What a client raises: the server's own sentence, or why there was none."""

from palaver.core.errors import PalaverError


class ClientError(PalaverError):
    """A request that failed; `status` is 0 if the server did not answer.

    `code` is the server's short name for what is wrong, `retry_after` the seconds it asks to wait.
    """

    def __init__(
        self, message: str, *, status: int = 0, code: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class WaitError(ClientError):
    """Runs were not over within the given time; they continue on the server."""
