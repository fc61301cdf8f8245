"""The rules of a session: write, see what the model says, keep what fooled it or try again.

A try that the model did not answer costs nothing. The session is over when a try is kept, when the
tries are used up without one, or when the writer stops; a text that was skipped goes back to others.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from palaver.core.dialogue import Dialogue
from palaver.core.errors import MoveError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import MAX_CHARACTERS, Composer, Ending, Rules
from palaver.core.scenario import Scenario
from palaver.core.words import counted
from palaver.games.model_in_the_loop.moves import (
    ANSWER,
    JUDGE,
    KEEP,
    MODEL,
    SKIP,
    SKIPPED,
    STOP,
    TRY,
    UNANSWERED,
    WRITER,
)
from palaver.games.model_in_the_loop.tried_values import check_values
from palaver.games.model_in_the_loop.writing import Writing, WritingFolds, fold_events
from palaver.games.turn_taking import check_turn, speakers

# What a writer says of why it is right and why the model failed.
LONGEST_WHY = 500
NOBODY_WRITES = Composer(shown=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInTheLoop(Rules):
    """The rules; every session is one of the scenarios, which says what is asked for."""

    scenarios: tuple[Scenario, ...] = ()
    max_characters: int = MAX_CHARACTERS
    folds: WritingFolds = field(default_factory=WritingFolds, compare=False, repr=False)

    def new_scenario(self, rng: random.Random) -> Scenario:
        """One of the scenarios, by lot."""
        return rng.choice(self.scenarios)

    def movers(self, dialogue: Dialogue) -> frozenset[int]:
        """The model while a try waits for it, else the writer."""
        writing = self.folds.of(dialogue)
        if writing.asked.form.talks:
            return speakers(dialogue, "alternate", opens=WRITER)
        return frozenset({MODEL if writing.is_waiting else WRITER})

    def composer(self, dialogue: Dialogue, seat: int) -> Composer:
        """Messages are for talk; what is written for a model goes into the form."""
        writing = self.folds.of(dialogue)
        if not writing.asked.form.talks:
            return NOBODY_WRITES
        if seat == WRITER and not writing.tries_left:
            return Composer(closed="That was the last message. Mark what is wrong, or stop here.")
        return Composer()

    def check(self, dialogue: Dialogue, seat: int, move: Move) -> None:
        """Raise MoveError unless the seat may do this now, with what it carries."""
        if move.action == "quit":
            return
        writing = self.folds.of(dialogue)
        allowed = _TALK if writing.asked.form.talks else _ACTIONS
        check = allowed.get((seat, move.action))
        if check is None:
            raise MoveError("unknown_action", f"'{move.action}' is not something you can do here.")
        if move.action == MESSAGE:
            check_turn(seat, self.movers(dialogue))
        check(writing, move.data or {})

    def ending(self, dialogue: Dialogue, event: Event) -> Ending | None:
        """Over when a try is kept, the text given back, or no try is left that could be."""
        if event.action == "quit":
            return Ending("quit", {"seat": event.seat})
        if event.action == SKIP:
            return Ending(SKIPPED)
        if event.action == KEEP:
            return Ending("complete", {"fooled": True})
        if event.action == STOP:
            return Ending("complete", {"fooled": False})
        if event.action not in (ANSWER, JUDGE):
            return None
        after = fold_events(self.folds.of(dialogue), [event])
        is_missed = not after.must_judge and not any(each.wrong for each in after.tries)
        return Ending("complete", {"fooled": False}) if is_missed and not after.tries_left else None


Check = Callable[[Writing, Mapping[str, Any]], None]


def _check_try(writing: Writing, data: Mapping[str, Any]) -> None:
    if writing.is_waiting:
        raise MoveError("waiting", "The model has not answered yet.")
    if writing.must_judge:
        raise MoveError("judge_first", "Say first whether the model was wrong.")
    if not writing.tries_left:
        raise MoveError(
            "no_tries", f"You have used {counted(writing.asked.tries, 'try', 'tries')}."
        )
    check_values(writing, data)


def _check_answer(writing: Writing, data: Mapping[str, Any]) -> None:
    if not writing.is_waiting:
        raise MoveError("not_asked", "Nothing waits for an answer.")


def _check_judge(writing: Writing, data: Mapping[str, Any]) -> None:
    if not writing.must_judge:
        raise MoveError("not_asked", "There is no answer to judge.")
    if not isinstance(data.get("wrong"), bool):
        raise MoveError("bad_judge", "Say whether the model was wrong: yes or no.")
    _check_texts(data, "label")
    if data["wrong"] and not writing.asked.form.gold and not str(data.get("label", "")).strip():
        raise MoveError("no_answer", "Write what would have been right.")


def _check_keep(writing: Writing, data: Mapping[str, Any]) -> None:
    if writing.is_waiting or not writing.tries:
        raise MoveError("waiting", "There is nothing to keep yet.")
    kept = writing.numbered(data.get("number"))
    if kept is None:
        raise MoveError("bad_keep", "Say which try you keep by its number.")
    if kept.wrong is not True:
        raise MoveError("not_fooled", "Only a try that the model got wrong can be kept.")
    _check_texts(data, "why", "why_model")


def _check_mark(writing: Writing, data: Mapping[str, Any]) -> None:
    if data.get("number") is None or writing.numbered(data["number"]) is None:
        raise MoveError("bad_keep", "Choose the message that is wrong.")
    goal = writing.asked.form.goal_field
    labels = goal.labels if goal else ()
    if data.get("label") not in labels:
        raise MoveError("bad_label", f"Say what is wrong with it: {', '.join(labels)}.")
    wanted = writing.asked.goal.get(goal.name) if goal else None
    if wanted is not None and data.get("label") != wanted:
        raise MoveError("bad_label", f"Here one looks for '{wanted}'.")
    _check_texts(data, "why", "why_model")


def _check_message(writing: Writing, data: Mapping[str, Any]) -> None:
    if not writing.tries_left:
        raise MoveError("no_tries", "That was the last message. Mark what is wrong, or stop here.")


def _check_stop(writing: Writing, data: Mapping[str, Any]) -> None:
    if not writing.answered:
        raise MoveError("too_early", "Try at least once, or ask for another text.")
    if writing.is_waiting:
        raise MoveError("waiting", "The model has not answered yet.")


def _check_skip(writing: Writing, data: Mapping[str, Any]) -> None:
    if writing.is_waiting:
        raise MoveError("waiting", "The model has not answered yet.")
    if writing.answered:
        raise MoveError("too_late", "You have begun with this text. Stop here to go on to another.")


def _anything(writing: Writing, data: Mapping[str, Any]) -> None:
    """A system may always speak in its turn."""


def _check_texts(data: Mapping[str, Any], *names: str) -> None:
    for name in names:
        said = data.get(name, "")
        if not isinstance(said, str):
            raise MoveError("bad_text", f"'{name}' takes a text.")
        if len(said) > LONGEST_WHY:
            long = f"Your reason has {len(said)} characters; at most {LONGEST_WHY} are kept."
            raise MoveError("too_long", f"{long} Please shorten it.")


_ACTIONS: Mapping[tuple[int, str], Check] = {
    (WRITER, TRY): _check_try,
    (WRITER, JUDGE): _check_judge,
    (WRITER, KEEP): _check_keep,
    (WRITER, STOP): _check_stop,
    (WRITER, SKIP): _check_skip,
    (MODEL, ANSWER): _check_answer,
    (MODEL, UNANSWERED): _check_answer,
}
_TALK: Mapping[tuple[int, str], Check] = {
    (WRITER, MESSAGE): _check_message,
    (WRITER, KEEP): _check_mark,
    (WRITER, STOP): _check_stop,
    (WRITER, SKIP): _check_skip,
    (MODEL, MESSAGE): _anything,
}
