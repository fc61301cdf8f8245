"""How a visit ends: why, with which code and pay, or by withdrawing."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from palaver.web.pages.shell import AskingPage, Shell

EndReason = Literal[
    "complete",
    "waited",
    "partner_left",
    "system_failed",
    "quit",
    "removed",
    "abandoned",
    "withdrawn",
    "declined",
    "not_passed",
    "not_eligible",
    "checked_out",
    "nothing_left",
    "enough",
    "full",
    "taken",
    "already_finished",
]


END_REASONS: tuple[str, ...] = get_args(EndReason)


@dataclass(frozen=True, slots=True, kw_only=True)
class DonePage:
    """The end, whatever it was; `message` is Markdown from the study."""

    template: ClassVar[str] = "done.html"
    shell: Shell
    reason: EndReason = "complete"
    code: str | None = None
    pay: str = ""
    completion_url: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawPage(AskingPage):
    """Withdrawal. Posts `confirm` = `yes` to `action`; `pay` says what it does to the pay."""

    template: ClassVar[str] = "withdraw.html"
    pay: str = ""
