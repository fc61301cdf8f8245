"""How language models and terminals read and write the game: a list of friends, and tags for moves."""

from palaver.core.errors import MoveError
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario
from palaver.core.words import counted, listed
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.games.mutual_friends.rules import ITEM
from palaver.games.mutual_friends.tables import columns, friends, values_of


def brief(scenario: Scenario, seat: int) -> tuple[str, ...]:
    """The task, the friends by number, and the tags."""
    names = columns(scenario, seat)
    rows = friends(scenario, seat)
    return (
        "You and your partner each have a list of friends. Exactly one friend is on both lists: "
        "the same in every column. Neither of you sees the other's list. Find that friend by talking.",
        f"Your {counted(len(rows), 'friend')} ({', '.join(names)}):",
        *(
            f"{number}. " + ", ".join(" and ".join(values_of(row, name)) for name in names)
            for number, row in enumerate(rows, start=1)
        ),
        "Write short, natural messages, one at a time: ask, answer, say what several of your friends "
        "have in common. Do not read out the whole list.",
        f"When you are sure, write <{SELECT}> and the number of the friend on your list, for example "
        f"<{SELECT}> {min(3, len(rows))}, and nothing else. You win when both of you have selected "
        "the same friend. You may select somebody else later; do so rarely.",
        f"Write <{QUIT}> to give up.",
    )


def read_tag(action: str, words: str, scenario: Scenario, seat: int) -> Move:
    """The move that a tag stands for: `<select> 3` or `<quit>`."""
    if action == QUIT:
        return Move(action=QUIT)
    if action != SELECT:
        raise MoveError(
            "unknown_action",
            f"There is no move '<{action}>' in this game; there are <{SELECT}> and <{QUIT}>.",
        )
    rows = friends(scenario, seat)
    number = words.strip().strip(".#")
    if not (number.isascii() and number.isdecimal() and 1 <= int(number) <= len(rows)):
        raise MoveError(
            "bad_select",
            f"<{SELECT}> takes the number of a friend, 1 to {len(rows)}; got '{words.strip()}'.",
        )
    return Move(action=SELECT, data={ITEM: rows[int(number) - 1]})


def write_tag(event: Event) -> str:
    """The tag of a move; the friend in words, because the partner's list has other numbers."""
    if event.action == QUIT:
        return f"<{QUIT}>"
    item = (event.data or {}).get(ITEM)
    if event.action != SELECT or not isinstance(item, dict):
        return ""
    return f"<{SELECT}> {listed([' and '.join(values_of(item, name)) for name in item])}"
