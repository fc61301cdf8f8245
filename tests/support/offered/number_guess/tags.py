"""The game in words alone: what a language model is told, and the tag that stands for a guess."""

from palaver.core.errors import MoveError
from palaver.core.events import Event, Move
from palaver.core.scenario import Scenario


def brief(scenario: Scenario, seat: int) -> tuple[str, ...]:
    """The rules, one's own number, and the tags."""
    digits = scenario.extra.get("digits", 3)
    return (
        "You and your partner have a number each. Find out the other's and guess it, once.",
        f"Your number is {scenario.kb(seat)['number']}; your partner's has {digits} digits, too.",
        "Tags: <guess> 123 guesses that number; <quit> leaves the game.",
    )


def read_tag(action: str, words: str, scenario: Scenario, seat: int) -> Move:
    """A guess, or the end."""
    if action == "quit":
        return Move(action="quit")
    if action != "guess":
        raise MoveError(
            "unknown_action", f"There is no tag '<{action}>'; there are <guess>, <quit>."
        )
    if not words.isdecimal():
        raise MoveError("bad_guess", f"<guess> takes a number; got '{words}'.")
    return Move(action="guess", data={"number": int(words)})


def write_tag(event: Event) -> str:
    """The tag of a guess, or of the end."""
    return f"<guess> {(event.data or {})['number']}" if event.action == "guess" else "<quit>"
