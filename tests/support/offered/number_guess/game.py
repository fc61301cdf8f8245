"""Everything that Palaver is told of the game."""

from collections.abc import Iterator
from pathlib import Path

from number_guess.generator import NumberGenerator
from number_guess.options import NumberGuessOptions
from number_guess.tags import brief, read_tag, write_tag
from palaver.core.dialogue import Dialogue
from palaver.core.events import END, Event
from palaver.core.questions.likert import Likert
from palaver.games.game import Finding, Game


def tell(event: Event, viewer: int | None) -> str:
    """A guess in words, and at the end what the viewer earned."""
    data = event.data or {}
    if event.action == "guess":
        number = data["number"]
        return f"You guessed {number}." if viewer == event.seat else f"guesses {number}"
    if event.action == END and viewer is not None and "reward" in data.get("outcome", {}):
        return f"You earned {data['outcome']['reward'][str(viewer)]:g} points."
    return ""


def find_silence(dialogue: Dialogue) -> Iterator[Finding]:
    """Seats that guessed without having written anything."""
    for seat in (0, 1):
        if not dialogue.message_counts.get(seat):
            yield Finding("never_spoke", "guessed without a word", seat)


GAME = Game(
    name="number_guess",
    folder=Path(__file__).parent,
    options_type=NumberGuessOptions,
    knowledge="knowledge.html",
    moves="moves.html",
    element="number-guess.js",
    style="number-guess.css",
    tell=tell,
    survey=(Likert(name="attentive", text="How attentive was your partner?"),),
    checks=(find_silence,),
    starter="numbers",
    metrics=("number_guess.metrics:guessed_right", "completion_rate"),
    generator=NumberGenerator,
    bots={"rule": "number_guess.bots:Teller", "random": "number_guess.bots:Guesser"},
    measure="number_guess.measure:measure",
    brief=brief,
    read_tag=read_tag,
    write_tag=write_tag,
)
