"""The people of a dry run: each takes a place at the stand-in, comes by its address, and goes back.

The first few have one outcome each, so that every code is tried; all others walk to the end.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from palaver.core.errors import InputError
from palaver.core.studies.outcomes import Outcome, outcome_of
from palaver.core.studies.visits import ACTIVE
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.crowds.prolific.stand_in.world import RefusedCall
from palaver.storage.people.participants import Assignment
from palaver.studies.file.definition import Study
from palaver.studies.file.outcomes import possible_outcomes
from palaver.studies.run import flow
from palaver.studies.run.arrival import Door, Entered
from palaver.studies.run.deployment import Deployment, RunningStudy
from palaver.studies.run.simulated_participant import SimulatedParticipant

# The end that stands for each outcome that is not walked to.
ENDED: dict[Outcome, str] = {
    "screened_out": "not_passed",
    "waited": "waited",
    "partner_left": "partner_left",
    "attention_failed": "checked_out",
    "over_quota": "full",
    "stopped": "quit",
    "withdrew": "withdrawn",
}
# How far simulated times lie around the promised ones: the standard deviation of their logarithm.
SPREAD = 0.3
MINUTE = 60.0


class DryClock:
    """Time that stands until it is moved on; whoever sleeps is woken at once."""

    def __init__(self, start: float) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def move_to(self, moment: float) -> None:
        """Let it be this late, unless it is later already."""
        self._now = max(self._now, moment)

    async def sleep(self, seconds: float) -> None:
        # Not at all would let whatever waits in a loop hold up everybody else.
        await asyncio.sleep(0.002 if seconds > 0 else 0.0)


@dataclass(frozen=True, slots=True)
class DryVisit:
    """One simulated person: their submission there, and what came of their visit here."""

    submission: str
    outcome: Outcome
    walked: bool
    code: str | None


class DryCrowd:
    """Simulated people of one recruitment."""

    def __init__(
        self,
        deployment: Deployment,
        study: RunningStudy,
        stand_in: StandIn,
        clock: DryClock,
        *,
        panel_study: str,
        seed: int,
    ) -> None:
        self._deployment = deployment
        self._study = study
        self._stand_in = stand_in
        self._clock = clock
        self._panel_study = panel_study
        self._seed = seed
        self._number = 0

    async def come(self, outcomes: Sequence[Outcome]) -> list[DryVisit]:
        """People who come at once and have these outcomes; fewer where no place is left there."""
        rng = random.Random(f"{self._seed}:{self._number}")
        began = self._clock.now()
        takes = (
            MINUTE * (self._study.definition.minutes_in_all or 10) * rng.lognormvariate(0, SPREAD)
        )
        arrived: list[tuple[str, str, Outcome]] = []
        for outcome in outcomes:
            piece = self._arrive()
            if piece is None:
                break
            arrived.append((piece, await self._enter(piece), outcome))
        ended = await asyncio.gather(
            *(self._visit(key, outcome, began=began, takes=takes) for _, key, outcome in arrived)
        )
        self._clock.move_to(began + takes)
        return [
            self._go_back(piece, visit, walked=_is_walked(outcome))
            for (piece, _, outcome), visit in zip(arrived, ended, strict=True)
        ]

    def _arrive(self) -> str | None:
        """Somebody takes a place and opens the study; None where there is none to take."""
        self._number += 1
        try:
            (there,) = self._stand_in.arrive(1, study=self._panel_study)
        except RefusedCall:
            return None
        return there.id

    async def _enter(self, piece: str) -> str:
        """Come in by the address that the panel sends people to; the key of the visit."""
        address = urlsplit(self._stand_in.way_in(piece))
        door = Door.of(self._deployment)
        visitor = await door.visitor(
            self._study.definition, dict(parse_qsl(address.query)), hosts=[address.netloc]
        )
        if visitor is None:
            raise InputError(f"The address {address.geturl()} names nobody who comes.")
        entered = await door.enter(self._study, visitor, holds=None)
        if not isinstance(entered, Entered):
            raise InputError("Somebody who came for the first time was not let in.")
        return entered.assignment.key

    async def _visit(self, key: str, outcome: Outcome, *, began: float, takes: float) -> Assignment:
        def later(step: flow.Where) -> None:
            self._clock.move_to(min(self._clock.now() + takes / 20, began + takes))

        rng = random.Random(f"{self._seed}:{key and self._number}:{outcome}")
        person = SimulatedParticipant(self._deployment, self._study, key, rng=rng, on_step=later)
        if outcome in ENDED:
            self._clock.move_to(began + takes / 4)
            return await person.stop(ENDED[outcome])
        if outcome == "no_consent":
            return await person.walk(agrees=False)
        return await person.walk()

    def _go_back(self, piece: str, visit: Assignment, *, walked: bool) -> DryVisit:
        """Back to the panel with the code, where there is one; else the place is given back."""
        if visit.state == ACTIVE:
            raise InputError("A simulated visit was left in the middle.")
        outcome = outcome_of(visit.reason)
        if visit.code is None:
            self._stand_in.return_(piece)
        else:
            there = self._stand_in.complete(piece, visit.code)
            if there.return_requested is not None:
                # Who is asked to give the place back does so.
                self._stand_in.return_(piece)
        return DryVisit(piece, outcome, walked, visit.code)


def first_outcomes(study: Study) -> Iterator[Outcome]:
    """The outcomes that are tried once each before everybody else completes."""
    for outcome in possible_outcomes(study):
        if outcome != "completed":
            yield outcome


def _is_walked(outcome: Outcome) -> bool:
    return outcome not in ENDED
