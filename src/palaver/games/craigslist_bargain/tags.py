"""A bargain in words: what a move reads like, what a model is told, and the tags with which it moves."""

from palaver.core.errors import InputError, MoveError
from palaver.core.events import END, Event, Move
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.formats.move_words import move_words, price_words
from palaver.games.craigslist_bargain.prices import read_price
from palaver.games.craigslist_bargain.sides import side_of

_PAST = {ACCEPT: "accepted the offer", REJECT: "rejected the offer"}


def tell(event: Event, viewer: int | None) -> str:
    """A move in words, and at the end what came of it."""
    if event.action == END:
        return _ending(event) if viewer is not None else ""
    words = move_words(event, game=BARGAIN)
    if viewer is None or not words:
        return words
    who = "You" if viewer == event.seat else "Your partner"
    if event.action == OFFER:
        return f"{who} offered {words.removeprefix('offers ')}."
    return f"{who} {_PAST[event.action]}." if event.action in _PAST else ""


def brief(scenario: Scenario, seat: int) -> tuple[str, ...]:
    """What a language model is told before it bargains."""
    side = side_of(scenario.kb(seat))
    wish = "as little as you can" if side.is_buyer else "as much as you can"
    deed = "pay" if side.is_buyer else "get"
    return (
        f"You are the {side.role} of something that is listed for sale; your partner is the "
        f"{side.partner}. Negotiate a price in short, natural messages.",
        f"Listing: {side.title} ({side.category}). List price: {price_words(side.price)}.",
        f"Description: {' '.join(side.description)}",
        f"Your target is {price_words(side.target)}; {deed} {wish}, but any deal is better than none. "
        "Your partner does not know your target. Do not tell it.",
        "Write one message at a time. To move, write nothing but a tag: '<offer> 120' makes your one "
        "final offer, which ends the bargain when it is answered; '<accept>' and '<reject>' answer an "
        "offer of your partner; '<quit>' leaves without a deal. Offer once you have agreed on a price.",
    )


def read_tag(action: str, words: str, scenario: Scenario, seat: int) -> Move:
    """The move that a tag stands for; MoveError where it cannot be understood."""
    if action in (ACCEPT, REJECT, QUIT):
        if words.strip():
            raise MoveError("bad_tag", f"Nothing goes behind '<{action}>'; got '{words.strip()}'.")
        return Move(action=action)
    if action != OFFER:
        raise MoveError(
            "unknown_action",
            f"There is no move '<{action}>' in a bargain; there are <offer> 120, <accept>, <reject> "
            "and <quit>.",
        )
    try:
        return Move(action=OFFER, data={"price": read_price(words)})
    except InputError as error:
        raise MoveError("bad_price", str(error)) from error


def write_tag(event: Event) -> str:
    """The tag that stands for a move; empty for a message."""
    if event.action == OFFER:
        price = (event.data or {}).get("price")
        return f"<offer> {price:.10g}" if isinstance(price, int | float) else "<offer>"
    return f"<{event.action}>" if event.action in (ACCEPT, REJECT, QUIT) else ""


def _ending(event: Event) -> str:
    outcome = (event.data or {}).get("outcome") or {}
    price = (outcome.get("offer") or {}).get("price")
    if not isinstance(price, int | float) or "agreed" not in outcome:
        return ""
    if outcome["agreed"]:
        return f"You have a deal at {price_words(price)}."
    return f"The offer of {price_words(price)} was rejected, so there is no deal."
