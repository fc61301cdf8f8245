"""What each page of a participant is given: one frozen dataclass per template.

A route fills one of these in and hands it to `Renderer.render`, which finds the template by the
class's `template`. Everything a template must know is here, computed; templates only loop and
choose. Fields named `text`, `instructions` or `message` hold Markdown where their comment says so.
Rater pages never carry a system's name: a conversation has a letter and nothing else.
"""

from palaver.web.pages.rating import (
    Asked,
    Feedback,
    Hidden,
    Letter,
    Line,
    Practice,
    RatePage,
    Side,
    Transcript,
)
from palaver.web.pages.rooms import ChatPage, GamePart, Online, Room, ScenarioCard, SideBySidePage
from palaver.web.pages.shell import Choice, Direction, Shell
from palaver.web.pages.visit import (
    END_REASONS,
    AgainPage,
    ConsentPage,
    DonePage,
    EndReason,
    InstructionsPage,
    LeavePage,
    MessageKind,
    MessagePage,
    ProblemPage,
    TrainingPage,
    WaitingPage,
    WithdrawPage,
)

__all__ = [
    "END_REASONS",
    "AgainPage",
    "Asked",
    "ChatPage",
    "Choice",
    "ConsentPage",
    "Direction",
    "DonePage",
    "EndReason",
    "Feedback",
    "GamePart",
    "Hidden",
    "InstructionsPage",
    "LeavePage",
    "Letter",
    "Line",
    "MessageKind",
    "MessagePage",
    "Online",
    "Practice",
    "ProblemPage",
    "RatePage",
    "Room",
    "ScenarioCard",
    "Shell",
    "Side",
    "SideBySidePage",
    "TrainingPage",
    "Transcript",
    "WaitingPage",
    "WithdrawPage",
]
