"""Log lines: an event and its fields, through the standard library's logging.

structlog would do the same with four megabytes more in every serving process; see
`docs/design/small-process.md`. Secrets are never among the fields: who logs names what it logs.
"""

import logging
from typing import Any


class Log:
    """Logs events as `event key=value …`."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def info(self, event: str, **fields: Any) -> None:
        """Something worth knowing when looking closely."""
        self._log(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Any) -> None:
        """Something went wrong and was dealt with."""
        self._log(logging.WARNING, event, fields)

    def error(self, event: str, *, exc_info: BaseException | None = None, **fields: Any) -> None:
        """Something went wrong and somebody must look."""
        self._log(logging.ERROR, event, fields, exc_info)

    def _log(
        self,
        level: int,
        event: str,
        fields: dict[str, Any],
        exc_info: BaseException | None = None,
    ) -> None:
        if self._logger.isEnabledFor(level):
            told = " ".join(f"{key}={value!r}" for key, value in fields.items())
            self._logger.log(level, f"{event} {told}".rstrip(), exc_info=exc_info)


def get_log(name: str) -> Log:
    return Log(name)
