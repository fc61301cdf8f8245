"""Times as Mechanical Turk writes them: `Mon Feb 03 11:22:33 PST 2020`."""

import re
from datetime import UTC, datetime

from palaver.core.moments import moment_of

_TIME = re.compile(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{1,2}) "
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}) ([A-Z]{3,4}) ([0-9]{4})"
)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
# Zones that its files name, by hours from Greenwich; the site used Pacific time.
_ZONES = {
    **{"UTC": 0, "GMT": 0, "PST": -8, "PDT": -7, "MST": -7, "MDT": -6},
    **{"CST": -6, "CDT": -5, "EST": -5, "EDT": -4},
}


def turk_moment(told: str) -> float | None:
    """Seconds since the epoch; None for what is not a time. ISO 8601 is read as well.

    >>> turk_moment("Mon Feb 03 11:22:33 PST 2020"), turk_moment("2020-02-03 11:22:33-08:00")
    (1580757753.0, 1580757753.0)
    """
    found = _TIME.fullmatch(told.strip())
    if found is None:
        return moment_of(told.strip())
    month, day, hour, minute, second, zone, year = found.groups()
    if month not in _MONTHS or zone not in _ZONES:
        return None
    try:
        written = datetime(
            int(year),
            _MONTHS.index(month) + 1,
            int(day),
            int(hour),
            int(minute),
            int(second),
            tzinfo=UTC,
        )
    except ValueError:
        return None
    return written.timestamp() - _ZONES[zone] * 3600
