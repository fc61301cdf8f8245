"""What all parts of the stand-in share: the state, the time, ids, chance, and telling of events."""

import hashlib
import json
import random
from dataclasses import dataclass, field
from typing import Any, NoReturn, TypeVar

from palaver.core.clock import Clock
from palaver.crowds.prolific.hooks import STUDY_CHANGED, STUDY_PROGRESSED, SUBMISSION_CHANGED
from palaver.crowds.prolific.stand_in.state import (
    KnownDelivery,
    KnownStudy,
    KnownSubmission,
    StandInState,
)
from palaver.crowds.prolific.stand_in.switches import Switches

T = TypeVar("T")


class RefusedCall(Exception):
    """A call that the service refuses: a status, and details in one of its shapes."""

    def __init__(self, status: int, title: str, detail: Any) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.detail = detail


def refuse(detail: Any, *, status: int = 400, title: str = "Bad request") -> NoReturn:
    """Refuse a call."""
    raise RefusedCall(status, title, detail)


def existing(among: dict[str, T], name: str, noun: str) -> T:
    """What is there by this id; refused as not found where nothing is."""
    found = among.get(name)
    if found is None:
        refuse(f"{noun} with id {name[:64]} was not found", status=404, title="Not found")
    return found


@dataclass
class World:
    """The state with the time that it is."""

    state: StandInState
    clock: Clock
    switches: Switches = field(default_factory=Switches)

    @property
    def now(self) -> float:
        """What time it is over there."""
        return self.clock.now()

    def new_id(self) -> str:
        """An id as the service makes them; the same seed makes the same ones."""
        self.state.made += 1
        made = f"{self.state.seed}:{self.state.made}"
        return hashlib.sha256(made.encode()).hexdigest()[:24]

    def chance(self) -> random.Random:
        """Chance that goes on where it was after a restart."""
        self.state.made += 1
        return random.Random(f"{self.state.seed}:{self.state.made}")

    def set_study(self, study: KnownStudy, status: str) -> None:
        """Change how a study stands, and tell subscribers."""
        if study.status != status:
            study.status = status
            self.emit(STUDY_CHANGED, study.id, status=status, metadata={})

    def set_submission(self, submission: KnownSubmission, status: str) -> None:
        """Change how a submission stands, and tell subscribers."""
        submission.status = status
        self.emit(
            SUBMISSION_CHANGED,
            submission.id,
            participant_id=submission.participant,
            status=status,
        )
        self.emit(STUDY_PROGRESSED, submission.study)

    def emit(self, kind: str, resource: str, **more: Any) -> None:
        """Queue an event for each subscriber that wants its kind."""
        mode = self.switches.hooks
        event = self.new_id()
        body = json.dumps({"resource_id": resource, "event_type": kind, **more})
        for each in self.state.subscriptions.values():
            if not each.is_enabled or each.event_type != kind or mode == "never":
                continue
            for _ in range(2 if mode == "twice" else 1):
                delivery = KnownDelivery(
                    id=self.new_id(),
                    event=event,
                    subscription=each.id,
                    event_type=kind,
                    resource=resource,
                    body=body,
                    happened=self.now,
                    due=self.now + (self.switches.hook_delay if mode == "late" else 0.0),
                    is_badly_signed=mode == "forged",
                )
                self.state.deliveries.append(delivery)
