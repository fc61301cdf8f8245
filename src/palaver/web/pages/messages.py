"""What is shown when something is wrong, and the form that reports it."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from palaver.web.pages.shell import AskingPage, Shell

MessageKind = Literal["link", "missing", "busy", "store", "expired", "refused", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """One message instead of a page: what happened, what is kept, what to do."""

    template: ClassVar[str] = "message.html"
    shell: Shell
    kind: MessageKind
    detail: str = ""
    retry_url: str | None = None
    retry_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage(AskingPage):
    """ "Something is wrong". Posts `text` to `action`; `sent_along` lists what goes with it."""

    template: ClassVar[str] = "problem.html"
    sent_along: tuple[str, ...] = ()
    text: str = ""
    sent: bool = False
