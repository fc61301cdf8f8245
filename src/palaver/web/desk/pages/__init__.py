"""What each page of the desk is given: one frozen dataclass per template, as in `web/pages`.

Everything is computed before it gets here: numbers in words, addresses, who may see what.
"""

from palaver.web.desk.pages.accounts import (
    AccountRow,
    NewPassword,
    Secret,
    Settings,
    SignIn,
    TokenRow,
)
from palaver.web.desk.pages.boards import BoardRow, Boards
from palaver.web.desk.pages.dialogues import (
    Dialogue,
    DialogueRow,
    Dialogues,
    Line,
    Persona,
    SeatRow,
)
from palaver.web.desk.pages.judgements import (
    AlphaRow,
    Bar,
    Comparison,
    DialogueJudgements,
    Distribution,
    Judged,
    Judgements,
    Mark,
    PlacedAnswer,
    QuestionRow,
    SheetsRow,
    SplitRow,
)
from palaver.web.desk.pages.participants import Participants, VisitRow
from palaver.web.desk.pages.parts import CountRow, Fact, Option, Pager
from palaver.web.desk.pages.questions import QuestionMap
from palaver.web.desk.pages.raters import (
    Rater,
    RaterRow,
    Raters,
    RaterStudyRow,
    RecordRow,
    StudyRaterRow,
    StudyRaters,
)
from palaver.web.desk.pages.results import Found, StudyResults
from palaver.web.desk.pages.shell import DeskShell, NavItem, Refusal
from palaver.web.desk.pages.studies import (
    ConditionRow,
    ExportForm,
    Links,
    LiveStudy,
    ReportRow,
    RunningRow,
    Studies,
    Study,
    StudyRow,
)

__all__ = [
    "AccountRow",
    "AlphaRow",
    "Bar",
    "BoardRow",
    "Boards",
    "Comparison",
    "ConditionRow",
    "CountRow",
    "DeskShell",
    "Dialogue",
    "DialogueJudgements",
    "DialogueRow",
    "Dialogues",
    "Distribution",
    "ExportForm",
    "Fact",
    "Found",
    "Judged",
    "Judgements",
    "Line",
    "Links",
    "LiveStudy",
    "Mark",
    "NavItem",
    "NewPassword",
    "Option",
    "Pager",
    "Participants",
    "Persona",
    "PlacedAnswer",
    "QuestionMap",
    "QuestionRow",
    "Rater",
    "RaterRow",
    "RaterStudyRow",
    "Raters",
    "RecordRow",
    "Refusal",
    "ReportRow",
    "RunningRow",
    "SeatRow",
    "Secret",
    "Settings",
    "SheetsRow",
    "SignIn",
    "SplitRow",
    "Studies",
    "Study",
    "StudyRaterRow",
    "StudyRaters",
    "StudyResults",
    "StudyRow",
    "TokenRow",
    "VisitRow",
]
