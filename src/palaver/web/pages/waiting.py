"""Waiting for a partner, leaving the waiting room, and starting again after a lost conversation."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.pages.shell import AskingPage, Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage:
    """The waiting room; `nobody` says what happens, and what is paid, when no partner comes."""

    template: ClassVar[str] = "waiting.html"
    shell: Shell
    socket: str
    check_url: str
    leave_url: str
    estimate: str
    nobody: str
    waited: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavePage(AskingPage):
    """Asks whether somebody really stops waiting."""

    template: ClassVar[str] = "leave.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainPage:
    """A conversation was lost to a time limit: why, and a button to start another one."""

    template: ClassVar[str] = "again.html"
    shell: Shell
    action: str
    reason: str
