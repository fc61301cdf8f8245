"""The table of one seat: which columns it has, and which friends are in it."""

from typing import Any

from palaver.core.scenario import Scenario

# A friend: a value for each attribute; a list where an attribute has several.
Friend = dict[str, Any]


def columns(scenario: Scenario, seat: int) -> tuple[str, ...]:
    """The attributes in the order of the scenario, else of the rows; those without values left out."""
    rows = friends(scenario, seat)
    present = dict.fromkeys(name for row in rows for name in row)
    listed = [
        str(attribute.get("name", ""))
        for attribute in scenario.extra.get("attributes") or ()
        if isinstance(attribute, dict)
    ]
    named = dict.fromkeys(name for name in listed if name in present)
    return tuple({**named, **present})


def friends(scenario: Scenario, seat: int) -> list[Friend]:
    """The rows of a seat; none where it has no table."""
    return scenario.kb(seat) or []


def values_of(friend: Friend, name: str) -> tuple[str, ...]:
    """What a friend has in one column: nothing, one value, or several."""
    value = friend.get(name)
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


def called(friend: Friend) -> str:
    """What a friend is called in a sentence.

    >>> called({"Name": "Ida", "Hobby": "Chess"})
    'Ida (Chess)'
    >>> called({"Hobby": "Chess", "Major": "Law"})
    'Chess, Law'
    """
    texts = {name: " and ".join(values_of(friend, name)) for name in friend}
    name = texts.pop("Name", "")
    rest = ", ".join(texts.values())
    return f"{name} ({rest})" if name and rest else name or rest
