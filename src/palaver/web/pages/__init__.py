"""What each page is given: one frozen dataclass per template.

A route fills one of these in and hands it to `Renderer.render`, which finds the template by the
class's `template`. Everything a template must know is here, computed; templates only loop and
choose. Fields named `text`, `instructions` or `message` hold Markdown where their comment says so.
Rater pages never carry a system's name: a conversation has a letter and nothing else. The public
board is in `pages.board` alone: it brings what counts votes, which most requests do not need.
"""

from palaver.web.pages.asked import Asked
from palaver.web.pages.choices import Choice
from palaver.web.pages.endings import END_REASONS, DonePage, EndReason, WithdrawPage
from palaver.web.pages.introductions import ConsentPage, InstructionsPage, TrainingPage
from palaver.web.pages.messages import MessageKind, MessagePage, ProblemPage
from palaver.web.pages.rating import Feedback, Hidden, Line, Practice, RatePage, Side, Transcript
from palaver.web.pages.rooms import (
    ChatPage,
    GamePart,
    Letter,
    Online,
    Room,
    ScenarioCard,
    SideBySidePage,
)
from palaver.web.pages.shell import Direction, Shell
from palaver.web.pages.waiting import AgainPage, LeavePage, WaitingPage

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
