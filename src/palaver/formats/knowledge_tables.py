"""What a seat knows, as small tables that any page can show: the desk, a report, the viewer.

Knowledge is recognised by its shape, so that an imported dialogue can be read where its game is not
installed. A game that knows better says so (`Game.facts`).
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from palaver.core.scenario import Scenario
from palaver.formats.cocoa.shapes import is_count, is_number
from palaver.formats.move_words import price_words

# Attributes of a bargain in the order in which they are read; the others follow.
_PERSONAL = ("Role", "Target", "Bottomline")
_ITEM = ("Title", "Price", "Category", "Description", "Images")
_PRICES = frozenset({"Target", "Bottomline", "Price"})


class KnowledgeTable(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Rows of texts under their columns; without columns, the first cell of a row is its name.

    `matches` are the rows, from 0, that the other seat has, too, where finding them is the game.
    """

    caption: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...]
    matches: tuple[int, ...] = ()


def knowledge_tables(scenario: Scenario, seat: int) -> tuple[KnowledgeTable, ...]:
    """What the scenario gives one seat to know; nothing where it gives nothing.

    >>> kb = [{"Name": "Ada", "Hobby": "Chess"}]
    >>> [table] = knowledge_tables(Scenario(kbs=(kb, kb)), 0)
    >>> table.columns, table.rows, table.matches
    (('Name', 'Hobby'), (('Ada', 'Chess'),), (0,))
    """
    kb = scenario.kb(seat)
    if isinstance(kb, dict):
        return _bargain(kb) if _is_bargain(kb) else (_pairs("", kb),) if kb else ()
    if isinstance(kb, list) and kb and all(isinstance(row, dict) for row in kb):
        is_deal = all({"Name", "Count", "Value"} <= row.keys() for row in kb)
        others = [each for n, each in enumerate(scenario.kbs) if n != seat]
        return (_deal(kb) if is_deal else _friends(kb, others),)
    return (
        () if kb in (None, "", []) else (KnowledgeTable(caption="", rows=(("", cell_text(kb)),)),)
    )


def cell_text(value: Any) -> str:
    """A value as a cell shows it; lists of texts are lines.

    >>> cell_text(["a", "b"]), cell_text(None), cell_text(True)
    ('a\\nb', '–', 'yes')
    """
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(map(cell_text, value))
    if isinstance(value, str | int | float):
        return str(value)
    return msgspec.json.encode(value).decode()


def _is_bargain(kb: dict[str, Any]) -> bool:
    return isinstance(kb.get("personal"), dict) and isinstance(kb.get("item"), dict)


def _bargain(kb: dict[str, Any]) -> tuple[KnowledgeTable, ...]:
    personal, item = kb["personal"], kb["item"]
    return tuple(
        _pairs(caption, {name: given[name] for name in _ordered(given, order)})
        for caption, given, order in (("Wants", personal, _PERSONAL), ("Listing", item, _ITEM))
        if given
    )


def _pairs(caption: str, given: dict[str, Any]) -> KnowledgeTable:
    rows = tuple((str(name), _priced(name, value)) for name, value in given.items())
    return KnowledgeTable(caption=caption, rows=rows)


def _priced(name: str, value: Any) -> str:
    return price_words(value) if name in _PRICES and is_number(value) else cell_text(value)


def _ordered(given: dict[str, Any], order: tuple[str, ...]) -> list[str]:
    return [*(name for name in order if name in given), *(n for n in given if n not in order)]


def _friends(kb: list[dict[str, Any]], others: Iterable[Any]) -> KnowledgeTable:
    columns = tuple(dict.fromkeys(str(name) for row in kb for name in row))
    shared = [row for other in others if isinstance(other, list) for row in other]
    return KnowledgeTable(
        caption="Friends",
        columns=columns,
        rows=tuple(tuple(cell_text(row.get(name, "")) for name in columns) for row in kb),
        matches=tuple(n for n, row in enumerate(kb) if row in shared),
    )


def _deal(kb: list[dict[str, Any]]) -> KnowledgeTable:
    rows = tuple(tuple(cell_text(row[key]) for key in ("Name", "Count", "Value")) for row in kb)
    whole = all(is_count(row["Count"]) and is_count(row["Value"]) for row in kb)
    points = sum(row["Count"] * row["Value"] for row in kb) if whole else None
    caption = "Items" if points is None else f"Items, worth {points} points in all"
    return KnowledgeTable(caption=caption, columns=("Item", "There are", "Each worth"), rows=rows)
