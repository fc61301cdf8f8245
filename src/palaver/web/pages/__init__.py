"""What each page is given: one frozen dataclass per template.

A route fills one of these in and hands it to `Renderer.render`, which finds the template by the
class's `template`. Everything a template must know is here, computed; templates only loop and
choose. Fields named `text`, `instructions` or `message` hold Markdown where their comment says so.
Rater pages never carry a system's name: a conversation has a letter and nothing else. The public
board is in `pages.board` alone: it brings what counts votes, which most requests do not need.
"""

from palaver.web.pages.asked import Asked
from palaver.web.pages.choices import Choice
from palaver.web.pages.endings import END_REASONS, Done, EndReason, Withdraw
from palaver.web.pages.introductions import Consent, Instructions, Training
from palaver.web.pages.messages import Message, MessageKind, ProblemReport
from palaver.web.pages.rating import Feedback, Hidden, Line, Practice, Rate, Side, Transcript
from palaver.web.pages.rooms import (
    Chat,
    GamePart,
    Letter,
    Online,
    Room,
    ScenarioCard,
    SideBySide,
)
from palaver.web.pages.shell import Direction, Shell
from palaver.web.pages.waiting import Again, Leave, Waiting

__all__ = [
    "END_REASONS",
    "Again",
    "Asked",
    "Chat",
    "Choice",
    "Consent",
    "Direction",
    "Done",
    "EndReason",
    "Feedback",
    "GamePart",
    "Hidden",
    "Instructions",
    "Leave",
    "Letter",
    "Line",
    "Message",
    "MessageKind",
    "Online",
    "Practice",
    "ProblemReport",
    "Rate",
    "Room",
    "ScenarioCard",
    "Shell",
    "Side",
    "SideBySide",
    "Training",
    "Transcript",
    "Waiting",
    "Withdraw",
]
