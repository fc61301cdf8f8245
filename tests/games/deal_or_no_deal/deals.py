"""Small dialogues about two books, a hat and three balls."""

from palaver.core.conversation import Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event, Move, say
from palaver.core.scenario import Scenario
from palaver.games.deal_or_no_deal.rules import DealOrNoDeal

COUNTS = {"book": 2, "hat": 1, "ball": 3}
# Seat 0 values books, seat 1 balls.
VALUES = ({"book": 4, "hat": 2, "ball": 0}, {"book": 0, "hat": 1, "ball": 3})
SCENARIO = Scenario(
    id="S_deal",
    game="deal_or_no_deal",
    kbs=tuple(
        [{"Name": item, "Count": COUNTS[item], "Value": side[item]} for item in COUNTS]
        for side in VALUES
    ),
)


def talk(*, rules: DealOrNoDeal | None = None) -> Conversation:
    """A conversation in which nothing was said."""
    seats = [Seat(index=n, kind="person", occupant=f"p{n}") for n in (0, 1)]
    dialogue = Dialogue(id="d", scenario=SCENARIO, seats=seats)
    return Conversation(dialogue, rules or DealOrNoDeal(scenarios=(SCENARIO,)))


def make(conversation: Conversation, seat: int, move: Move) -> list[Event]:
    """What a move leads to."""
    events = conversation.consider(seat, move, 1.0)
    conversation.apply(events)
    return events


def take(book: object, hat: object, ball: object) -> Move:
    return Move(action="select", data={"take": {"book": book, "hat": hat, "ball": ball}})


def no_deal() -> Move:
    return Move(action="quit", data={"no_deal": True})


def talked(count: int, *, rules: DealOrNoDeal | None = None) -> Conversation:
    """A conversation of so many messages, begun by seat 0."""
    conversation = talk(rules=rules)
    for n in range(count):
        make(conversation, n % 2, say(f"message {n}"))
    return conversation
