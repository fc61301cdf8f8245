"""The chats and surveys of a `chat_state.db` as records: dialogues, and labels of seats."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.chat_state import (
    SURVEY_KEYS,
    ChatState,
    Row,
    agent_ids,
    agent_types,
    example_of,
    read_chat_state,
)
from palaver.formats.cocoa.examples import example_record
from palaver.formats.cocoa.schema import CocoaSchema
from palaver.formats.cocoa.surveys import survey_label
from palaver.formats.found_records import Found, FoundRecord, Mistake, Unconverted


def find_chats(
    stream: BinaryIO,
    name: str,
    *,
    schema: CocoaSchema | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
) -> Iterator[Found]:
    """The dialogues of a database, what is wrong with others, and what is left out of them.

    A database has the ids of scenarios alone; `scenarios` are looked up by them.
    """
    state = read_chat_state(stream, name)
    source = PurePath(name).name
    yield from state.mistakes
    known = set()
    for chat in state.chats:
        place = state.place(chat["chat_id"])
        known.add(chat["chat_id"])
        noted: Counter[str] = Counter()
        try:
            example = example_of(state, chat, noted)
            if isinstance(example, Unconverted):
                yield example
                continue
            record = example_record(example, source=source, schema=schema, scenarios=scenarios)
            record = _named(record, agent_ids(chat))
        except InputError as error:
            yield Mistake(place, str(error))
            continue
        yield FoundRecord(place, record)
        for why, count in noted.items():
            yield from [Unconverted(place, why)] * count
    for chat_id in state.events.keys() - known:
        yield Unconverted(
            state.place(chat_id), "the events of a chat that is not in the table 'chat'"
        )


def _named(record: DialogueRecord, ids: dict[str, Any]) -> DialogueRecord:
    """The dialogue with what the site called its people, so that their surveys are theirs."""
    seats = [
        msgspec.structs.replace(seat, occupant=who)
        if seat.kind == "person" and isinstance(who := ids.get(str(seat.index)), str) and who
        else seat
        for seat in record.seats
    ]
    return msgspec.structs.replace(record, seats=seats)


def find_chat_surveys(stream: BinaryIO, name: str) -> Iterator[Found]:
    """The answers of a database as labels of the seat that they are about.

    Columns are read by name, so that what CoCoA's dump swaps (MutualFriends) stays where it belongs.
    Of somebody who sent the survey of a chat twice, the last answers count.
    """
    state = read_chat_state(stream, name)
    yield from state.mistakes
    chats = {chat["chat_id"]: chat for chat in state.chats}
    last: dict[tuple[Any, Any], Row] = {}
    for row in state.surveys:
        key = row["name"], row["chat_id"]
        if key in last:
            yield Unconverted(state.place(row["chat_id"]), "a survey that was sent again later")
        last[key] = row
    for row in last.values():
        yield from _labels(state, chats.get(row["chat_id"]), row)


def _labels(state: ChatState, chat: Row | None, row: Row) -> Iterator[Found]:
    place = state.place(row["chat_id"])
    if chat is None:
        yield Mistake(place, f"'{row['name']}' rated it, and it is not in the table 'chat'.")
        return
    try:
        seats = [int(seat) for seat, who in agent_ids(chat).items() if who == row["name"]]
        types = agent_types(chat)
        if len(seats) != 1 or seats[0] not in (0, 1):
            raise InputError(f"'{row['name']}' rated it and is not one of its two agents.")
    except (InputError, ValueError) as error:
        yield Mistake(place, str(error))
        return
    rated = 1 - seats[0]
    for question, answer in row.items():
        if question in SURVEY_KEYS or answer in (None, ""):
            continue
        label = survey_label(
            row["chat_id"],
            rated,
            question,
            _number(answer),
            rater_type=types[str(seats[0])],
            rater=str(row["name"]),
        )
        yield FoundRecord(f"{place}, agent {rated}, '{question}'", label)


def _number(answer: Any) -> Any:
    """A number that a column without a type keeps as text."""
    if isinstance(answer, str) and answer.strip().isdecimal():
        return int(answer)
    return answer
