"""Deadlines are read with their zones, and told in UTC and anywhere on earth."""

import re
from datetime import UTC, datetime

import pytest

from palaver.core.deadlines import AOE, in_both_zones, read_moment, written_moment


def utc(*given: int) -> float:
    return datetime(*given, tzinfo=UTC).timestamp()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-12-01 23:59:59 AoE", utc(2026, 12, 2, 11, 59, 59)),
        ("2026-12-01 23:59:59 aoe", utc(2026, 12, 2, 11, 59, 59)),
        ("2026-12-01T23:59:59Z", utc(2026, 12, 1, 23, 59, 59)),
        ("2026-12-01 23:59:59 UTC", utc(2026, 12, 1, 23, 59, 59)),
        ("2026-12-02T08:59:59+09:00", utc(2026, 12, 1, 23, 59, 59)),
        ("2026-12-02 08:59:59 +0900", utc(2026, 12, 1, 23, 59, 59)),
        ("2026-12-01 18:29:59 -05:30", utc(2026, 12, 1, 23, 59, 59)),
        ("2026-12-01 18:29:59 −05:30", utc(2026, 12, 1, 23, 59, 59)),
        ("2026-12-01 23:59 Z", utc(2026, 12, 1, 23, 59)),
        ("2026-12-01 Z", utc(2026, 12, 1)),
    ],
)
def test_one_moment_in_many_zones(text: str, moment: float) -> None:
    assert read_moment(text) == moment


@pytest.mark.parametrize("text", ["2026-12-01 23:59 AoE", "2026-12-01 AoE"])
def test_an_end_is_the_last_second_of_what_was_written(text: str) -> None:
    assert read_moment(text, ends=True) == utc(2026, 12, 2, 11, 59, 59)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2026-12-01 23:59", "has no zone"),
        ("2026-12-01", "has no zone"),
        ("2026-12-01T23:59:59", "has no zone"),
        ("2026-12-01 23:59 PST", "'PST' is not a zone that is taken here. Write 'AoE'"),
        ("2026-12-01 23:59 Asia/Tokyo", "'Asia/Tokyo' is not a zone"),
        ("2026-12-01 23:59 +19:00", "is not a zone"),
        ("2026-12-01 23:59 +09:75", "is not a zone"),
        ("2026-02-30 12:00 Z", "There is no such moment"),
        ("2026-12-01 25:00 Z", "There is no such moment"),
        ("1.12.2026 12:00 AoE", "is not a date with a time and a zone"),
        ("tomorrow", "is not a date with a time and a zone"),
        ("", "is not a date"),
        ("1960-01-01 00:00 Z", "before 1970"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)):
        read_moment(text)


def test_moments_are_written_with_their_zones() -> None:
    moment = read_moment("2026-12-01 23:59:59 AoE")
    assert in_both_zones(moment) == "2026-12-02 11:59 UTC (2026-12-01 23:59 AoE)"
    assert written_moment(moment - 9, AOE) == "2026-12-01 23:59:50 AoE"
