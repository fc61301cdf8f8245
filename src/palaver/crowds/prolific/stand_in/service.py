"""The stand-in as one object: what it knows, how it answers, and what people at their screens do.

Whoever tests asks this object; whoever looks starts it behind a server (`app`). One lock keeps both in
order. Nothing happens by itself: time goes on when somebody calls, and events leave with `deliver`.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from palaver.core.clock import Clock, WallClock
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.crowds.prolific.bodies import PLACEHOLDERS
from palaver.crowds.prolific.stand_in import hooks, people, studies, submissions
from palaver.crowds.prolific.stand_in.account_calls import table as account_calls
from palaver.crowds.prolific.stand_in.calls import CallTable, ReadCall, StandInAnswer, answer
from palaver.crowds.prolific.stand_in.hook_calls import table as hook_calls
from palaver.crowds.prolific.stand_in.people_calls import table as people_calls
from palaver.crowds.prolific.stand_in.state import (
    KnownDelivery,
    KnownMessage,
    KnownStudy,
    KnownSubmission,
    StandInState,
)
from palaver.crowds.prolific.stand_in.study_calls import table as study_calls
from palaver.crowds.prolific.stand_in.submission_calls import table as submission_calls
from palaver.crowds.prolific.stand_in.switches import Switches
from palaver.crowds.prolific.stand_in.world import World

TOKEN = "stand-in"
FUNDS = 1_000_000
# Calls with fixed words come before those where an id could stand in their place.
TABLES: tuple[CallTable, ...] = (
    submission_calls,
    study_calls,
    account_calls,
    people_calls,
    hook_calls,
)


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A call as it came."""

    method: str
    path: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class PaidBonus:
    """Money that left: which set-up, to whom, how much in the smallest unit, and when."""

    setup: str
    who: str
    amount: int
    at: float


@dataclass
class StandIn:
    """A Prolific of one's own."""

    clock: Clock = field(default_factory=WallClock)
    currency: str = "GBP"
    seed: int = 1
    token: str = TOKEN
    # Where its state is kept over a restart.
    file: Path | None = None
    # Where people are sent in place of the server that a study names.
    study_server: str = ""
    # Its own address, once it is served.
    base: str = ""

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        self.switches = Switches()
        self.calls: list[SeenCall] = []
        self._world = World(self._stored() or self._new(), self.clock, self.switches)

    def _new(self) -> StandInState:
        return StandInState(
            seed=self.seed,
            currency=self.currency,
            workspace=f"{self.seed:024x}",
            funds=FUNDS,
        )

    def _stored(self) -> StandInState | None:
        if self.file is None or not self.file.exists():
            return None
        try:
            return msgspec.json.decode(self.file.read_bytes(), type=StandInState)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(
                f"{self.file} is not what a stand-in has kept: {error}. Choose another file."
            ) from None

    @contextmanager
    def _at_work(self) -> Iterator[World]:
        """The world as of now, alone with it; what was changed is kept."""
        with self.lock:
            submissions.settle(self._world)
            yield self._world
            submissions.settle(self._world)
            if self.file is not None:
                written = self.file.with_suffix(f"{self.file.suffix}.new")
                written.write_bytes(msgspec.json.encode(self._world.state))
                written.replace(self.file)

    # What a program asks.

    def answer(self, call: ReadCall) -> StandInAnswer:
        """The answer to a call of the API."""
        with self._at_work() as world:
            return answer(world, call, TABLES)

    # What there is.

    @property
    def workspace(self) -> str:
        """The id of its workspace."""
        return self._world.state.workspace

    @property
    def studies(self) -> list[KnownStudy]:
        """All studies, the newest first."""
        with self._at_work() as world:
            return list(reversed(world.state.studies.values()))

    @property
    def submissions(self) -> list[KnownSubmission]:
        """All submissions, in the order they came."""
        with self._at_work() as world:
            return list(world.state.submissions.values())

    @property
    def payments(self) -> list[PaidBonus]:
        """Every bonus that was paid, as often as it was."""
        with self._at_work() as world:
            return [
                PaidBonus(setup.id, who, amount, at)
                for setup in world.state.setups.values()
                for at in setup.paid
                for who, amount in setup.amounts.items()
            ]

    @property
    def messages(self) -> list[KnownMessage]:
        """All messages."""
        with self._at_work() as world:
            return list(world.state.messages)

    @property
    def deliveries(self) -> list[KnownDelivery]:
        """All deliveries, sent or not."""
        with self._at_work() as world:
            return [replace(each) for each in world.state.deliveries]

    def members(self, group: str) -> list[str]:
        """Who is in a group."""
        with self._at_work() as world:
            return list(world.state.groups[group].members)

    def study(self, name: str) -> KnownStudy:
        """A study by its id."""
        with self._at_work() as world:
            return studies.study_named(world, name)

    def submission(self, name: str) -> KnownSubmission:
        """A submission by its id."""
        with self._at_work() as world:
            return submissions.submission_named(world, name)

    def places_taken(self, study: str) -> int:
        """How many places of a study are taken."""
        with self._at_work() as world:
            return studies.places_taken(world, studies.study_named(world, study))

    # What participants do.

    def new_participant(self) -> str:
        """The id of somebody new."""
        with self._at_work() as world:
            return world.new_id()

    def arrive(
        self, n: int = 1, *, study: str = "", participants: Sequence[str] = ()
    ) -> list[KnownSubmission]:
        """People who take a place and open the study: `n` new ones, or these.

        Without `study` it is the newest that was published.
        """
        with self._at_work() as world:
            chosen = studies.study_named(world, study or self._newest(world))
            names = list(participants) or [world.new_id() for _ in range(n)]
            found = [submissions.reserve(world, chosen, each) for each in names]
            for each in found:
                submissions.start(world, each)
            return found

    def reserve(self, study: str, participant: str) -> KnownSubmission:
        """Somebody who takes a place, and has not opened the study."""
        with self._at_work() as world:
            return submissions.reserve(world, studies.study_named(world, study), participant)

    def start(self, submission: str) -> None:
        """Somebody who opens the study."""
        with self._at_work() as world:
            submissions.start(world, submissions.submission_named(world, submission))

    def complete(self, submission: str, code: str) -> KnownSubmission:
        """Somebody who comes home with a code."""
        with self._at_work() as world:
            found = submissions.submission_named(world, submission)
            submissions.complete(world, found, code)
            return found

    def return_(self, submission: str) -> KnownSubmission:
        """Somebody who gives their place back."""
        with self._at_work() as world:
            found = submissions.submission_named(world, submission)
            submissions.give_back(world, found)
            return found

    def time_out(self, submission: str) -> KnownSubmission:
        """Somebody whose time is over."""
        with self._at_work() as world:
            found = submissions.submission_named(world, submission)
            submissions.run_out(world, found)
            return found

    def write_back(self, participant: str, text: str, *, study: str = "") -> KnownMessage:
        """A message that a participant writes."""
        with self._at_work() as world:
            return people.write_back(world, participant, text, study=study)

    def way_in(self, submission: str) -> str:
        """The address that somebody is sent to, with who they are and for what."""
        with self._at_work() as world:
            found = submissions.submission_named(world, submission)
            study = studies.study_named(world, found.study)
            address = str(study.body["external_study_url"])
            told = {
                "PROLIFIC_PID": found.participant,
                "STUDY_ID": study.id,
                "SESSION_ID": found.id,
            }
            for name, placeholder in PLACEHOLDERS.items():
                address = address.replace(placeholder, told[name])
            return self._moved(address)

    def _moved(self, address: str) -> str:
        if not self.study_server:
            return address
        here = urlsplit(self.study_server)
        return urlsplit(address)._replace(scheme=here.scheme, netloc=here.netloc).geturl()

    # What happens over there without anybody here.

    def pay_in(self, currency: str) -> None:
        """Use another currency from now on."""
        with self._at_work() as world:
            world.state.currency = Money(0, currency).currency

    def delete_over_there(self, study: str) -> None:
        """A study that is gone, with its submissions."""
        with self._at_work() as world:
            del world.state.studies[studies.study_named(world, study).id]
            own = [s.id for s in world.state.submissions.values() if s.study == study]
            for each in own:
                del world.state.submissions[each]

    def deliver(self) -> list[int]:
        """Send every event that is due, and return what subscribers answered; 0 where none did."""
        with self._at_work() as world:
            waiting = hooks.due_deliveries(world)
        answered = []
        for each in waiting:
            # Not under the lock: whoever is told may ask at once.
            status = hooks.send(each)
            answered.append(status)
            with self._at_work() as world:
                hooks.note_delivery(world, each.delivery, status=status)
        return answered

    @staticmethod
    def _newest(world: World) -> str:
        published = [s.id for s in world.state.studies.values() if s.status != "UNPUBLISHED"]
        if not published:
            raise InputError("The stand-in has no published study to arrive at.")
        return published[-1]
