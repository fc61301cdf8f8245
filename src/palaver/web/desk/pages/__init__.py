"""What each page of the desk is given: one frozen dataclass per template, as in `web/pages`.

A page holds the records that it shows, addresses, and who may do what; its template formats them.
"""

from palaver.web.desk.pages.accounts import (
    NewPassword,
    Secret,
    Settings,
    SignIn,
)
from palaver.web.desk.pages.boards import (
    BoardList,
)
from palaver.web.desk.pages.dialogues import (
    Dialogue,
    Dialogues,
    Line,
)
from palaver.web.desk.pages.judgements import (
    Axis,
    Bar,
    Comparison,
    DialogueJudgements,
    Distribution,
    Judged,
    Judgements,
    PlacedAnswer,
    SplitRow,
)
from palaver.web.desk.pages.participants import (
    Participants,
)
from palaver.web.desk.pages.parts import (
    Fact,
    ListAsked,
    Listed,
    Option,
    Pager,
    asked_for,
    options,
)
from palaver.web.desk.pages.questions import (
    QuestionMap,
)
from palaver.web.desk.pages.raters import (
    Rater,
    Raters,
    RecordEntry,
    StudyRaters,
)
from palaver.web.desk.pages.results import (
    Found,
    StudyResults,
)
from palaver.web.desk.pages.shell import (
    DeskShell,
    NavItem,
    Refusal,
)
from palaver.web.desk.pages.studies import (
    ConditionRow,
    Departure,
    ExportForm,
    Links,
    LiveStudy,
    RunningRow,
    Studies,
    Study,
)

__all__ = [
    "Axis",
    "Bar",
    "BoardList",
    "Comparison",
    "ConditionRow",
    "Departure",
    "DeskShell",
    "Dialogue",
    "DialogueJudgements",
    "Dialogues",
    "Distribution",
    "ExportForm",
    "Fact",
    "Found",
    "Judged",
    "Judgements",
    "Line",
    "Links",
    "ListAsked",
    "Listed",
    "LiveStudy",
    "NavItem",
    "NewPassword",
    "Option",
    "Pager",
    "Participants",
    "PlacedAnswer",
    "QuestionMap",
    "Rater",
    "Raters",
    "RecordEntry",
    "Refusal",
    "RunningRow",
    "Secret",
    "Settings",
    "SignIn",
    "SplitRow",
    "Studies",
    "Study",
    "StudyRaters",
    "StudyResults",
    "asked_for",
    "options",
]
