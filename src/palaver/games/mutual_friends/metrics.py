"""What dialogues of the game are worth: lines of `dialogues.jsonl`, one dialogue each.

A turn is a move of a seat, as CoCoA counted. A dialogue in which the friend was not found is a failure,
whatever ended it; so it can be scored where the outcome says nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from palaver.core.dialogue import tells_times
from palaver.core.events import END, HOUSEKEEPING, MESSAGE
from palaver.formats.cocoa.actions import SELECT
from palaver.games.mutual_friends.lexicon import words_of
from palaver.metrics.metric import Metric, Score
from palaver.metrics.outcomes import HE
from palaver.metrics.shapes import PRESENT

_Line = Mapping[str, Any]


def completion(dialogues: Sequence[_Line]) -> Score:
    """The share of dialogues in which both chose the friend whom they share."""
    return Score.mean_of(float(_succeeded(line)) for line in dialogues)


def success_per_turn(dialogues: Sequence[_Line]) -> Score:
    """Friends found per move: Σ success / Σ moves."""
    return _rate(dialogues, "turns", sum(len(list(_moves(line))) for line in dialogues))


def success_per_select(dialogues: Sequence[_Line]) -> Score:
    """Friends found per selection: Σ success / Σ selections."""
    selects = sum(move["action"] == SELECT for line in dialogues for move in _moves(line))
    return _rate(dialogues, "selects", selects)


def utterances(dialogues: Sequence[_Line]) -> Score:
    """Messages per dialogue."""
    return Score.mean_of(float(len(list(_messages(line)))) for line in dialogues)


def utterance_length(dialogues: Sequence[_Line]) -> Score:
    """Words and marks per message, over all dialogues."""
    lengths = [len(words_of(text)) for line in dialogues for text in _messages(line)]
    if not lengths:
        return Score.undefined("nobody wrote a message")
    return Score(value=math.fsum(lengths) / len(lengths), parts={"messages": len(lengths)})


def cross_talk(dialogues: Sequence[_Line]) -> Score:
    """The share of messages, after the first of a dialogue, that follow one of the same person."""
    pairs = [
        first["seat"] == second["seat"]
        for line in dialogues
        for first, second in pairwise(m for m in _moves(line) if m["action"] == MESSAGE)
    ]
    if not pairs:
        return Score.undefined("no dialogue has two messages")
    return Score(value=sum(pairs) / len(pairs), parts={"messages": len(pairs)})


def seconds(dialogues: Sequence[_Line]) -> Score:
    """How long a dialogue took from its first move to its last; those without times are left out."""
    lasted = [length for line in dialogues if (length := _lasted(line)) is not None]
    left_out = {"left_out": len(dialogues) - len(lasted)}
    if not lasted:
        return Score.undefined("no dialogue says when it was held", parts=left_out)
    return Score(value=math.fsum(lasted) / len(lasted), n=len(lasted), parts=left_out)


def _succeeded(line: _Line) -> bool:
    outcome = _ending(line).get("outcome") or {}
    if "success" in outcome:
        return bool(outcome["success"])
    return outcome.get("reward") == 1


def _ending(line: _Line) -> Mapping[str, Any]:
    ended = [event.get("data") for event in line["events"] if event["action"] == END]
    return (ended[-1] if ended else None) or {}


def _moves(line: _Line) -> Iterator[_Line]:
    return (event for event in line["events"] if event["action"] not in HOUSEKEEPING)


def _messages(line: _Line) -> Iterator[str]:
    for move in _moves(line):
        if move["action"] == MESSAGE and move.get("data"):
            yield str(move["data"].get("text", ""))


def _lasted(line: _Line) -> float | None:
    times = [move["time"] for move in _moves(line)]
    reason = _ending(line).get("reason", "")
    if not times or not tells_times(str(reason), times[0], times[-1]):
        return None
    return float(times[-1] - times[0])


def _rate(dialogues: Sequence[_Line], name: str, number: int) -> Score:
    found = sum(map(_succeeded, dialogues))
    if not number:
        return Score.undefined(f"the dialogues have no {name}")
    return Score(value=found / number, parts={"successes": found, name: number})


def _metric(name: str, title: str, function: Any, **known: Any) -> Metric:
    return Metric(
        name=f"mutual_friends_{name}",
        title=title,
        family="outcome",
        about=str(function.__doc__),
        paper=HE,
        predictions=PRESENT,
        function=function,
        **known,
    )


COMPLETION = _metric("completion", "Friend found", completion, decomposes=True)
SUCCESS_PER_TURN = _metric(
    "success_per_turn", "Success per turn", success_per_turn, unit="successes per move"
)
SUCCESS_PER_SELECT = _metric(
    "success_per_select",
    "Success per selection",
    success_per_select,
    unit="successes per selection",
)
_OPEN: dict[str, Any] = {"direction": "none", "high": math.inf}
UTTERANCES = _metric(
    "utterances", "Messages", utterances, unit="messages per dialogue", decomposes=True, **_OPEN
)
LENGTH = _metric("length", "Words per message", utterance_length, unit="words", **_OPEN)
CROSS_TALK = _metric("cross_talk", "Cross-talk", cross_talk, direction="none")
SECONDS = _metric("seconds", "Time", seconds, unit="seconds per dialogue", **_OPEN)
