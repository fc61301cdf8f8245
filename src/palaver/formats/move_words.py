"""What a move is called where people and models read it: the one place for these words.

Beside the name of whoever made it: "offers $120", "selects Jane Doe, MIT", "takes 2 books". Games that
are played here word their moves with the same function.
"""

from typing import Any

from palaver.core.events import MESSAGE, Event
from palaver.core.words import listed
from palaver.formats.cocoa.actions import ACCEPT, OFFER, QUIT, REJECT, SELECT
from palaver.formats.cocoa.events import KEPT
from palaver.formats.cocoa.scenarios import GAMES

_PLAIN = {
    ACCEPT: "accepts the offer",
    REJECT: "rejects the offer",
    QUIT: "quits",
    "mark_deal": "marks the deal as agreed",
    "no_deal": "says that there is no deal",
}


def move_words(event: Event, *, game: str) -> str:
    """How a move of a game reads; empty for a message, after an erasure, and for other games.

    >>> offer = Event(seq=1, seat=0, action="offer", data={"price": 1250.0}, time=0)
    >>> move_words(offer, game="craigslist_bargain")
    'offers $1,250'
    """
    data = event.data
    if game not in GAMES or data is None or not event.is_turn or event.action == MESSAGE:
        return ""
    if event.action == OFFER:
        return _offer(data)
    if event.action == SELECT and isinstance(data.get("take"), dict):
        return f"takes {taken_words(data['take'])}"
    if event.action == SELECT and isinstance(data.get("item"), dict):
        return f"selects {', '.join(map(_text, data['item'].values()))}"
    return _PLAIN.get(event.action, "")


def move_data(event: Event) -> dict[str, Any]:
    """What a move is about, without what the file that it came from said beside it."""
    return {key: value for key, value in (event.data or {}).items() if key != KEPT}


def price_words(price: float) -> str:
    """A price in dollars, with cents where there are some.

    >>> price_words(1250.0), price_words(7.5)
    ('$1,250', '$7.50')
    """
    return f"${price:,.2f}".removesuffix(".00")


def _offer(data: dict[str, Any]) -> str:
    price, sides = data.get("price"), data.get("sides")
    offered = price_words(price) if isinstance(price, int | float) else "no price"
    return f"offers {offered} ({sides})" if sides else f"offers {offered}"


def taken_words(take: dict[str, Any]) -> str:
    """What one side of a deal takes.

    >>> taken_words({"book": 2, "hat": 0, "ball": 1}), taken_words({"book": 0})
    ('2 books and 1 ball', 'nothing')
    """
    taken = [f"{count} {name}{'s' if count != 1 else ''}" for name, count in take.items() if count]
    return listed(taken) if taken else "nothing"


def _text(value: Any) -> str:
    return listed([str(each) for each in value]) if isinstance(value, list) else str(value)
