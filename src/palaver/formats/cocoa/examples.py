"""Examples of CoCoA: dialogues about a scenario, with what came of them.

A file is a JSON array of `{"uuid", "scenario_uuid", "scenario", "agents", "agents_info", "outcome",
"events"}`. An example becomes a dialogue of ours: its agents are seats, its events are events, its
outcome is that of the end. The keys that have no place here are kept with the end, under `cocoa`, so
that an example is written back as it was read.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, BinaryIO

import msgspec

from palaver.core.dialogue import IMPORTED, UNNAMED, Seat
from palaver.core.errors import InputError
from palaver.core.events import END, Event
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.events import (
    KEPT,
    CocoaEvent,
    event_json,
    event_of,
    kept_in,
    price_problem,
    recognised_by_moves,
    with_times,
)
from palaver.formats.cocoa.scenarios import (
    BARGAIN,
    DEAL,
    MUTUAL_FRIENDS,
    counts_of,
    scenario_json,
    scenario_of,
)
from palaver.formats.cocoa.schema import CocoaSchema
from palaver.formats.cocoa.shapes import checked
from palaver.formats.found_records import Found, read_documents, records_of

# Agents behind whom a person sits; every other name is that of a system.
PEOPLE = frozenset({"human", "cmd"})
HUMAN = "human"

_OWN = frozenset({"uuid", "scenario", "events"})


class _Example(msgspec.Struct):
    uuid: str
    events: list[CocoaEvent]
    scenario: dict[str, Any] | None = None
    scenario_uuid: str | None = None
    agents: dict[str, str | None] | None = None
    outcome: dict[str, Any] | None = None


def find_examples(
    stream: BinaryIO,
    name: str,
    *,
    schema: CocoaSchema | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
) -> Iterator[Found]:
    """The dialogues of a file, and what is wrong with others.

    `scenarios` are looked up by `scenario_uuid` where an example does not bring its own.
    """
    source = PurePath(name).name
    return read_documents(
        stream,
        name,
        lambda raw, _: example_record(raw, source=source, schema=schema, scenarios=scenarios),
        noun="example",
    )


def read_examples(
    stream: BinaryIO,
    *,
    name: str = "examples.json",
    schema: CocoaSchema | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
) -> Iterator[DialogueRecord]:
    """The dialogues of a file; InputError at the first that is wrong."""
    return records_of(find_examples(stream, name, schema=schema, scenarios=scenarios))


def example_record(
    raw: dict[str, Any],
    *,
    source: str | None = None,
    schema: CocoaSchema | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
) -> DialogueRecord:
    """An example as a dialogue; InputError says what is wrong with it."""
    example = checked(raw, _Example)
    scenario = _scenario(example, schema, scenarios)
    events = []
    for seq, (given, as_written) in enumerate(
        zip(example.events, raw["events"], strict=True), start=1
    ):
        try:
            events.append(event_of(seq, given, as_written, scenario))
        except InputError as error:
            raise InputError(f"Event {seq}: {error}") from error
    events = with_times(events)
    _check_outcome(example.outcome, scenario)
    last = events[-1].time if events else 0.0
    ending = Event(
        seq=len(events) + 1, seat=None, action=END, data=_ending(raw, example), time=last
    )
    return DialogueRecord(
        id=example.uuid,
        source_id=example.uuid,
        source=source,
        study="",
        condition=_condition(example.agents),
        scenario=scenario,
        seats=[_seat(index, (example.agents or {}).get(str(index))) for index in (0, 1)],
        events=[*events, ending],
        created=events[0].time if last else None,
        status="ended",
        reason=IMPORTED,
    )


def example_json(record: DialogueRecord) -> dict[str, Any]:
    """The dialogue as a file has it; InputError where it is not of one of CoCoA's games."""
    scenario = record.scenario
    ending = next((event for event in record.events if event.action == END), None)
    ended = (ending.data if ending is not None else None) or {}
    events = [
        written for event in record.events if (written := event_json(event, scenario)) is not None
    ]
    kept = kept_in(ended)
    known = {"scenario": scenario_json(scenario)} if scenario.kbs or kept is None else {}
    if kept is None:
        kept = {
            "scenario_uuid": scenario.id,
            "agents": _agents(record.seats),
            "agents_info": None,
            "outcome": None,
        }
        if scenario.game in _OUTCOMES:
            ended = {"outcome": _OUTCOMES[scenario.game](ended.get("outcome") or {})}
    outcome = {"outcome": ended["outcome"]} if "outcome" in ended else {}
    return {"uuid": file_id(record), **kept, **known, **outcome, "events": events}


def file_id(record: DialogueRecord) -> str:
    """What a file of CoCoA calls a dialogue: one that came from such a file has its name again."""
    ended = next((event.data for event in record.events if event.action == END), None)
    return (record.source_id if kept_in(ended) is not None else None) or record.id


def _friends_outcome(outcome: dict[str, Any]) -> dict[str, Any]:
    """What came of a game of friends that was played here: CoCoA has one reward for both."""
    return {"reward": int(bool(outcome.get("success")))}


def _bargain_outcome(outcome: dict[str, Any]) -> dict[str, Any]:
    """What came of a bargain that was held here: CoCoA has one reward for both sides."""
    return {"reward": int(bool(outcome.get("success"))), "offer": outcome.get("offer")}


def _deal_outcome(outcome: dict[str, Any]) -> dict[str, Any]:
    """What came of a deal that was talked about here; without an end it is worth nothing."""
    return {
        "reward": outcome.get("reward", 0),
        "item_split": outcome.get("item_split"),
        "valid_deal": outcome.get("valid_deal", False),
        "agreed": outcome.get("agreed", False),
    }


_OUTCOMES = {MUTUAL_FRIENDS: _friends_outcome, BARGAIN: _bargain_outcome, DEAL: _deal_outcome}


def agent_names(record: DialogueRecord) -> dict[str, Any]:
    """What a file calls the agents of a dialogue."""
    ended = next((event.data for event in record.events if event.action == END), None)
    written = (kept_in(ended) or {}).get("agents")
    return written if isinstance(written, dict) else _agents(record.seats)


def _scenario(
    example: _Example, schema: CocoaSchema | None, scenarios: Mapping[str, Scenario] | None
) -> Scenario:
    if example.scenario is not None:
        try:
            return scenario_of(example.scenario, schema)
        except InputError as error:
            raise InputError(f"Scenario: {error}") from error
    if example.scenario_uuid is None:
        raise InputError("It has neither 'scenario' nor 'scenario_uuid'.")
    if scenarios is None:
        game = recognised_by_moves(example.events)
        return Scenario(id=example.scenario_uuid, game=game or Scenario().game)
    if example.scenario_uuid not in scenarios:
        raise InputError(f"The scenario '{example.scenario_uuid}' is not among those given.")
    return scenarios[example.scenario_uuid]


def _ending(raw: dict[str, Any], example: _Example) -> dict[str, Any]:
    """What the end says; an outcome that is no object is kept as it was written."""
    kept = {key: value for key, value in raw.items() if key not in _OWN}
    if "scenario" in raw and example.scenario is None:
        kept["scenario"] = None
    outcome = {"outcome": kept.pop("outcome")} if isinstance(raw.get("outcome"), dict) else {}
    return {"reason": IMPORTED, **outcome, KEPT: kept}


def _check_outcome(outcome: dict[str, Any] | None, scenario: Scenario) -> None:
    offer = (outcome or {}).get("offer")
    if isinstance(offer, dict) and (problem := price_problem(offer.get("price"))):
        raise InputError(f"Outcome: {problem}")
    split = (outcome or {}).get("item_split")
    if scenario.game != DEAL or not scenario.kbs or not (outcome or {}).get("valid_deal"):
        return
    # A list in converted files, an object of "0" and "1" where the controller wrote it.
    sides = [split.get("0"), split.get("1")] if isinstance(split, dict) else split
    if not isinstance(sides, list) or not all(isinstance(side, dict) for side in sides):
        raise InputError("Outcome: a valid deal needs 'item_split' with what each side gets.")
    for name, count in counts_of(scenario).items():
        shares = [side.get(name, 0) for side in sides]
        if sum(share for share in shares if isinstance(share, int)) != count:
            told = " + ".join(str(share) for share in shares)
            raise InputError(f"Outcome: of '{name}' there are {count}; the split says {told}.")


def _seat(index: int, agent: str | None) -> Seat:
    if agent is None or agent in PEOPLE:
        return Seat(index=index, kind="person", occupant=UNNAMED)
    return Seat(index=index, kind="system", occupant=agent)


def _agents(seats: list[Seat]) -> dict[str, str]:
    """What a file calls whoever sat where at the start."""
    first = {seat.index: seat for seat in sorted(seats, key=lambda seat: -seat.from_seq)}
    return {
        str(n): HUMAN if n not in first or first[n].kind == "person" else first[n].occupant
        for n in (0, 1)
    }


def _condition(agents: dict[str, str | None] | None) -> str:
    """Which systems took part, as tables name it."""
    systems = [name for _, name in sorted((agents or {}).items()) if name and name not in PEOPLE]
    return "|".join(systems) if systems else "people"
