"""What each page of the desk is given: one frozen dataclass per template, as in `web/pages`.

A page holds the records that it shows, addresses, and who may do what; its template formats them.
"""

from palaver.web.desk.pages.accounts import (
    NewPasswordPage,
    Secret,
    SettingsPage,
    SignInPage,
)
from palaver.web.desk.pages.boards import (
    BoardListPage,
)
from palaver.web.desk.pages.dialogues import (
    DialoguePage,
    DialoguesPage,
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
    ParticipantsPage,
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
    QuestionPage,
)
from palaver.web.desk.pages.raters import (
    RaterPage,
    RatersPage,
    RecordEntry,
    StudyRaters,
)
from palaver.web.desk.pages.results import (
    Found,
    ResultsPage,
)
from palaver.web.desk.pages.shell import (
    DeskShell,
    NavItem,
    RefusalPage,
)
from palaver.web.desk.pages.studies import (
    ConditionRow,
    Departure,
    ExportForm,
    LinksPage,
    LiveStudy,
    RunningRow,
    StudiesPage,
    StudyPage,
)

__all__ = [
    "Axis",
    "Bar",
    "BoardListPage",
    "Comparison",
    "ConditionRow",
    "Departure",
    "DeskShell",
    "DialogueJudgements",
    "DialoguePage",
    "DialoguesPage",
    "Distribution",
    "ExportForm",
    "Fact",
    "Found",
    "Judged",
    "Judgements",
    "Line",
    "LinksPage",
    "ListAsked",
    "Listed",
    "LiveStudy",
    "NavItem",
    "NewPasswordPage",
    "Option",
    "Pager",
    "ParticipantsPage",
    "PlacedAnswer",
    "QuestionPage",
    "RaterPage",
    "RatersPage",
    "RecordEntry",
    "RefusalPage",
    "ResultsPage",
    "RunningRow",
    "Secret",
    "SettingsPage",
    "SignInPage",
    "SplitRow",
    "StudiesPage",
    "StudyPage",
    "StudyRaters",
    "asked_for",
    "options",
]
