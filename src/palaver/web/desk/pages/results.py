"""The results of a study."""

from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from palaver.web.desk.pages.shell import DeskShell
from palaver.web.formatting import Moment
from palaver.web.pages import Choice


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
class ResultsPage:
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
