"""Everything that the stand-in remembers; a file of JSON holds it over a restart."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class KnownStudy:
    """A study: `body` is what was sent, in the service's own words."""

    id: str
    workspace: str
    body: dict[str, Any]
    created: float
    status: str = "UNPUBLISHED"
    published: float | None = None
    # When publishing is over.
    active_from: float | None = None
    is_stopped: bool = False
    is_test: bool = False

    @property
    def places(self) -> int:
        return int(self.body["total_available_places"])

    @property
    def reward(self) -> int:
        return int(self.body["reward"])


@dataclass
class KnownSubmission:
    """One person's go; `status` is in the service's words, `becomes` what it will be, and when."""

    id: str
    study: str
    participant: str
    status: str
    reserved: float
    started: float | None = None
    completed: float | None = None
    code: str = ""
    becomes: str = ""
    becomes_at: float = 0.0
    bonuses: list[int] = field(default_factory=list)
    return_requested: float | None = None
    rejection: dict[str, str] = field(default_factory=dict)
    # What is paid in place of the reward, in the smallest unit.
    paid: int | None = None


@dataclass
class KnownSetup:
    """Bonuses that were set up: by participant or submission, and how often they were paid."""

    id: str
    study: str
    amounts: dict[str, int]
    paid: list[float] = field(default_factory=list)


@dataclass
class KnownGroup:
    """A group; people who were taken out are remembered and not shown."""

    id: str
    name: str
    workspace: str
    members: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


@dataclass
class KnownMessage:
    """A message; `recipient` is a participant where the researcher wrote it."""

    id: str
    sender: str
    recipient: str
    body: str
    study: str
    created: float
    is_read: bool = False


@dataclass
class KnownSubscription:
    """That an address is called; `confirmation` has to be sent back before it is."""

    id: str
    workspace: str
    event_type: str
    address: str
    confirmation: str
    is_enabled: bool = False


@dataclass
class KnownDelivery:
    """One event for one subscriber: when to send it next, and what came of it so far."""

    id: str
    event: str
    subscription: str
    event_type: str
    resource: str
    body: str
    happened: float
    due: float
    tries: int = 0
    status: str = "PENDING"
    is_badly_signed: bool = False


@dataclass
class StandInState:
    """The whole of it, each thing by its id."""

    seed: int
    currency: str
    workspace: str
    funds: int
    made: int = 0
    studies: dict[str, KnownStudy] = field(default_factory=dict)
    submissions: dict[str, KnownSubmission] = field(default_factory=dict)
    setups: dict[str, KnownSetup] = field(default_factory=dict)
    groups: dict[str, KnownGroup] = field(default_factory=dict)
    messages: list[KnownMessage] = field(default_factory=list)
    secrets: dict[str, list[str]] = field(default_factory=dict)
    subscriptions: dict[str, KnownSubscription] = field(default_factory=dict)
    deliveries: list[KnownDelivery] = field(default_factory=list)
    projects: dict[str, str] = field(default_factory=dict)
    filter_sets: dict[str, dict[str, Any]] = field(default_factory=dict)
    test_participants: dict[str, str] = field(default_factory=dict)
