"""Who came to a study."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.core.studies.visits import ListedVisit
from palaver.studies.file.terms import Pay
from palaver.studies.review.progress import StudyProgress
from palaver.web.desk.pages.parts import Listed
from palaver.web.desk.pages.shell import DeskShell


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantsPage:
    """Who came to a study; a panel's names for them are shown to those who may see them."""

    template: ClassVar[str] = "researcher/participants.html"
    shell: DeskShell
    study: StudyProgress
    list: Listed[ListedVisit]
    pay: Pay | None
    shows_panel: bool
