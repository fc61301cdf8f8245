"""What came of dialogues: success, completion, agreement of both sides, turns and reward.

An outcome is the value itself (true, 0, 12) or an object with named fields:

    success     whether the task was done; else `valid_deal`, else a `reward` that is 0 or 1
    completed   whether the dialogue came to its end
    agreed      whether both sides settled on the same; else whether two `selections` are equal
    turns       how many turns it took
    reward      a number, or one per side by its name ({"0": 6, "1": 4})

The fields may stand in an object called `outcome`, as the outcomes of collaborative games do. A line
of an exported dialogue is an outcome as well: its turns and its end are counted from its events. A
field that is not there is an error that names the dialogue; it is never taken for a failure.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from palaver.core.errors import InputError
from palaver.core.events import END, HOUSEKEEPING
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import OUTCOME, fit_number, one_of, yes_or_no

SIDES = ("mean", "sum", "0", "1")
WALKER = "M. Walker, D. Litman, C. Kamm, A. Abella (1997), PARADISE, ACL."
HE = "H. He, A. Balakrishnan, M. Eric, P. Liang (2017), Learning symmetric collaborative dialogue "
HE += "agents with dynamic knowledge graph embeddings, ACL."
LEWIS = "M. Lewis et al. (2017), Deal or no deal? End-to-end learning of negotiation dialogues, "
LEWIS += "EMNLP."


def success_rate(outcomes: Sequence[Any]) -> Score:
    """The share of dialogues in which the task was completed."""
    return Score.mean_of(float(each) for each in read_each(outcomes, success))


def completion_rate(outcomes: Sequence[Any]) -> Score:
    """The share of dialogues that were finished."""
    return Score.mean_of(float(each) for each in read_each(outcomes, completed))


def agreement_rate(outcomes: Sequence[Any]) -> Score:
    """The share of dialogues in which both sides agreed on the same outcome."""
    return Score.mean_of(float(each) for each in read_each(outcomes, agreed))


def mean_turns(outcomes: Sequence[Any]) -> Score:
    return Score.mean_of(read_each(outcomes, turns))


def mean_reward(outcomes: Sequence[Any], *, side: str = "mean", agreed_only: bool = False) -> Score:
    """The mean reward; of dialogues with one reward per side their mean, sum, or that of one side.

    With `agreed_only` dialogues without an agreement are left out, and counted beside the score.
    """
    one_of("side", side, SIDES)
    yes_or_no("agreed_only", agreed_only)

    def counted(outcome: Any) -> float | None:
        return None if agreed_only and not agreed(outcome) else reward(outcome, side)

    kept = [each for each in read_each(outcomes, counted) if each is not None]
    left_out = {"left_out": len(outcomes) - len(kept)} if agreed_only else {}
    if not kept:
        return Score.undefined("no dialogue ended in an agreement", parts=left_out)
    return Score.mean_of(kept, n=len(kept), parts=left_out)


def success_per_turn(outcomes: Sequence[Any]) -> Score:
    """Dialogues whose task was done, per turn of all dialogues: Σ success / Σ turns."""
    done = sum(read_each(outcomes, success))
    taken = sum(read_each(outcomes, turns))
    if taken == 0:
        return Score.undefined("the dialogues have no turns")
    return Score(value=done / taken, parts={"successes": done, "turns": taken})


def read_each(outcomes: Iterable[Any], reader: Callable[[Any], Any]) -> list[Any]:
    """What `reader` finds in each outcome; InputError names the one in which it finds nothing."""
    found = []
    for n, outcome in enumerate(outcomes, start=1):
        try:
            found.append(reader(_fields(outcome)))
        except ValueError as error:
            raise InputError(f"Outcome {n}: {error}") from error
    return found


def success(outcome: Any) -> bool:
    """Whether the task was done; ValueError, as in all that follow, if the outcome does not say."""
    if not isinstance(outcome, Mapping):
        return _flag("success", outcome)
    for name in ("success", "valid_deal", "reward"):
        if name in outcome:
            return _flag(name, outcome[name])
    raise ValueError("it has no 'success', 'valid_deal' or 'reward'")


def agreed(outcome: Any) -> bool:
    if isinstance(outcome, Mapping) and "agreed" not in outcome and "selections" in outcome:
        first, second = _both("selections", outcome["selections"])
        return bool(first is not None and first == second)
    return _flag("agreed", _field(outcome, "agreed"))


def completed(outcome: Any) -> bool:
    return _flag("completed", _field(outcome, "completed"))


def turns(outcome: Any) -> float:
    found = _number("turns", _field(outcome, "turns"))
    if found < 0:
        raise ValueError(f"'turns' must not be negative; got {found:g}")
    return found


def reward(outcome: Any, side: str) -> float:
    """The reward; of one per side their mean, their sum, or that of side 0 or 1.

    A single 0 stands for 0 on both sides: so games write down that there was no deal.
    """
    given = _field(outcome, "reward")
    if not isinstance(given, Mapping | list | tuple):
        if side in ("0", "1") and given != 0:
            raise ValueError(f"'reward' is one number, so side {side} has no reward of its own")
        return _number("reward", given)
    values = [_number("reward", each) for each in _both("reward", given)]
    if side in ("mean", "sum"):
        return sum(values) / (len(values) if side == "mean" else 1)
    return values[int(side)]


def _fields(outcome: Any) -> Any:
    """An outcome with its fields at the top; what a dialogue's events tell is added."""
    if not isinstance(outcome, Mapping):
        return outcome
    inner = outcome.get("outcome")
    return {**outcome, **_from_events(outcome), **(inner if isinstance(inner, Mapping) else {})}


def _from_events(outcome: Mapping[str, Any]) -> dict[str, Any]:
    events = outcome.get("events")
    if not isinstance(events, list) or not all(_is_event(event) for event in events):
        return {}
    ends = [event for event in events if event["action"] == END]
    seats = [event["seat"] for event in events if event["action"] not in HOUSEKEEPING]
    ending = (ends[-1].get("data") or {}).get("outcome") if ends else None
    return {
        "completed": bool(ends),
        "turns": sum(1 for _ in groupby(seats)),
        **(ending if isinstance(ending, Mapping) else {}),
    }


def _is_event(event: Any) -> bool:
    return isinstance(event, Mapping) and "action" in event and "seat" in event


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | int | float) or value not in (0, 1):
        raise ValueError(f"'{name}' must be true or false, or 1 or 0; got {value!r}")
    return bool(value)


def _both(name: str, value: Any) -> tuple[Any, Any]:
    """What two sides have, given as a list of two or by the names "0" and "1"."""
    if isinstance(value, Mapping):
        value = [value[key] for key in ("0", "1") if key in value]
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise ValueError(f"'{name}' must have one value for each of two sides")
    return value[0], value[1]


def _field(outcome: Any, name: str) -> Any:
    if not isinstance(outcome, Mapping):
        return outcome
    if name not in outcome:
        raise ValueError(f"it has no '{name}'")
    return outcome[name]


def _number(name: str, value: Any) -> float:
    try:
        return fit_number(value)
    except ValueError as error:
        raise ValueError(f"'{name}' must be a number; got {value!r}") from error


SUCCESS_RATE = Metric(
    name="success_rate",
    title="Task success rate",
    family="outcome",
    about="The share of dialogues in which the task was completed.",
    paper=WALKER,
    predictions=OUTCOME,
    function=success_rate,
    example=Example([{"reward": 1}, {"success": False}, True, 1], None, 0.75),
    decomposes=True,
)
COMPLETION_RATE = Metric(
    name="completion_rate",
    title="Completion rate",
    family="outcome",
    about="The share of dialogues that were finished.",
    paper=HE,
    predictions=OUTCOME,
    function=completion_rate,
    example=Example([{"completed": True}, {"completed": False}], None, 0.5),
    decomposes=True,
)
AGREEMENT_RATE = Metric(
    name="agreement_rate",
    title="Agreement of both sides",
    family="outcome",
    about="The share of dialogues in which both sides agreed on the same outcome.",
    paper=LEWIS,
    predictions=OUTCOME,
    function=agreement_rate,
    example=Example([{"agreed": True}, {"selections": ["Ann", "Bob"]}], None, 0.5),
    decomposes=True,
)
TURNS = Metric(
    name="turns",
    title="Number of turns",
    family="outcome",
    about="How many turns a dialogue took. More may be engaging or laborious: it has no direction.",
    direction="none",
    unit="turns per dialogue",
    high=math.inf,
    paper=WALKER,
    predictions=OUTCOME,
    function=mean_turns,
    example=Example([{"turns": 8}, {"turns": 11}], None, 9.5),
    decomposes=True,
)
REWARD = Metric(
    name="reward",
    title="Reward",
    family="outcome",
    about="The points that were reached, on the scale of the game.",
    unit="points per dialogue",
    low=-math.inf,
    high=math.inf,
    paper=LEWIS,
    predictions=OUTCOME,
    options={
        "side": f"of rewards per side: {', '.join(SIDES)} (default mean)",
        "agreed_only": "true: leave out dialogues without an agreement",
    },
    function=mean_reward,
    example=Example([{"reward": {"0": 8, "1": 4}}, {"reward": 3}], None, 4.5),
    decomposes=True,
)
SUCCESS_PER_TURN = Metric(
    name="success_per_turn",
    title="Success per turn",
    family="outcome",
    about="How many tasks were completed per turn, over all dialogues: success against effort.",
    unit="successes per turn",
    high=math.inf,
    paper=HE,
    predictions=OUTCOME,
    function=success_per_turn,
    example=Example([{"success": True, "turns": 6}, {"success": False, "turns": 4}], None, 0.1),
)
