"""Everybody who gave labels, the raters of one study, and one rater across studies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.studies.progress import StoredStudy
from palaver.core.studies.raters import ListedRater, RaterWork, StoredRater
from palaver.studies.review.raters import RaterOverview
from palaver.web.desk.pages.parts import Listed
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersPage:
    """Everybody who gave labels; `studies` lead to the raters of each."""

    template: ClassVar[str] = "researcher/raters.html"
    shell: DeskShell
    list: Listed[ListedRater]
    studies: Sequence[StoredStudy]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRaters:
    """Who judged in a study.

    Posts `rater`, `excluded` (yes or no), `raters` and `sort` to `action`, where this person may.
    """

    template: ClassVar[str] = "researcher/study_raters.html"
    shell: DeskShell
    title: str
    study_url: str
    state: str
    action: str
    raters: str
    sort: str
    choices: tuple[Choice, ...]
    heads: tuple[tuple[Choice, bool], ...]
    rows: list[RaterOverview]
    # The newest state under each name of a rater's record, by the rater's id.
    records: Mapping[int, Mapping[str, str]]
    # Whoever was just excluded or taken back in.
    changed: RaterOverview | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordEntry:
    """One entry of a rater's record: a qualification, or an exclusion."""

    what: str
    state: str
    tone: str
    study_id: int
    reason: str
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterPage:
    """One rater across studies."""

    template: ClassVar[str] = "researcher/rater.html"
    shell: DeskShell
    rater: StoredRater
    state: str
    # Every study here, by id.
    studies: Mapping[int, StoredStudy]
    work: list[RaterWork]
    excluded_in: set[int]
    record: list[RecordEntry]
