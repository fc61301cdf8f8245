"""Everything that Palaver is told of writing against a model."""

from pathlib import Path

from palaver.core.events import END, Event
from palaver.core.protocols import Rules
from palaver.games.game import Game, GameOptions, Setting
from palaver.games.model_in_the_loop.form import FormField, WritingForm
from palaver.games.model_in_the_loop.moves import (
    ANSWER,
    GAME_NAME,
    JUDGE,
    KEEP,
    SKIP,
    SKIPPED,
    STOP,
    TRY,
    UNANSWERED,
)
from palaver.games.model_in_the_loop.rules import ModelInTheLoop
from palaver.games.model_in_the_loop.writing import WritingBrief

# What is asked for where no round says it: a page can be looked at before there is one.
SPECIMEN = WritingBrief(
    round=0,
    context_id="specimen",
    context={"text": "The bakery on Mill Lane opens at six, but on Mondays it stays closed."},
    form=WritingForm(
        task="specimen",
        title="Reading closely",
        reads=(FormField(name="text", title="text"),),
        writes=(
            FormField(name="sentence", title="sentence"),
            FormField(
                name="label", title="label", form="choice", labels=("true", "false"), is_gold=True
            ),
        ),
    ),
)


class WritingOptions(GameOptions):
    """Nothing: what a session asks for stands in its round."""

    @property
    def draws_seats(self) -> bool:
        return False

    def rules(self, setting: Setting, *, folder: Path) -> Rules:
        """The rules, with a specimen to look at."""
        return ModelInTheLoop(scenarios=(SPECIMEN.scenario(game=GAME_NAME),))


_JUDGED = {"True": " (wrong)", "False": " (right)"}


def tell(event: Event, viewer: int | None) -> str:
    """A move in words, for whoever reads the session afterwards."""
    data = event.data or {}
    match event.action:
        case _ if event.action == END:
            return _told_end(data, viewer)
        case _ if event.action == TRY:
            return f"tries {_values(data)}"
        case _ if event.action == ANSWER:
            return f"answers {_values(data)}{_JUDGED.get(str(data.get('wrong')), '')}"
        case _ if event.action == UNANSWERED:
            return f"does not answer: {data.get('text') or data.get('kind') or 'no reason known'}"
        case _ if event.action == JUDGE:
            said = "wrong" if data.get("wrong") else "right"
            return f"says that the answer is {said}" + _because(data.get("label"), "right would be")
        case _ if event.action == KEEP:
            marked = f" as '{data['label']}'" if data.get("label") else ""
            return f"keeps it{marked}" + _because(data.get("why"), "because")
        case _ if event.action == SKIP:
            return "asks for another text"
        case _ if event.action == STOP:
            return "stops without having fooled the model"
    return ""


def _told_end(data: dict[str, object], viewer: int | None) -> str:
    outcome = data.get("outcome")
    if data.get("reason") == SKIPPED:
        return "The text was given back."
    if not isinstance(outcome, dict) or "fooled" not in outcome:
        return ""
    if outcome["fooled"]:
        return "The model was fooled." if viewer is None else "You found something it gets wrong."
    return "The model was not fooled." if viewer is None else "The model held this time."


def _values(data: dict[str, object]) -> str:
    values = data.get("values")
    if not isinstance(values, dict):
        return ""
    return ", ".join(f"{name}: {value}" for name, value in values.items() if _is_told(value))


def _is_told(value: object) -> bool:
    return isinstance(value, str | int | float | list)


def _because(said: object, how: str) -> str:
    return f", {how}: {said}" if said else ""


GAME = Game(
    name=GAME_NAME,
    folder=Path(__file__).parent,
    options_type=WritingOptions,
    knowledge="talk.html",
    moves="moves.html",
    element="loop-parts.js",
    tell=tell,
)
