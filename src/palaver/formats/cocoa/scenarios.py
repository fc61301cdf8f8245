"""Scenarios of CoCoA: what each of two agents knows, in the shape of one of its three games.

A file is a JSON array of `{"uuid", "attributes", "kbs": [kb, kb], …}`. The knowledge bases tell the
game: friends are a list of rows, a bargain has `personal` and `item`, a deal three kinds of item with
`Name`, `Count` and `Value`. What else a scenario has (`attributes`, `alphas`, `post_id`, `category`)
is kept in `extra` as it stands, so that it can be written back unchanged.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.schema import CocoaSchema, SchemaAttribute
from palaver.formats.cocoa.shapes import checked, is_count, is_number
from palaver.formats.found_records import Found, read_documents, records_of

MUTUAL_FRIENDS = "mutual_friends"
BARGAIN = "craigslist_bargain"
DEAL = "deal_or_no_deal"
GAMES = (MUTUAL_FRIENDS, BARGAIN, DEAL)
ROLES = ("buyer", "seller")

# Attributes of a deal are all called "Name" in the files that are about; its keys are these.
DEAL_KEYS = ("Name", "Count", "Value")
_BARGAIN_PARTS = ("personal", "item")
_PRICES = ("Target", "Bottomline", "Price")


class _Scenario(msgspec.Struct):
    uuid: str
    kbs: list[Any]
    attributes: list[SchemaAttribute] | None = None


def find_scenarios(
    stream: BinaryIO, name: str, *, schema: CocoaSchema | None = None
) -> Iterator[Found]:
    """The scenarios of a file, and what is wrong with others."""
    return read_documents(stream, name, lambda raw, _: scenario_of(raw, schema), noun="scenario")


def read_scenarios(
    stream: BinaryIO, *, name: str = "scenarios.json", schema: CocoaSchema | None = None
) -> Iterator[Scenario]:
    """The scenarios of a file; InputError at the first that is wrong."""
    return records_of(find_scenarios(stream, name, schema=schema))


def scenarios_by_id(path: Path, *, schema: CocoaSchema | None = None) -> dict[str, Scenario]:
    """The scenarios in a file, by id."""
    with path.open("rb") as stream:
        found = read_scenarios(stream, name=str(path), schema=schema)
        return {scenario.id: scenario for scenario in found}


def scenario_of(raw: dict[str, Any], schema: CocoaSchema | None = None) -> Scenario:
    """A scenario as a file has it, checked.

    A scenario without attributes has those of the schema; where both are there, its own count, and
    the values of the schema are what its knowledge may hold.
    """
    given = checked(raw, _Scenario)
    game = _recognised(given.kbs)
    if given.attributes is None and schema is not None:
        raw = {**raw, "attributes": msgspec.to_builtins(schema.attributes)}
        given = checked(raw, _Scenario)
    for seat, kb in enumerate(given.kbs):
        problem = _KB_PROBLEMS[game](kb) or _unknown(kb, game, given.attributes, schema)
        if problem:
            raise InputError(f"Knowledge base {seat}: {problem}")
    if game == DEAL and _counts(given.kbs[0]) != _counts(given.kbs[1]):
        raise InputError("The two knowledge bases do not have the same items to divide.")
    extra = {key: value for key, value in raw.items() if key not in ("uuid", "kbs")}
    return Scenario(id=given.uuid, game=game, kbs=tuple(given.kbs), extra=extra)


def scenario_json(scenario: Scenario) -> dict[str, Any]:
    """The scenario as a file has it; InputError where it is of another game."""
    if scenario.game not in GAMES or len(scenario.kbs) != 2:
        raise InputError(
            f"The scenario '{scenario.id}' is of the game '{scenario.game}', which is not one of "
            f"CoCoA's: {', '.join(GAMES)}."
        )
    raw = {**scenario.extra, "uuid": scenario.id, "kbs": list(scenario.kbs)}
    # What its own reader would refuse is not written.
    if scenario_of(raw).game != scenario.game:
        raise InputError(f"The knowledge of '{scenario.id}' is not that of '{scenario.game}'.")
    return raw


def counts_of(scenario: Scenario) -> dict[str, int]:
    """How many of each item a deal divides."""
    return _counts(scenario.kb(0))


def item_problem(item: Any, scenario: Scenario) -> str:
    """What is wrong with a friend that is selected; empty if nothing is."""
    if not isinstance(item, dict):
        return f"A selected friend is an object of attributes; got {_shown(item)}."
    known = {key for kb in scenario.kbs for row in kb for key in row}
    unknown = [key for key in item if known and key not in known]
    return f"Unknown attribute '{unknown[0]}'.{near(unknown[0], known)}" if unknown else ""


def split_problem(split: Any, counts: dict[str, int]) -> str:
    """What is wrong with the items that one side takes; empty if nothing is."""
    if not isinstance(split, dict):
        return f"What is taken is an object of item and count; got {_shown(split)}."
    for name, taken in split.items():
        if name not in counts:
            return f"Unknown item '{name}'; there are {', '.join(counts)}."
        if not is_count(taken) or taken > counts[name]:
            return f"Of '{name}' 0 to {counts[name]} can be taken; got {_shown(taken)}."
    missing = [name for name in counts if name not in split]
    return f"It is not said how many of '{missing[0]}' are taken." if missing else ""


def _recognised(kbs: list[Any]) -> str:
    if len(kbs) != 2:
        raise InputError(f"'kbs' takes two knowledge bases; got {len(kbs)}.")
    shapes = {_shape(kb) for kb in kbs}
    if len(shapes) > 1 or None in shapes:
        raise InputError(
            "The knowledge bases are of no known game: friends are a list of rows, a bargain has "
            "'personal' and 'item', a deal three items with 'Name', 'Count' and 'Value'."
        )
    return str(shapes.pop())


def _shape(kb: Any) -> str | None:
    if isinstance(kb, dict):
        return BARGAIN if {"personal", "item"} <= kb.keys() else None
    if not isinstance(kb, list) or not all(isinstance(row, dict) for row in kb):
        return None
    is_deal = bool(kb) and all("Count" in row and "Value" in row for row in kb)
    return DEAL if is_deal else MUTUAL_FRIENDS


def _friends_problem(kb: list[dict[str, Any]]) -> str:
    for number, row in enumerate(kb, start=1):
        for name, value in row.items():
            texts = value if isinstance(value, list) else [value]
            if not all(isinstance(text, str) for text in texts):
                return f"'{name}' of row {number} takes text; got {_shown(value)}."
    return ""


def _bargain_problem(kb: dict[str, Any]) -> str:
    if not all(isinstance(kb[part], dict) for part in _BARGAIN_PARTS):
        return "'personal' and 'item' take an object of attributes each."
    role = kb["personal"].get("Role")
    if role not in ROLES:
        return f"'Role' takes 'buyer' or 'seller'; got {_shown(role)}."
    for part in _BARGAIN_PARTS:
        for name in _PRICES:
            price = kb[part].get(name)
            if price is not None and not is_number(price):
                return f"'{name}' takes a number; got {_shown(price)}."
    return ""


def _deal_problem(kb: list[dict[str, Any]]) -> str:
    names: set[str] = set()
    for number, row in enumerate(kb, start=1):
        name = row.get("Name")
        if not isinstance(name, str) or name in names:
            return f"'Name' of item {number} takes text that no other has; got {_shown(name)}."
        names.add(name)
        for key in ("Count", "Value"):
            if not is_count(row[key]):
                return f"'{key}' of '{name}' takes a whole number; got {_shown(row[key])}."
    return ""


_KB_PROBLEMS: dict[str, Callable[[Any], str]] = {
    MUTUAL_FRIENDS: _friends_problem,
    BARGAIN: _bargain_problem,
    DEAL: _deal_problem,
}


def _unknown(
    kb: Any, game: str, attributes: list[SchemaAttribute] | None, schema: CocoaSchema | None
) -> str:
    """Which attribute or value the scenario or the schema does not know; empty if none."""
    if attributes is None:
        return ""
    types = {attribute.name: attribute.value_type for attribute in attributes}
    known = [*types, *(DEAL_KEYS if game == DEAL else ())]
    rows = [kb[part] for part in _BARGAIN_PARTS] if game == BARGAIN else kb
    for row in rows:
        for name, value in row.items():
            if name not in known:
                return f"Unknown attribute '{name}'.{near(name, known)}"
            taken = schema.values.get(types.get(name, "")) if schema is not None else None
            for each in value if isinstance(value, list) else [value]:
                if taken is not None and isinstance(each, str) and each not in taken:
                    return f"'{name}' does not take '{each}'.{near(each, taken)}"
    return ""


def _counts(kb: list[dict[str, Any]]) -> dict[str, int]:
    return {row["Name"]: row["Count"] for row in kb}


def _shown(value: Any) -> str:
    return "nothing" if value is None else f"'{value}'"
