"""Notices: what somebody is told of a study while they are not looking, by letter or by hook."""

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from palaver.core.outbox import SendingState
from palaver.core.serial import if_any, internal

NoticeEvent = Literal["finished", "failing", "problem", "stuck", "money", "payment"]
EVENTS: tuple[NoticeEvent, ...] = get_args(NoticeEvent)
Channel = Literal["mail", "hook"]

# What each is called where a person reads of it.
TITLES: dict[NoticeEvent, str] = {
    "finished": "the study is finished",
    "failing": "a system fails",
    "problem": "participants report problems",
    "stuck": "nobody finishes",
    "money": "money is running out",
    "payment": "a payment or the recruiting needs a look",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Something to tell of a study; it is told once for as long as it lasts.

    `number` tells occasions of one subject apart that do not last, such as reports that came together;
    the others are numbered as they begin. `path` is the page of the desk to look at.
    """

    event: NoticeEvent
    subject: str
    words: str
    path: str
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One notice to one recipient; `reason` is why it was not sent yet, or never will be.

    The recipient of a hook is the host that it goes to: the rest of an address may be a secret.
    """

    derived: ClassVar[tuple[str, ...]] = ("title",)

    id: int = internal(0)
    key: str
    study: str
    event: NoticeEvent
    channel: Channel
    recipient: str
    words: str
    state: SendingState
    attempts: int
    due: float = internal(0.0)
    reason: str = if_any("")
    created: float
    sent: float | None = None
    # When what it tells of had passed; null while it lasts.
    over: float | None = None
    path: str = internal("")
    # Where a hook goes in whole.
    address: str = internal("")
    holder: str | None = internal(None)

    @property
    def title(self) -> str:
        """What it is about, in words."""
        return TITLES[self.event]


@dataclass(frozen=True, slots=True)
class NoticeList:
    """The notices of a study, newest first, and how many there are in each state."""

    waiting: int
    sent: int
    failed: int
    notices: tuple[Notice, ...]

    @property
    def occasions(self) -> list[tuple[Notice, ...]]:
        """The notices by what they tell, newest first: one for each recipient."""
        found: dict[str, list[Notice]] = {}
        for each in self.notices:
            found.setdefault(each.key.rpartition("/")[0], []).append(each)
        return [tuple(reversed(told)) for told in found.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryHealth:
    """Whether what is to be sent leaves: letters and notices by hook, by state.

    `trouble` is what was said last to a notice by hook that still waits or failed.
    """

    letters: dict[SendingState, int]
    hooks: dict[SendingState, int]
    trouble: str = if_any("")
