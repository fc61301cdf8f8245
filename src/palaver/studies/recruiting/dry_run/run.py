"""A dry run: created, published, taken part in, decided on, paid and reconciled at a stand-in.

Everything goes through the actions that recruiting itself uses. The home is a temporary folder that is
deleted, the panel a stand-in at a port of this machine that `serve` opens, the systems are programs, and
time is drawn: nothing leaves the machine, nothing is spent, and the study's own home is not touched.
"""

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.recruiting.dry_runs import DecidedAs, DryMoment, DryPayments, TriedOutcome
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.serial import if_any
from palaver.core.studies.outcomes import Outcome
from palaver.core.words import counted
from palaver.crowds.prolific.records import CompletionCode
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage import Store
from palaver.storage.recruiting.payments import unordered
from palaver.studies.file.definition import Study
from palaver.studies.intake.materials import load_material
from palaver.studies.recruiting.books import intend_due, read_reconciliation, read_suggestions
from palaver.studies.recruiting.dry_run.clients import StandInClients
from palaver.studies.recruiting.dry_run.tried_study import as_tried
from palaver.studies.recruiting.dry_run.visits import DryClock, DryCrowd, DryVisit, first_outcomes
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money.costs import StudyCosts, read_costs
from palaver.studies.recruiting.offering.codes import completion_codes
from palaver.studies.recruiting.offering.offers import Offer, make_offer
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.recruiter import Recruiter
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.submissions.decisions import Ruling, rule
from palaver.studies.recruiting.submissions.reconciliation import Mismatch
from palaver.studies.review.progress import find_progress
from palaver.studies.run.deployment import Deployment, RunningStudy

# Serves a stand-in at a free port of this machine, and says at which address in its `base`.
Serving = Callable[[StandIn], AbstractContextManager[None]]

ACTOR = Actor(name="dry run", via="server")
# Nobody is reached here: the address stands in what would be created.
BASE = "https://dry-run.invalid"
# When a dry run takes place, so that the same seed gives the same.
START = 1_800_000_000.0
MOST_PEOPLE = 200
SETTLED_SECONDS = 3600.0
RETURNS = "It did not come to its end here. Please return your place; you lose nothing by it."


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a dry run did; `mismatches` is what did not fit between here and there in the end."""

    derived: ClassVar[tuple[str, ...]] = ("is_clean",)

    study: str
    seed: int
    offer: Offer
    people: int
    outcomes: tuple[TriedOutcome, ...]
    moments: tuple[DryMoment, ...]
    decided: tuple[DecidedAs, ...]
    # Submissions that wait in the end, because a person has to look at them.
    left: int
    payments: DryPayments
    costs: StudyCosts
    mismatches: tuple[Mismatch, ...]
    notes: tuple[str, ...] = if_any(())

    @property
    def is_clean(self) -> bool:
        """Whether everybody fits here and there, and every bonus that was due was paid."""
        return not self.mismatches and self.payments.due == self.payments.paid


async def dry_run(study: Study, *, people: int, seed: int, serve: Serving) -> DryRun:
    """Try recruiting for a study with so many simulated people who are to complete it.

    InputError where it cannot be recruited for, or the offer has problems.
    """
    if not 1 <= people <= MOST_PEOPLE:
        raise InputError(f"A dry run takes 1 to {MOST_PEOPLE} people; got {people:,}.")
    tried = as_tried(study, seed=seed)
    assert tried.definition.pay is not None, "an offer says what it pays"
    clock = DryClock(START)
    stand_in = StandIn(clock=clock, currency=tried.definition.pay.currency, seed=seed)
    with tempfile.TemporaryDirectory(prefix="palaver-dry-run-") as folder, serve(stand_in):
        async with _tried(tried.definition, stand_in, clock, Path(folder)) as trial:
            trial.notes += tried.notes
            return await trial.run(people, seed=seed)


class TriedDeployment(Deployment):
    """A deployment of a study alone: another one that it judges need not be there."""

    def prepare(self) -> None:
        """Read the files that the study names; StudyError with everything wrong."""
        for study in self.definitions:
            self.intake.materials[study.name] = load_material(study)


@asynccontextmanager
async def _tried(
    study: Study, stand_in: StandIn, clock: DryClock, folder: Path
) -> AsyncIterator["_Trial"]:
    """The study, served in a home of its own."""
    store = Store(f"sqlite:///{folder / 'palaver.db'}")
    deployment = TriedDeployment(store, [study], clock=clock, folder=folder)
    StandInClients(stand_in, clock).lend_to(deployment)
    try:
        await deployment.start()
        try:
            yield _Trial(deployment, deployment.study(study.name), stand_in, clock)
        finally:
            await deployment.stop()
    finally:
        store.close()


@dataclass(slots=True)
class _Trial:
    """A dry run under way."""

    deployment: Deployment
    study: RunningStudy
    stand_in: StandIn
    clock: DryClock
    moments: list[DryMoment] = field(default_factory=list)
    visits: list[DryVisit] = field(default_factory=list)
    notes: tuple[str, ...] = ()

    async def run(self, people: int, *, seed: int) -> DryRun:
        await self.study.taken_in.wait()
        offer = await make_offer(self.deployment, self.study, base=BASE)
        if offer.problems:
            raise InputError(" ".join(offer.problems))
        made = await recruit.create(
            self.deployment, self.study.name, base=BASE, actor=ACTOR, cost=offer.cost
        )
        await self._note("it was created as a draft", made)
        made = await recruit.publish(self.deployment, made, actor=ACTOR)
        await self._note("it was published", made)
        made = await self._take_part(made, people, seed=seed)
        decided = await self._decide(made)
        await self._note("submissions were decided on as suggested", await self._read(made))
        payments = await self._pay(made)
        made = await self._read(made)
        await self._note("bonuses were paid", made)
        return await self._told(made, offer, seed=seed, decided=decided, payments=payments)

    async def _take_part(self, made: Recruitment, people: int, *, seed: int) -> Recruitment:
        """Everybody comes, one or two at a time; the recruiter looks in between, as it would."""
        crowd = DryCrowd(
            self.deployment,
            self.study,
            self.stand_in,
            self.clock,
            panel_study=made.panel_id or "",
            seed=seed,
        )
        for outcome in first_outcomes(self.study.definition):
            self.visits += await crowd.come([outcome])
            made = await self._look(made)
        await self._note("somebody came for each other outcome", made)
        together = 2 if self.study.definition.meets else 1
        completed = 0
        while completed < people:
            came = await crowd.come(
                ["completed"] * min(together, max(people - completed, together))
            )
            made = await self._look(made)
            self.visits += came
            found = sum(each.outcome == "completed" for each in came)
            completed += found
            if not found:
                self.notes += (
                    f"Of {counted(people, 'person', 'people')} who were to complete it "
                    f"{completed} did: then there was no place left, there or here.",
                )
                break
        await self._note(f"{counted(completed, 'person', 'people')} completed it", made)
        return made

    async def _look(self, made: Recruitment) -> Recruitment:
        """Read the panel's list, and let the recruiter do what it would do by itself."""
        await self._read(made)
        await Recruiter.of(self.deployment).look()
        return await recruit.find(self.deployment, made.key)

    async def _read(self, made: Recruitment) -> Recruitment:
        await news.read_all(self.deployment, made)
        return await recruit.find(self.deployment, made.key)

    async def _decide(self, made: Recruitment) -> tuple[DecidedAs, ...]:
        """Decide what is suggested; what asks for a look is left to a person."""
        now, definition = self.clock.now(), self.study.definition
        suggested = await self.deployment.store.read(
            lambda c: read_suggestions(c, made, definition, now=now)
        )
        counts: Counter[str] = Counter()
        for each in suggested:
            if each.submission.panel_id is None or each.suggested == "look":
                continue
            ruling = Ruling(
                decision=each.suggested,
                submissions=(each.submission.panel_id,),
                reason=RETURNS if each.suggested == "ask_return" else "",
                pay=each.pay if each.suggested == "screen_out" else None,
            )
            done = await rule(self.deployment, made, ruling, actor=ACTOR)
            counts[each.suggested if done.done else "refused"] += 1
            if each.suggested == "ask_return" and done.done:
                self.stand_in.return_(each.submission.panel_id)
        return tuple(DecidedAs(decision, n) for decision, n in sorted(counts.items()))

    async def _pay(self, made: Recruitment) -> DryPayments:
        """Work out what is due on top, and pay it."""
        now, store = self.clock.now(), self.deployment.store
        definition = self.study.definition
        await store.write(lambda c: intend_due(c, definition, made, now=now))
        due = await store.read(lambda c: unordered(c, made.id))
        if not due:
            return DryPayments(due=0, paid=0, orders=0, total=0)
        ids = [each.id for each in due]
        placed = await store.write(lambda c: orders.make_orders(c, made, ids, actor=ACTOR, now=now))
        total = 0
        for order in placed:
            ready = await orders.set_up(self.deployment, order, actor=ACTOR)
            await orders.pay(self.deployment, ready, actor=ACTOR)
            total += ready.total or 0
        paid = sum(each.amount for each in self.stand_in.payments)
        return DryPayments(
            due=sum(each.amount for each in due), paid=paid, orders=len(placed), total=total
        )

    async def _told(
        self,
        made: Recruitment,
        offer: Offer,
        *,
        seed: int,
        decided: tuple[DecidedAs, ...],
        payments: DryPayments,
    ) -> DryRun:
        # News of everybody is in by now: what does not fit then does not fit.
        now, study = self.clock.now() + SETTLED_SECONDS, self.study
        store = self.deployment.store
        reconciled = await store.read(lambda c: read_reconciliation(c, made, now=now))
        costs = await store.read(lambda c: read_costs(c, study.id, study.definition))
        assert costs is not None, "the study pays"
        waits = [each for each in self.stand_in.submissions if each.status == "AWAITING REVIEW"]
        return DryRun(
            study=study.name,
            seed=seed,
            offer=offer,
            people=len(self.visits),
            outcomes=tuple(self._outcomes(made)),
            moments=tuple(self.moments),
            decided=decided,
            left=len(waits),
            payments=payments,
            costs=costs,
            mismatches=reconciled.mismatches,
            notes=self.notes,
        )

    def _outcomes(self, made: Recruitment) -> list[TriedOutcome]:
        """What came of each outcome, in the order in which they were tried."""
        known = {each.id: each for each in self.stand_in.submissions}
        codes = completion_codes(self.study.definition, made.codes, places=made.places)
        by_code = {each.code: each for each in codes}
        found: dict[Outcome, list[DryVisit]] = {}
        for visit in self.visits:
            found.setdefault(visit.outcome, []).append(visit)
        return [
            TriedOutcome(
                outcome=outcome,
                people=len(visits),
                walked=any(each.walked for each in visits),
                code=visits[0].code or "",
                action=_action(by_code, visits),
                there=dict(Counter(known[each.submission].status.lower() for each in visits)),
            )
            for outcome, visits in found.items()
        ]

    async def _note(self, after: str, made: Recruitment) -> None:
        definition = self.study.definition
        progress = await self.deployment.store.read(lambda c: find_progress(c, definition))
        self.moments.append(
            DryMoment(
                after=after,
                state=made.state,
                places=made.places,
                taken=made.taken,
                goals=progress.state,
            )
        )


def _action(codes: dict[str, CompletionCode], visits: Sequence[DryVisit]) -> str:
    """What the panel was told to do with the code of these visits."""
    code = codes.get(visits[0].code or "")
    if code is None:
        return "no code: the place was given back"
    (action,) = code.actions
    words = {
        "AUTOMATICALLY_APPROVE": "approved at once",
        "MANUALLY_REVIEW": "waits for a decision",
        "REQUEST_RETURN": "asked to give the place back",
        "FIXED_SCREEN_OUT_PAYMENT": "paid a part of the reward at once",
    }
    return words.get(action.action, action.action.lower().replace("_", " "))
