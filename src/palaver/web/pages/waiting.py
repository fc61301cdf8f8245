"""Waiting for a partner, leaving the waiting room, and starting again after a lost conversation."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.web.pages.shell import Shell


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
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
class Leave:
    """Asks whether somebody really stops waiting. Posts to `action`."""

    template: ClassVar[str] = "leave.html"
    shell: Shell
    action: str
    back_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A conversation was lost to a time limit: why, and a button to start another one."""

    template: ClassVar[str] = "again.html"
    shell: Shell
    action: str
    reason: str
