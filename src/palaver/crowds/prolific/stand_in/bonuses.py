"""Bonuses of the stand-in: set up, then paid as often as somebody asks for it."""

from typing import Any

from palaver.core.errors import InputError
from palaver.core.money import read_money
from palaver.crowds.prolific.bodies import MOST_BONUSES
from palaver.crowds.prolific.stand_in.state import KnownSetup, KnownSubmission
from palaver.crowds.prolific.stand_in.studies import available, cost_of, study_named
from palaver.crowds.prolific.stand_in.world import World, existing, refuse


def set_up(world: World, body: dict[str, Any]) -> dict[str, Any]:
    """Take lines of `who,amount`, where amounts are in pounds or the like."""
    study = study_named(world, str(body.get("study_id", "")))
    amounts: dict[str, int] = {}
    unknown = []
    for line in str(body.get("csv_bonuses", "")).splitlines():
        if not line.strip():
            continue
        who, _, amount = (part.strip() for part in line.partition(","))
        if _submission_of(world, study.id, who) is None:
            unknown.append(who[:64])
            continue
        try:
            due = read_money(amount, world.state.currency).minor
        except InputError as error:
            refuse({"csv_bonuses": [str(error)]})
        amounts[who] = amounts.get(who, 0) + due
    if unknown:
        refuse(f"These have not taken part in the study: {', '.join(unknown)}")
    if not 1 <= len(amounts) <= MOST_BONUSES:
        refuse({"csv_bonuses": [f"1 to {MOST_BONUSES} participants can be paid at once."]})
    setup = KnownSetup(id=world.new_id(), study=study.id, amounts=amounts)
    world.state.setups[setup.id] = setup
    return setup_view(world, setup)


def setup_view(world: World, setup: KnownSetup) -> dict[str, Any]:
    """Bonuses that were set up, as the service shows them: in the smallest unit."""
    cost = cost_of(world, sum(setup.amounts.values()), 1)
    return {
        "id": setup.id,
        "study": setup.study,
        "amount": cost["rewards"],
        "fees": cost["fees"],
        "vat": cost["vat"],
        "total_amount": sum(cost.values()),
    }


def pay(world: World, name: str) -> None:
    """Pay; a second call pays again, as the real one does."""
    setup = existing(world.state.setups, name, "Bulk bonus payment")
    if setup_view(world, setup)["total_amount"] > available(world):
        refuse("There are not enough funds in the workspace to pay these bonuses.")
    setup.paid.append(world.now)
    for who, amount in setup.amounts.items():
        submission = _submission_of(world, setup.study, who)
        if submission is not None:
            submission.bonuses.append(amount)


def _submission_of(world: World, study: str, who: str) -> KnownSubmission | None:
    """The submission that is meant by its own id, or by that of its participant."""
    own = [each for each in world.state.submissions.values() if each.study == study]
    return next((each for each in own if who in (each.id, each.participant)), None)
