"""What Prolific knows, as records: studies, submissions, money, groups, messages, hooks.

Statuses are in our own words (`timed_out` for "TIMED-OUT"); one that nobody here knows is kept as it is.
Times are seconds since the epoch, rewards and costs are `Money`. What is sent is in `bodies`; how an
answer becomes one of these is in `answers`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.core.money import Money
from palaver.core.serial import if_any, internal

STUDY_STATUSES = (
    *("unpublished", "scheduled", "publishing", "active", "paused"),
    *("awaiting_review", "completed"),
)
SUBMISSION_STATUSES = (
    *("reserved", "active", "timed_out", "awaiting_review", "approved", "partially_approved"),
    *("returned", "rejected", "screened_out", "processing"),
)
# Submissions that free their place, so that somebody else gets it.
FREED = frozenset({"returned", "rejected", "timed_out"})
# Submissions whose person is at work.
UNDER_WAY = frozenset({"reserved", "active"})

CODE_TYPES = (
    *("COMPLETED", "FAILED_ATTENTION_CHECK", "FOLLOW_UP_STUDY", "GIVE_BONUS"),
    *("INCOMPATIBLE_DEVICE", "NO_CONSENT", "OTHER"),
)
CODE_ACTIONS = (
    *("AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "ADD_TO_PARTICIPANT_GROUP"),
    *("REMOVE_FROM_PARTICIPANT_GROUP", "REQUEST_RETURN", "FIXED_SCREEN_OUT_PAYMENT"),
    "DYNAMIC_PAYMENT",
)
# How each category of rejections is said to whoever decides.
CATEGORY_WORDS = {
    "TOO_QUICKLY": "too quickly to have been done with care",
    "TOO_SLOWLY": "too slowly",
    "FAILED_INSTRUCTIONS": "did not follow the instructions",
    "INCOMP_LONGITUDINAL": "did not complete all parts of a longer study",
    "FAILED_CHECK": "failed fair checks of attention",
    "LOW_EFFORT": "low effort",
    "MALINGERING": "pretended to be somebody they are not",
    "NO_CODE": "no completion code",
    "BAD_CODE": "a wrong completion code",
    "NO_DATA": "no data were received",
    "UNSUPP_DEVICE": "a device that was ruled out",
    "OTHER": "another reason",
}
REJECTION_CATEGORIES = tuple(CATEGORY_WORDS)
StudyAction = Literal["PUBLISH", "PAUSE", "START", "STOP"]
# What else may be done with a submission, without further words.
SubmissionAction = Literal["RETURN", "UNRETURN", "SCREEN_OUT", "START"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelAccount:
    """Whose token it is; the balance is of the workspace that it works in."""

    id: str
    name: str = ""
    email: str = ""
    currency: str = ""
    balance: Money | None = None
    available: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelWorkspace:
    """A workspace, or a project in one."""

    id: str
    title: str = ""
    workspace: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelBalance:
    """What a workspace has to spend, and what of it is spoken for."""

    currency: str
    total: Money
    available: Money
    rewards: Money
    fees: Money
    vat: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAction:
    """What Prolific does by itself when somebody comes back with a code."""

    action: str
    group: str = if_any("")
    return_reason: str = if_any("")
    # Of a paid screen-out: how much, and for how many people at most.
    reward: int | None = if_any(None)
    slots: int | None = if_any(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionCode:
    """A code with which somebody comes back, and what follows; `actor` is who may use it."""

    code: str
    code_type: str = "COMPLETED"
    actor: str = if_any("")
    actions: tuple[CodeAction, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFilter:
    """One condition on who may take part: chosen values, a range, or a group of conditions."""

    filter_id: str
    selected_values: tuple[str, ...] = if_any(())
    lower: float | None = if_any(None)
    upper: float | None = if_any(None)
    filters: tuple["StudyFilter", ...] = if_any(())
    weightings: dict[str, float] = if_any(factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterEntry:
    """A filter of the catalogue; `choices` are its values by what is sent, empty for a range."""

    filter_id: str
    title: str = ""
    description: str = ""
    question: str = ""
    type: str = ""
    data_type: str = ""
    lower: float | None = None
    upper: float | None = None
    choices: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterSet:
    """Filters that are kept under a name, and used by several studies."""

    id: str
    name: str = ""
    version: int = 0
    filters: tuple[StudyFilter, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelStudy:
    """A study as Prolific has it."""

    derived: ClassVar[tuple[str, ...]] = ("places_left",)

    id: str
    name: str = ""
    internal_name: str = ""
    description: str = ""
    status: str
    address: str = ""
    places: int = 0
    places_taken: int = 0
    minutes: int = 0
    most_minutes: int | None = None
    currency: str = ""
    reward: Money | None = None
    # By the hour: as the time was estimated, and as it took people so far.
    estimated_hourly: Money | None = None
    average_hourly: Money | None = None
    total_cost: Money | None = None
    is_underpaying: bool | None = None
    devices: tuple[str, ...] = ()
    codes: tuple[CompletionCode, ...] = ()
    filters: tuple[StudyFilter, ...] = ()
    completion_address: str = ""
    project: str = ""
    is_screening: bool = False
    created: float | None = None
    published: float | None = None

    @property
    def places_left(self) -> int:
        """How many more people may take a place."""
        return max(0, self.places - self.places_taken)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelSubmission:
    """One person's go at a study; its id is the SESSION_ID that they arrive with."""

    id: str
    participant: str
    study: str = ""
    status: str
    started: float | None = None
    completed: float | None = None
    is_complete: bool = False
    seconds: float | None = None
    # In the smallest unit; the study says of which currency.
    reward: int | None = None
    code: str = ""
    bonuses: tuple[int, ...] = ()
    return_requested: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionCounts:
    """How many submissions of a study stand how, in our words; statuses with none may be missing."""

    total: int
    by_status: dict[str, int]

    def of(self, *statuses: str) -> int:
        """How many stand in one of these ways."""
        return sum(self.by_status.get(status, 0) for status in statuses)


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelCost:
    """What a study costs in all, and of what that is made up where the service says so."""

    total: Money
    rewards: Money | None = None
    fees: Money | None = None
    vat: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusSetup:
    """Bonuses that are set up and not paid: what they would cost."""

    id: str
    study: str
    amount: Money
    fees: Money
    vat: Money
    total: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantGroup:
    """A list of people whom a study may let in or keep out."""

    id: str
    name: str = ""
    project: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelMessage:
    """A message between the researcher and a participant."""

    id: str
    sender: str = ""
    body: str = ""
    created: float | None = None
    type: str = ""
    channel: str = ""
    study: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSecret:
    """The secret that a workspace's hooks are signed with."""

    id: str
    workspace: str = ""
    value: str = internal("")

    def __repr__(self) -> str:
        return f"HookSecret(id={self.id!r}, workspace={self.workspace!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSubscription:
    """That Prolific calls an address on some kind of event; `confirmation` is told once, when made."""

    id: str
    event_type: str = ""
    address: str = ""
    is_enabled: bool = False
    workspace: str = ""
    confirmation: str = internal("")

    def __repr__(self) -> str:
        told = f"id={self.id!r}, event_type={self.event_type!r}, address={self.address!r}"
        return f"HookSubscription({told}, is_enabled={self.is_enabled!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEventType:
    """A kind of event that one can be told of."""

    event_type: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookDelivery:
    """What became of one event that Prolific wanted to tell a subscriber of."""

    id: str
    event_type: str = ""
    resource: str = ""
    status: str = ""
    created: float | None = None
    updated: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEvent:
    """That something happened: to which study or submission, and how it stands since.

    `id` is the same however often an event is delivered; of two events the one with the later
    `happened` is the newer, in whatever order they come.
    """

    id: str
    kind: str
    resource: str
    status: str = ""
    participant: str = ""
    happened: float | None = None
    metadata: dict[str, Any] = if_any(factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PayAdvice:
    """What Prolific asks for and what it recommends to pay by the hour."""

    least: Money
    recommended: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """A draft that was opened to test participants, and where they find it."""

    __test__ = False

    study: str
    address: str
