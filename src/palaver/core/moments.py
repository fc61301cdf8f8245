"""Times as outside services write them, as seconds since the epoch."""

import re
from datetime import UTC, datetime

_NUMBER = re.compile(r"[0-9]{1,14}(\.[0-9]{1,9})?")


def moment_of(told: str) -> float | None:
    """A time in seconds since the epoch: a date as ISO 8601 has it, or a number; None for any other.

    A date without a zone is in UTC. A number is seconds, or milliseconds where it would else be in the
    far future.

    >>> moment_of("2026-11-15T10:00:00.5Z"), moment_of("1794736800.5"), moment_of("1794736800500")
    (1794736800.5, 1794736800.5, 1794736800.5)
    """
    if _NUMBER.fullmatch(told):
        return float(told) / (1000 if float(told) > 10**11 else 1)
    try:
        found = datetime.fromisoformat(told)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
