"""The outcome of a dialogue, read field by field.

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

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

from palaver.core.errors import InputError
from palaver.core.events import END, HOUSEKEEPING
from palaver.metrics.shapes import fit_number


def read_each(outcomes: Iterable[Any], reader: Callable[[Any], Any]) -> list[Any]:
    """What `reader` finds in each outcome; InputError names the one in which it finds nothing."""
    found = []
    for n, outcome in enumerate(outcomes, start=1):
        try:
            found.append(reader(_fields(outcome)))
        except ValueError as error:
            raise InputError(f"Outcome {n}: {error}") from error
    return found


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


def success(outcome: Any) -> bool:
    """Whether the task was done; ValueError, as in all that follow, if the outcome does not say."""
    if not isinstance(outcome, Mapping):
        return _flag("success", outcome)
    for name in ("success", "valid_deal", "reward"):
        if name in outcome:
            return _flag(name, outcome[name])
    raise ValueError("it has no 'success', 'valid_deal' or 'reward'")


def agreed(outcome: Any) -> bool:
    """Whether both sides settled on the same."""
    if isinstance(outcome, Mapping) and "agreed" not in outcome and "selections" in outcome:
        first, second = _both("selections", outcome["selections"])
        return bool(first is not None and first == second)
    return _flag("agreed", _field(outcome, "agreed"))


def completed(outcome: Any) -> bool:
    """Whether the dialogue came to its end."""
    return _flag("completed", _field(outcome, "completed"))


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | int | float) or value not in (0, 1):
        raise ValueError(f"'{name}' must be true or false, or 1 or 0; got {value!r}")
    return bool(value)


def turns(outcome: Any) -> float:
    """How many turns it took."""
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
