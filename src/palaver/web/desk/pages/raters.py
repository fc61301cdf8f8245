"""Everybody who gave labels, the raters of one study, and one rater across studies."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.desk.pages.parts import Pager
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.formatting import Moment
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterRow:
    """A rater in the list."""

    key: str
    url: str
    kind: str
    labels: int
    seconds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Raters:
    """Everybody who gave labels; `studies` lead to the raters of each."""

    template: ClassVar[str] = "researcher/raters.html"
    shell: DeskShell
    rows: tuple[RaterRow, ...]
    studies: tuple[Choice, ...]
    pager: Pager


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRaterRow:
    """A rater of a study; `note` says who left them out (or took them in again), and why."""

    key: str
    url: str
    kind: str
    labels: int
    abstained: int
    label_time: str
    sheet_time: str
    agreement: str
    low: bool
    checks: tuple[str, ...]
    record: tuple[str, ...]
    excluded: bool
    note: str
    noted: Moment | None


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
    rows: tuple[StudyRaterRow, ...]
    done: str
    undo: str
    undo_excluded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterStudyRow:
    """What a rater did in one study."""

    title: str
    url: str
    labels: int
    sheets: int
    label_time: str
    sheet_time: str
    checks: tuple[str, ...]
    excluded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRow:
    """One entry of a rater's record."""

    what: str
    state: str
    tone: str
    study: str
    reason: str
    time: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class Rater:
    """One rater across studies."""

    template: ClassVar[str] = "researcher/rater.html"
    shell: DeskShell
    key: str
    kind: str
    state: str
    list_url: str
    studies: tuple[RaterStudyRow, ...]
    record: tuple[RecordRow, ...]
