"""What somebody may do with a recruitment or an order, and what will happen then, in words.

Every door offers the same moves, says the same beforehand and does the same.
"""

from typing import Literal, get_args

from palaver.core.audit import Actor
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.recruiting.payments import PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.registry import near
from palaver.core.words import counted
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.standing import GONE
from palaver.studies.recruiting.submissions import news
from palaver.studies.run.deployment import Deployment

Move = Literal["publish", "pause", "resume", "stop", "delete", "read", "find"]
MOVES: tuple[Move, ...] = get_args(Move)
OrderMove = Literal["set_up", "pay", "was_paid", "nothing_paid", "drop"]
ORDER_MOVES: tuple[OrderMove, ...] = get_args(OrderMove)
# What spends, ends or undoes something, and so is an owner's to do.
OWNERS: frozenset[Move] = frozenset({"publish", "resume", "stop", "delete"})
DONE: dict[Move, str] = {
    "publish": "Published: people may come from now on.",
    "pause": "Paused: nobody new takes a place.",
    "resume": "Resumed: people may take places again.",
    "stop": "Stopped: no place is given away any more.",
    "delete": "The draft is deleted.",
    "read": "The panel's list was read.",
    "find": "The draft was found at the panel.",
}


def open_moves(recruitment: Recruitment) -> tuple[Move, ...]:
    """What may be done with a recruitment as it stands, what one most likely wants first."""
    if recruitment.state == "missing":
        return ()
    if recruitment.panel_id is None:
        return ("find",)
    if recruitment.published is None:
        return ("publish", "delete", "read")
    if recruitment.wanted == "stopped" or recruitment.state in ("awaiting_review", "completed"):
        return ("read",)
    if recruitment.state == "paused" or recruitment.held_for:
        return ("resume", "stop", "read")
    return ("pause", "stop", "read")


def foreseen(move: Move, recruitment: Recruitment) -> str:
    """What a move will do, in sentences for whoever decides."""
    cost = Money(recruitment.place_cost, recruitment.currency) * recruitment.places
    places = counted(recruitment.places, "place")
    reward = Money(recruitment.reward, recruitment.currency)
    told: dict[Move, str] = {
        "publish": f"People at the panel see “{recruitment.title}” and may come at once. {places} at "
        f"{reward} each may cost {cost} in all with fees; so much of the budget is spoken for. "
        + _growth(recruitment),
        "pause": "Nobody new takes a place. People who have one go on, and are paid.",
        "resume": "People may take the places that are left.",
        "stop": "No place is given away any more, and the budget keeps what was spoken for. People who "
        "have one go on. You can go on recruiting later by raising the places.",
        "delete": "The draft is deleted at the panel. Nobody has seen it, and nothing was paid.",
        "read": "How it stands at the panel, and every submission there, is read now.",
        "find": "It is looked for at the panel, because no answer came when it was created. If it is "
        "not there, it is forgotten here as well.",
    }
    return told[move]


def _growth(recruitment: Recruitment) -> str:
    if not recruitment.grows:
        return (
            "Places do not follow the study's quotas, because fewer were asked for, or because neither "
            "'most_places' nor 'budget' says where that ends; more are offered when you raise them."
        )
    return (
        "While the study's quotas need more people, more places are offered by themselves, up to "
        "'most_places' of the study file and as far as the budget goes."
    )


async def make_move(
    deployment: Deployment, recruitment: Recruitment, move: str, *, actor: Actor
) -> Recruitment:
    """Do something with a recruitment; as it is afterwards."""
    match move:
        case "publish":
            return await recruit.publish(deployment, recruitment, actor=actor)
        case "pause":
            return await recruit.pause(deployment, recruitment, actor=actor)
        case "resume":
            return await recruit.resume(deployment, recruitment, actor=actor)
        case "stop":
            return await recruit.stop(deployment, recruitment, actor=actor)
        case "delete":
            return await recruit.delete_draft(deployment, recruitment, actor=actor)
        case "read":
            await news.read_all(deployment, _known(recruitment))
            return await recruit.find(deployment, recruitment.key)
        case "find":
            return await recruit.find_created(deployment, recruitment)
    raise InputError(
        f"Nothing is called '{move[:40]}' that one could do here.{near(move, list(MOVES))}"
    )


def _known(recruitment: Recruitment) -> Recruitment:
    if recruitment.panel_id is None:
        raise InputError("The panel has not answered yet, so there is no list to read.")
    if recruitment.state == "missing":
        raise InputError(GONE)
    return recruitment


async def move_order(
    deployment: Deployment, order: PayOrder, move: str, *, actor: Actor
) -> PayOrder:
    """Bring an order on, or say what became of it; as it is afterwards."""
    match move:
        case "set_up":
            return await orders.set_up(deployment, order, actor=actor)
        case "pay":
            return await orders.pay(deployment, order, actor=actor)
        case "was_paid" | "nothing_paid":
            was_paid, now = move == "was_paid", deployment.clock.now()
            return await deployment.store.write(
                lambda c: orders.settle_by_hand(c, order, was_paid=was_paid, actor=actor, now=now)
            )
        case "drop":
            now = deployment.clock.now()
            return await deployment.store.write(
                lambda c: orders.drop(c, order, actor=actor, now=now)
            )
    raise InputError(
        f"Nothing is called '{move[:40]}' that one could do with an order."
        f"{near(move, list(ORDER_MOVES))}"
    )
