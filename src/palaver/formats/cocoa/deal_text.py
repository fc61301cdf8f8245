"""Facebook's files of Deal or No Deal: a line per dialogue and side, and contexts to talk about.

A line is `<input> … </input> <dialogue> YOU: … <eos> THEM: … <selection> </dialogue> <output> …
</output> <partner_input> … </partner_input>`. An input has count and value of book, hat and ball. The
output says what each side takes, or why there is no deal. Both sides wrote a line, one below the
other; CoCoA kept the first one of each deal, and so do we: YOU is agent 0, THEM agent 1.

Contexts are lines of six numbers; two lines with the same counts are one scenario.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from palaver.core.errors import InputError
from palaver.core.events import END, MESSAGE
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.actions import QUIT, SELECT
from palaver.formats.cocoa.examples import example_record
from palaver.formats.cocoa.made_ids import made_id
from palaver.formats.cocoa.scenarios import (
    DEAL,
    DEAL_KEYS,
    counts_of,
    scenario_json,
    scenario_of,
    split_problem,
)
from palaver.formats.found_records import (
    Found,
    FoundRecord,
    Mistake,
    Unconverted,
    read_text_lines,
)

ITEMS = ("book", "hat", "ball")
FAILURES = ("<disagree>", "<no_agreement>", "<disconnect>")
OTHER_VIEW = "the other side's view of a dialogue"

_LINE = re.compile(
    r"<input> (?P<own>[^<]*) </input> <dialogue> (?P<said>.*) </dialogue> "
    r"<output> (?P<output>.*) </output> <partner_input> (?P<partner>[^<]*) </partner_input>\s*"
)
_SPEAKERS = ("YOU", "THEM")
_SPEAKER = re.compile(r"\b(?:YOU|THEM):")
_SELECTION = "<selection>"
_BETWEEN = " <eos> "
_TAKES = re.compile(r"item(\d)=(\d+)")
_TYPES = ("item", "integer", "integer")


def find_deals(stream: Iterable[bytes], name: str) -> Iterator[Found]:
    """The deals of a file, one dialogue for the two lines of both sides."""
    last = ""
    for found in read_text_lines(stream, name, _line):
        if not isinstance(found, FoundRecord):
            yield found
            continue
        number, parts = found.record
        said = _SPEAKER.sub("", parts["said"])
        failure = parts["output"].split()[:1]
        if failure and failure[0] in FAILURES:
            yield Unconverted(found.place, f"without a deal ({failure[0].strip('<>')})")
        elif said == last:
            yield Unconverted(found.place, OTHER_VIEW)
        else:
            last = said
            yield _deal(found.place, parts, number, name)


def find_contexts(stream: Iterable[bytes], name: str) -> Iterator[Found]:
    """The scenarios of a file of contexts: two lines each."""
    first: FoundRecord | None = None
    number = 0
    for found in read_text_lines(stream, name, lambda line, _: _context(line.decode())):
        if not isinstance(found, FoundRecord):
            yield found
        elif first is None:
            first = found
        else:
            number += 1
            sides = (first.record, found.record)
            try:
                scenario = scenario_of(_scenario(number, *sides, names=DEAL_KEYS))
            except InputError as error:
                yield Mistake(found.place, f"{error} Two lines with equal counts are one scenario.")
            else:
                yield FoundRecord(first.place, scenario)
            first = None
    if first is not None:
        yield Mistake(first.place, "The line of the other side is missing.")


def context_lines(scenario: Scenario) -> tuple[bytes, ...]:
    """The two lines of a scenario in a file of contexts."""
    return tuple(f"{_numbers(scenario, seat)}\n".encode() for seat in (0, 1))


def deal_lines(record: DialogueRecord) -> tuple[bytes, ...]:
    """The lines of both sides of a dialogue; InputError where it is not a deal over three items."""
    scenario = record.scenario
    if scenario.game != DEAL or not scenario.kbs:
        raise InputError(f"'{record.id}' is of the game '{scenario.game}'; expected '{DEAL}'.")
    return tuple(
        f"<input> {_numbers(scenario, seat)} </input> <dialogue> {_said(record, seat)} </dialogue> "
        f"<output> {_output(record, seat)} </output> "
        f"<partner_input> {_numbers(scenario, 1 - seat)} </partner_input>\n".encode()
        for seat in (0, 1)
    )


def _line(line: bytes, number: int) -> tuple[int, re.Match[str]]:
    parts = _LINE.fullmatch(line.decode().strip())
    if parts is None:
        raise InputError(
            "Expected <input> … </input> <dialogue> … </dialogue> <output> … </output> "
            "<partner_input> … </partner_input>. The line may be cut off."
        )
    return number, parts


def _deal(place: str, parts: re.Match[str], number: int, name: str) -> Found:
    try:
        return FoundRecord(
            place, example_record(_example(parts, number), source=PurePath(name).name)
        )
    except InputError as error:
        return Mistake(place, str(error))


def _example(parts: re.Match[str], number: int) -> dict[str, Any]:
    """A line as the example that CoCoA made of it, apart from ids and the time of its making."""
    own, partner = _context(parts["own"]), _context(parts["partner"])
    # All attributes are called "Name" in CoCoA's own conversion.
    scenario = _scenario(number, own, partner, names=("Name",) * 3)
    scenario_of(scenario)
    splits = _splits(parts["output"], own)
    turns = [_turn(text) for text in parts["said"].split(_BETWEEN)]
    if turns[-1][1] != _SELECTION:
        raise InputError("The dialogue does not end with <selection>.")
    events: list[dict[str, Any]] = [
        {"agent": agent, "action": MESSAGE, "data": text} for agent, text in turns[:-1]
    ]
    chooser = turns[-1][0]
    events += [
        {"agent": agent, "action": SELECT, "data": splits[agent]}
        for agent in (chooser, 1 - chooser)
    ]
    common = {"start_time": None, "template": None}
    return {
        "uuid": made_id("E", number, parts[0]),
        "scenario_uuid": scenario["uuid"],
        "scenario": scenario,
        "agents": {"0": "human", "1": "human"},
        "agents_info": {},
        "outcome": {
            "valid_deal": True,
            "agreed": True,
            "item_split": splits,
            "reward": {"0": _points(own, splits[0]), "1": _points(partner, splits[1])},
        },
        "events": [{**event, **common, "time": time} for time, event in enumerate(events)],
    }


def _context(text: str) -> list[int]:
    numbers = text.split()
    if len(numbers) != 2 * len(ITEMS) or not all(number.isdecimal() for number in numbers):
        raise InputError(
            f"A context has six whole numbers, count and value of {', '.join(ITEMS)}; "
            f"got '{text.strip()}'."
        )
    return [int(number) for number in numbers]


def _scenario(
    number: int, own: list[int], partner: list[int], *, names: tuple[str, ...]
) -> dict[str, Any]:
    shape = {"unique": False, "multivalued": False, "entity": True}
    return {
        "uuid": made_id("FB", number, own, partner),
        "attributes": [
            {"name": name, "value_type": kind, **shape}
            for name, kind in zip(names, _TYPES, strict=True)
        ],
        "kbs": [
            [
                {"Name": item, "Count": side[2 * n], "Value": side[2 * n + 1]}
                for n, item in enumerate(ITEMS)
            ]
            for side in (own, partner)
        ],
    }


def _turn(text: str) -> tuple[int, str]:
    speaker, _, said = text.partition(":")
    if speaker not in _SPEAKERS:
        raise InputError(f"A turn begins with YOU: or THEM:; got '{text[:40]}'.")
    return _SPEAKERS.index(speaker), said.strip()


def _splits(output: str, own: list[int]) -> list[dict[str, int]]:
    """What each side takes, ours first; InputError where that does not add up to what is there."""
    taken = [_TAKES.fullmatch(each) for each in output.split()]
    found = [(int(each[1]), int(each[2])) for each in taken if each is not None]
    if [item for item, _ in found] != [0, 1, 2, 0, 1, 2] or len(found) != len(taken):
        raise InputError(
            f"<output> takes item0= item1= item2= twice, or {', '.join(FAILURES)}; got '{output}'."
        )
    counts = [count for _, count in found]
    for n, item in enumerate(ITEMS):
        if counts[n] + counts[n + 3] != own[2 * n]:
            raise InputError(
                f"Of '{item}' there are {own[2 * n]}; the split says {counts[n]} + {counts[n + 3]}."
            )
    return [dict(zip(ITEMS, side, strict=True)) for side in (counts[:3], counts[3:])]


def _points(context: list[int], split: dict[str, int]) -> int:
    return sum(context[2 * n + 1] * split[item] for n, item in enumerate(ITEMS))


def _numbers(scenario: Scenario, seat: int) -> str:
    kb = scenario_json(scenario)["kbs"][seat]
    if scenario.game != DEAL or tuple(counts_of(scenario)) != ITEMS:
        raise InputError(f"The scenario '{scenario.id}' does not divide {', '.join(ITEMS)}.")
    rows = {row["Name"]: row for row in kb}
    return " ".join(f"{rows[item]['Count']} {rows[item]['Value']}" for item in ITEMS)


def _said(record: DialogueRecord, seat: int) -> str:
    turns = [
        (event.seat, " ".join(event.text.split()))
        for event in record.events
        if event.action == MESSAGE and event.seat is not None and event.data is not None
    ]
    chooser = next(
        (e.seat for e in record.events if e.action in (SELECT, QUIT) and e.seat is not None), None
    )
    if chooser is None:
        chooser = 1 - turns[-1][0] if turns else 0
    turns.append((chooser, _SELECTION))
    return _BETWEEN.join(f"{_SPEAKERS[int(agent != seat)]}: {text}" for agent, text in turns)


def _output(record: DialogueRecord, seat: int) -> str:
    """The six items of a deal that adds up; else why there is none."""
    counts = counts_of(record.scenario)
    taken = {
        event.seat: event.data.get("take")
        for event in record.events
        if event.action == SELECT and event.data is not None
    }
    sides = [taken.get(seat), taken.get(1 - seat)]
    is_split = not any(split_problem(side, counts) for side in sides)
    if is_split and all(sum(s[item] for s in sides if s) == counts[item] for item in ITEMS):
        given = [side[item] for side in sides if side for item in ITEMS]
        return " ".join(f"item{n % 3}={count}" for n, count in enumerate(given))
    quits = any(event.action == QUIT for event in record.events)
    over = any(event.action == END for event in record.events)
    reason = "<disagree>" if taken else "<no_agreement>" if quits and over else "<disconnect>"
    return " ".join([reason] * 6)
