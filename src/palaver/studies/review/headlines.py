"""The headline of a study as its results found it, kept for pages that do not compute it.

Who leads is decided in one place, where results are computed (`reports/report/headline`). It takes
seconds, so that other pages show what was found last, and only while nothing has changed since: the
mark names the version, the study's file and the answers it was found for.
"""

from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection

from palaver import __version__
from palaver.core.studies.headline import Headline
from palaver.storage.judging.ratings import judging_version
from palaver.storage.judging.summaries import KeptSummary, keep_summary, read_summary

NAME = "headline"


@dataclass(frozen=True, slots=True)
class FoundHeadline:
    """What results begin with; `state` is that of their votes, empty where none are planned."""

    headline: Headline
    state: str


def results_mark(connection: Connection, study_id: int, digest: str) -> str:
    """A text that changes whenever results may: with the answers, who counts, and the file."""
    return f"{__version__}:{digest}:{judging_version(connection, study_id)}"


def read_headline(connection: Connection, study_id: int, mark: str) -> FoundHeadline | None:
    """What was found for the answers as they stand; None where that was not computed."""
    kept = read_summary(connection, study_id, NAME)
    if kept is None or kept.mark != mark:
        return None
    return msgspec.json.decode(kept.content, type=FoundHeadline)


def keep_headline(
    connection: Connection, study_id: int, mark: str, found: FoundHeadline, *, now: float
) -> None:
    """Keep what was found in the place of what was found before."""
    content = msgspec.json.encode(found).decode()
    keep_summary(connection, study_id, NAME, KeptSummary(mark, content, now))
