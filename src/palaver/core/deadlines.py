"""Moments as people write deadlines: with a zone, so that nobody has to guess.

"Anywhere on earth" (AoE) is UTC−12: a deadline has passed when it has passed everywhere.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

AOE = timezone(timedelta(hours=-12), "AoE")
ZONES = "'AoE' (anywhere on earth, UTC-12), 'Z' or 'UTC', or an offset such as '+09:00'"
EXAMPLE = "2026-12-01 23:59 AoE"

_MOMENT = re.compile(
    r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,6})?)?)? ?([^\s\d:].*)?", re.ASCII
)
_OFFSET = re.compile(r"([+-])(\d{2}):?(\d{2})?", re.ASCII)
# No place on earth is further from UTC.
_MOST_OFFSET = timedelta(hours=14)


def read_moment(text: str, *, ends: bool = False) -> float:
    """The moment that a text with a zone means, in seconds since 1970; ValueError says what is wrong.

    A time without seconds is the beginning of its minute, a date without a time that of its day;
    where something `ends` then, it is the last second of the minute or the day.
    """
    found = _MOMENT.fullmatch(text.strip())
    if found is None:
        raise ValueError(
            f"'{text[:40]}' is not a date with a time and a zone. Write it as {EXAMPLE}; zones: "
            f"{ZONES}."
        )
    day, clock, seconds, zone = found.groups()
    if zone is None:
        raise ValueError(
            f"'{text[:40]}' has no zone, so that it is another moment for everybody who reads it. "
            f"Add one: {ZONES}."
        )
    offset = _zone(zone.strip())
    if offset is None:
        raise ValueError(f"'{zone[:20]}' is not a zone that is taken here. Write {ZONES}.")
    last = ("23:59", ":59") if ends else ("00:00", ":00")
    whole = f"{day}T{clock or last[0]}{seconds or last[1]}"
    try:
        moment = datetime.fromisoformat(whole).replace(tzinfo=offset).timestamp()
    except (ValueError, OverflowError):
        raise ValueError(f"There is no such moment as '{text[:40]}'. Check day and time.") from None
    if moment < 0:
        raise ValueError(f"'{text[:40]}' is before 1970.")
    return moment


def written_moment(moment: float, zone: timezone = UTC) -> str:
    """A moment to the minute (to the second where it matters) with its zone's name."""
    here = datetime.fromtimestamp(moment, zone)
    clock = "%H:%M" if here.second in (0, 59) else "%H:%M:%S"
    return f"{here:%Y-%m-%d {clock}} {here.tzname()}"


def in_both_zones(moment: float) -> str:
    """A moment in UTC and, in brackets, anywhere on earth."""
    return f"{written_moment(moment)} ({written_moment(moment, AOE)})"


def _zone(name: str) -> timezone | None:
    if name.upper() in ("Z", "UTC", "GMT"):
        return UTC
    if name.lower() == "aoe":
        return AOE
    found = _OFFSET.fullmatch(name.replace("−", "-"))
    if found is None:
        return None
    sign, hours, minutes = found.groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > _MOST_OFFSET or int(minutes or 0) > 59:
        return None
    return timezone(-offset if sign == "-" else offset)
