"""Files of scenarios: CoCoA's form for its three games, Palaver's own for any other.

Both are one JSON array. An entry with a `game` is Palaver's own, `{"id", "game", "kbs", "extra"}` as in
`dialogues.jsonl`; any other is read as CoCoA's.
"""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.scenarios import GAMES, scenario_json, scenario_of
from palaver.formats.cocoa.schema import CocoaSchema
from palaver.formats.found_records import read_documents, records_of

_encode = msgspec.json.Encoder().encode


def read_scenario_file(
    stream: BinaryIO, *, name: str = "scenarios.json", schema: CocoaSchema | None = None
) -> Iterator[Scenario]:
    """The scenarios of a file; InputError at the first that is wrong."""

    def read(raw: dict[str, Any], number: int) -> Scenario:
        return _own(raw) if "game" in raw else scenario_of(raw, schema)

    return records_of(read_documents(stream, name, read, noun="scenario"))


def write_scenario_file(scenarios: Iterable[Scenario], stream: BinaryIO) -> int:
    """Write scenarios, each on a line of the array; how many."""
    count = 0
    for count, scenario in enumerate(scenarios, start=1):
        written = scenario_json(scenario) if scenario.game in GAMES else scenario
        stream.write((b"[\n" if count == 1 else b",\n") + _encode(written))
    stream.write(b"\n]\n" if count else b"[]\n")
    return count


def _own(raw: dict[str, Any]) -> Scenario:
    try:
        return msgspec.convert(raw, Scenario)
    except msgspec.ValidationError as error:
        raise InputError(f"This is not a scenario: {error}.") from error
