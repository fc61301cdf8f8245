"""What a participant sees beside the work: before it, while waiting, at the end, or if it fails."""

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, get_args

from palaver.core.questions.question import Question
from palaver.core.studies.outcomes import BY_REASON, OVER_QUOTA
from palaver.studies.file.definition import Study
from palaver.studies.run.dues import Owed, WayOut, ways_out
from palaver.studies.run.writing_visit import WritingVisit
from palaver.web.shell import AskingPage, FormPage, ReadingPage, Shell

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
    "insufficient",
    "nothing_left",
    "enough",
    "full",
    "decided",
    "taken",
    "nothing_yet",
    "turned_away",
    "paused",
    "closed",
    "not_yet_open",
    "returned",
    "timed_out",
    "already_finished",
]
END_REASONS: tuple[str, ...] = get_args(EndReason)
# The ends before which nobody was asked anything.
NOT_BEGUN = frozenset({"declined", "not_eligible"}) | {
    reason for reason in END_REASONS if BY_REASON.get(reason) == OVER_QUOTA
}
MessageKind = Literal[
    "link", "missing", "busy", "store", "expired", "refused", "failed", "once", "revoked"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentPage(FormPage):
    """All that people should know first; posts `consent` = `agree` or `decline` to `action`."""

    template: ClassVar[str] = "participant/consent.html"
    study: Study
    # With which somebody goes on in another browser; empty where a link does.
    return_code: str = ""

    @property
    def ways_out(self) -> tuple[WayOut, ...]:
        return ways_out(self.study)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstructionsPage(ReadingPage):
    """What to do, and a greeting with the terms where no consent told them; `text` is Markdown."""

    template: ClassVar[str] = "participant/instructions.html"
    study: Study
    return_code: str = ""

    @property
    def ways_out(self) -> tuple[WayOut, ...]:
        return ways_out(self.study)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPage(ReadingPage):
    """What the practice is about, before its first round; `text` is Markdown. Posts to `action`."""

    template: ClassVar[str] = "participant/training.html"
    rounds: int
    rule: str
    guides: tuple[Question, ...] = ()
    guides_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage:
    """The waiting room; `nobody` says what happens, and what is paid, when no partner comes."""

    template: ClassVar[str] = "participant/waiting.html"
    shell: Shell
    socket: str
    check_url: str
    leave_url: str
    estimate: str
    nobody: str
    waited: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavePage(AskingPage):
    """Asks whether somebody really stops waiting; `owed` is what they get for it by now."""

    template: ClassVar[str] = "participant/leave.html"
    owed: Owed | None = None
    gives_code: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainPage:
    """A conversation was lost: why, and buttons to start another one or to stop.

    `words` say what was missing where it did not count; `owed` is what those get who stop.
    """

    template: ClassVar[str] = "participant/again.html"
    shell: Shell
    action: str
    reason: str
    words: str = ""
    owed: Owed | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PractisedPage(FormPage):
    """A practice round is over; posts `more` = `yes` for another one to `action`."""

    template: ClassVar[str] = "participant/practised.html"
    is_complete: bool = True
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DonePage:
    """The end, whatever it was: what is owed for it, and the code to claim it with.

    `waited` are seconds in the waiting room, `opens` is when a study opens that has not yet.
    """

    template: ClassVar[str] = "participant/done.html"
    shell: Shell
    reason: EndReason = "complete"
    study: Study | None = None
    code: str | None = None
    # Where they go from here; None if the study does not say.
    back_url: str | None = None
    owed: Owed | None = None
    # Where a visit that waits is ended instead, and what that is paid; empty where it is not.
    stop_action: str = ""
    stop_owed: Owed | None = None
    waited: float = 0.0
    written: WritingVisit | None = None
    opens: float | None = None

    @property
    def is_begun(self) -> bool:
        """Whether there is anything of this visit that was kept."""
        return self.reason not in NOT_BEGUN

    @property
    def earns_later(self) -> bool:
        """Whether there may be more for what was kept, once others have judged it."""
        if not (self.study and self.written and self.written.fooled):
            return False
        return any("verified" in stage.bonus for stage in self.study.writes)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawPage(AskingPage):
    """Withdrawal, and what is owed all the same. Posts `confirm` = `yes` to `action`."""

    template: ClassVar[str] = "participant/withdraw.html"
    study: Study
    owed: Owed | None = None
    # Whether data sets were made of what people wrote in this study; these stay.
    has_made_data: bool = False

    def with_error(self, error: str) -> "WithdrawPage":
        return replace(self, error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnPage(FormPage):
    """Asks for the return code of a visit that began in another browser; posts `return_code`."""

    template: ClassVar[str] = "participant/return.html"
    contact: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredPage:
    """A link that has expired: what to do, and the one thing that it still leads to."""

    template: ClassVar[str] = "participant/expired.html"
    shell: Shell
    detail: str
    # None where nobody came with it in time.
    withdraw_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePage:
    """One message instead of a page: what happened, what is kept, what to do."""

    template: ClassVar[str] = "participant/message.html"
    shell: Shell
    kind: MessageKind
    detail: str = ""
    retry_url: str | None = None
    retry_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage(AskingPage):
    """ "Something is wrong". Posts `text` to `action`; `sent_along` lists what goes with it."""

    template: ClassVar[str] = "participant/problem.html"
    sent_along: tuple[str, ...] = ()
    is_paid: bool = False
    text: str = ""
    sent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalOverPage:
    """A page of a rehearsal that has ended: nothing of it is left."""

    template: ClassVar[str] = "participant/rehearsal_over.html"
    shell: Shell
    study: str
