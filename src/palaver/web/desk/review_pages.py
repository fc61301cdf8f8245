"""What the pages about judgements are given: one frozen dataclass per template, as in `pages`."""

from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from palaver.web.desk.pages import DeskShell, Fact, Pager
from palaver.web.desk.review_parts import AlphaRow, Distribution, SplitRow
from palaver.web.desk.words import Moment
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionMap:
    """The disagreement map of a question."""

    template: ClassVar[str] = "researcher/question.html"
    shell: DeskShell
    title: str
    study_url: str
    name: str
    text: str
    state: str
    answer: str
    excluded: str
    raters_url: str
    choices: tuple[Choice, ...]
    facts: tuple[Fact, ...]
    reason: str
    alphas: tuple[AlphaRow, ...]
    ticks: tuple[tuple[str, float], ...]
    distributions: tuple[Distribution, ...]
    rows: tuple[SplitRow, ...]
    chosen: str
    all_url: str
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a study found: the answer, the parts of the page, and how they were computed."""

    answer: str
    state: str
    facts: str
    contents: tuple[tuple[str, str], ...]
    parts: Markup
    methods: tuple[str, ...]
    seed: int
    made: Moment
    empty: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResults:
    """The results of a study; nothing is `found` while they are being computed or could not be."""

    template: ClassVar[str] = "researcher/results.html"
    shell: DeskShell
    title: str
    study_url: str
    address: str
    choices: tuple[Choice, ...]
    excluded: str
    computing: bool
    # Whether these are the results of the answers as they stand now.
    current: bool
    failure: str
    again_url: str
    download_url: str
    found: Found | None
