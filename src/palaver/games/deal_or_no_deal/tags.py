"""The game in words and tags, for language models and the terminal: `<select> 1 0 2`, `<quit>`."""

import re

from palaver.core.errors import MoveError
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario
from palaver.core.words import listed
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.games.deal_or_no_deal.rules import NO_DEAL, counts_for

_PAIR = re.compile(r"(\d+)\s+([^\W\d_]+)")
_JOINTS = re.compile(r"[\s,;]+|\band\b")


def brief(scenario: Scenario, seat: int) -> tuple[str, ...]:
    """What a player is told: the game, its own values, and the tags."""
    rows = scenario.kb(seat)
    things = listed([plural(row["Count"], row["Name"]) for row in rows])
    values = listed([f"each {row['Name']} is worth {row['Value']}" for row in rows])
    points = sum(row["Count"] * row["Value"] for row in rows)
    order = listed([f"{row['Name']}s" for row in rows])
    example = " ".join(str(row["Count"] if n == 0 else 0) for n, row in enumerate(rows))
    return (
        f"You and a partner divide {things}. The items are worth different points to each of you.",
        f"To you {values}; all of them together are worth {points} points. Your partner does not "
        "know your values, and you do not know your partner's.",
        "Talk until you agree on who gets what, one short message at a time, then both of you mark "
        "what you take. If the two shares do not add up to all items, nobody gets points.",
        f"To mark the deal write <select> and how many {order} you take, in this order: "
        f"<select> {example}. You can do so after your first message. Nobody can write after that.",
        "To say that there is no deal write <quit>; it is possible after four messages of yours.",
    )


def read_tag(action: str, words: str, scenario: Scenario, seat: int) -> Move:
    """The move that a tag stands for."""
    if action == QUIT:
        return Move(action=QUIT, data={NO_DEAL: True})
    if action == SELECT:
        return Move(action=SELECT, data={"take": _take(words, counts_for(scenario, seat))})
    raise MoveError(
        "unknown_action",
        f"There is no move '<{action}>' in this game; there are <select> and <quit>.",
    )


def write_tag(event: Event) -> str:
    """The tag that stands for a move."""
    if event.action == SELECT:
        take = (event.data or {}).get("take", {})
        return f"<{SELECT}> {' '.join(str(count) for count in take.values())}"
    return f"<{QUIT}>" if event.action == QUIT else ""


def plural(count: int, name: str) -> str:
    """How many of an item, in words.

    >>> plural(1, "hat"), plural(2, "hat"), plural(3, "box")
    ('1 hat', '2 hats', '3 boxes')
    """
    ending = "es" if name.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{count} {name}{'' if count == 1 else ending}"


def _take(words: str, counts: dict[str, int]) -> dict[str, int]:
    """Counts in the order of the items, or numbers with names; what is not named is not taken."""
    parts = [part for part in _JOINTS.split(words.strip().lower()) if part]
    if len(parts) == len(counts) and all(part.isdecimal() for part in parts):
        return dict(zip(counts, map(int, parts), strict=True))
    take = dict.fromkeys(counts, 0)
    pairs = _PAIR.findall(" ".join(parts))
    if not pairs or 2 * len(pairs) != len(parts):
        raise MoveError("bad_tag", _expected(words, counts))
    for number, name in pairs:
        item = next((item for item in counts if name in (item, f"{item}s", f"{item}es")), None)
        if item is None:
            raise MoveError("bad_tag", f"Unknown item '{name}'; there are {', '.join(counts)}.")
        take[item] = int(number)
    return take


def _expected(words: str, counts: dict[str, int]) -> str:
    named = " ".join(plural(count, item) for item, count in counts.items())
    in_order = " ".join(str(count) for count in counts.values())
    return f"<select> takes '{in_order}' or '{named}' at most; got '{words.strip()}'."
