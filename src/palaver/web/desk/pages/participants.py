"""Who came to a study."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.desk.pages.parts import Pager
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.formatting import Moment
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitRow:
    """One visit; `panel_id` is empty where this person may not see it."""

    alias: str
    panel_id: str
    crowd: str
    state: str
    good: bool
    condition: str
    came: Moment
    minutes: str
    waited: str
    pay: str
    dialogues: tuple[Choice, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Participants:
    """Who came to a study."""

    template: ClassVar[str] = "researcher/participants.html"
    shell: DeskShell
    title: str
    state: str
    study_url: str
    rows: tuple[VisitRow, ...]
    pager: Pager
    shows_panel: bool
    sort: Choice
    newest_first: bool
