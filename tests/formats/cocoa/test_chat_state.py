"""CoCoA's database: what its site noted wrongly, what is left out, and files that broke off."""

import sqlite3
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.cocoa.chat_state_records import find_chat_surveys, find_chats
from palaver.formats.cocoa.examples import example_json
from palaver.formats.cocoa.scenarios import scenario_of
from palaver.formats.found_records import FoundRecord, Mistake, Unconverted
from support.chat_state import ChatStateFile, friends_chat
from support.cocoa import BARGAIN_SCENARIO, FRIENDS_SCENARIO

SCENARIOS = {raw["uuid"]: scenario_of(raw) for raw in (FRIENDS_SCENARIO, BARGAIN_SCENARIO)}


@pytest.fixture
def file(tmp_path: Path) -> ChatStateFile:
    return ChatStateFile(tmp_path / "chat_state.db")


def read(path: Path, find: Any = find_chats, **options: Any) -> tuple[list[Any], list[str], list]:
    """The records of a database, what is wrong with it, and what was left out."""
    options = {"scenarios": SCENARIOS, **options} if find is find_chats else options
    with path.open("rb") as stream:
        found = list(find(stream, str(path), **options))
    records = [each.record for each in found if isinstance(each, FoundRecord)]
    mistakes = [str(each).removeprefix(f"{path}: ") for each in found if isinstance(each, Mistake)]
    return records, mistakes, [each.why for each in found if isinstance(each, Unconverted)]


def test_a_chat_becomes_a_dialogue_like_any_example(file: ChatStateFile) -> None:
    friends_chat(file)
    before = file.path.read_bytes()
    [record], mistakes, left_out = read(file.path)
    assert isinstance(record, DialogueRecord)
    assert mistakes == []
    assert sorted(left_out) == ["a message without words"] + 3 * ["somebody joined, left or typed"]
    assert [(event.seat, event.action) for event in record.events] == [
        (0, "message"),
        (1, "select"),
        (0, "select"),
        (None, "end"),
    ]
    assert [(seat.kind, seat.occupant) for seat in record.seats] == [
        ("person", "U_ann"),
        ("system", "rulebased"),
    ]
    example = example_json(record)
    assert example["agents"] == {"0": "human", "1": "rulebased"}
    assert example["agents_info"] == {"config": "a.json"}
    assert example["outcome"] == {"reward": 1}
    assert example["scenario"]["kbs"] == FRIENDS_SCENARIO["kbs"]
    assert file.path.read_bytes() == before
    assert [path.name for path in file.path.parent.iterdir()] == ["chat_state.db"]


def test_a_quit_is_where_it_happened_with_the_time_of_its_metadata(file: ChatStateFile) -> None:
    file.chat(
        "C_q",
        (0, "message", "60?"),
        (1, "message", "no"),
        scenario="S_bargain",
        outcome='{"reward": 0, "offer": null}',
    )
    file.insert("event", ("C_q", "quit", 0, None, None, None, '"1500000044.5"'))
    [record], _, _ = read(file.path)
    assert [event.action for event in record.events] == ["message", "message", "quit", "end"]
    assert record.events[2].time == 1500000044.5


def test_a_price_that_is_no_number_is_null_and_old_times_are_read(file: ChatStateFile) -> None:
    file.chat("C_n", (0, "offer", '{"price": NaN, "sides": ""}'), (1, "reject", None),
              scenario="S_bargain")  # fmt: skip
    file.run("UPDATE event SET time = '2017-07-14 02-40-0' || rowid")
    [record], mistakes, _ = read(file.path)
    assert mistakes == []
    assert record.events[0].data["price"] is None
    assert record.events[0].time == 1500000001.0


def test_what_came_of_it_is_unknown_where_it_is_not_json(file: ChatStateFile) -> None:
    file.chat("C_o", (0, "message", "a"), (1, "message", "b"), outcome="{'reward': 1}")
    [record], mistakes, left_out = read(file.path)
    assert (mistakes, len(left_out)) == ([], 1)
    assert record.dialogue().outcome == {}


def test_chats_of_one_side_are_left_out_and_unknown_partners_are_people(
    file: ChatStateFile,
) -> None:
    file.chat("C_half", (0, "message", "Anybody?"), (1, "join", None))
    file.chat("C_none", (0, "message", "a"), (1, "message", "b"), types='{"0": "human", "1": null}')
    file.insert("event", ("C_lost", "message", 0, "1500000000", "Hi", None, "null"))
    [record], mistakes, left_out = read(file.path)
    assert (record.id, mistakes) == ("C_none", [])
    assert [seat.kind for seat in record.seats] == ["person", "person"]
    assert sorted(left_out) == [
        "a chat in which one side did nothing",
        "the events of a chat that is not in the table 'chat'",
    ]


def test_without_scenarios_a_chat_passes_and_its_moves_say_the_game(file: ChatStateFile) -> None:
    friends_chat(file)
    [record], _, _ = read(file.path, scenarios=None)
    assert (record.scenario.game, record.scenario.kbs) == ("mutual_friends", ())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE event SET data = '{\"Name\": \"A' WHERE action = 'select'",
         "The data of the select is not JSON; got '{\"Name\": \"A'."),
        ("UPDATE event SET metadata = '{' WHERE action = 'message'",
         "The metadata of the message is not JSON; got '{'."),
        ("UPDATE event SET agent = 'bob'", "Event 1: 'agent' takes a whole number; got text."),
        ("UPDATE event SET agent = 7", "Event 1: There are agents 0 and 1; got agent 7."),
        ("UPDATE event SET data = '{\"Name\": \"\\ud800\"}' WHERE action = 'select'",
         "The data of the select has half a character"),
        ("UPDATE chat SET agent_types = '[1'", "The agent_types is not JSON; got '[1'."),
        ("UPDATE chat SET agent_ids = '7'", "'agent_ids' takes an object of '0' and '1'; got '7'."),
        ("UPDATE chat SET scenario_id = NULL", "'scenario_id' takes text; got None."),
        ("UPDATE chat SET scenario_id = 'S_gone'", "The scenario 'S_gone' is not among those given."),
    ],
)  # fmt: skip
def test_a_chat_that_is_torn_is_named_and_the_others_are_taken(
    file: ChatStateFile, change: str, message: str
) -> None:
    friends_chat(file)
    file.run(change)
    friends_chat(file, "C_sound")
    records, mistakes, _ = read(file.path)
    [mistake] = [each for each in mistakes if "C_1" in each]
    assert mistake.startswith(f"chat C_1: {message}")
    assert [record.id for record in records] == ["C_sound"]


@pytest.mark.parametrize("part", [0.65, 0.9, 0.98])
def test_a_file_that_broke_off_gives_what_is_whole(file: ChatStateFile, part: float) -> None:
    for number in range(120):
        friends_chat(file, f"C_{number:03}")
    # The order in which pages are written decides which are lost; here those of the events.
    file.run("CREATE TABLE other AS SELECT * FROM event; DROP TABLE event; VACUUM;")
    file.run("ALTER TABLE other RENAME TO event; VACUUM;")
    content = file.path.read_bytes()
    file.path.write_bytes(content[: int(len(content) * part)])
    records, mistakes, _ = read(file.path)
    assert any("table event: Only" in each and "damaged or cut off" in each for each in mistakes)
    assert any("It may have lost events" in each for each in mistakes)
    assert 10 < len(records) < 120
    assert {len(record.events) for record in records} == {4}


def test_what_stands_in_the_log_beside_a_database_is_read(file: ChatStateFile) -> None:
    friends_chat(file)
    with closing(sqlite3.connect(file.path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE event SET data = 'Hello' WHERE data = 'Hi'")
        connection.commit()
        wal = Path(f"{file.path}-wal")
        before = file.path.read_bytes(), wal.read_bytes()
        [record], _, _ = read(file.path)
        assert (file.path.read_bytes(), wal.read_bytes()) == before
    assert record.events[0].text == "Hello"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("DROP TABLE chat", "There is no table 'chat'; there are active_user, bot, event"),
        ("DROP TABLE chat; DROP TABLE event", "There is no table 'chat' or 'event'"),
    ],
)
def test_a_database_without_chats_is_refused(
    file: ChatStateFile, change: str, message: str
) -> None:
    file.run(change)
    with pytest.raises(InputError) as refused:
        read(file.path)
    assert message in str(refused.value)


def test_a_missing_column_is_named(file: ChatStateFile) -> None:
    friends_chat(file)
    file.run("ALTER TABLE event RENAME COLUMN agent TO who")
    records, mistakes, left_out = read(file.path)
    assert mistakes == ["table event: The column 'agent' is missing."]
    assert (records, left_out) == ([], ["a chat in which one side did nothing"])


@pytest.mark.parametrize("content", [b"[]", b"SQLite format 2\0" * 9, b"\0" * 5000])
def test_what_is_no_database_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match=r"x\.db: This is not an SQLite database"):
        list(find_chats(BytesIO(content), "x.db"))


def test_a_database_of_a_header_alone_is_refused() -> None:
    with pytest.raises(InputError, match=r"x\.db: "):
        list(find_chats(BytesIO(b"SQLite format 3\0" + b"\xff" * 500), "x.db"))


def test_surveys_are_read_by_column_about_the_partner(file: ChatStateFile) -> None:
    friends_chat(file)
    file.insert("survey", ("U_ann", "C_1", "rulebased", 2, 5, "First"))
    file.insert("survey", ("U_ann", "C_1", None, "4", "null", ""))
    labels, mistakes, left_out = read(file.path, find_chat_surveys)
    assert all(isinstance(label, LabelRecord) for label in labels)
    assert [(label.unit, label.question, label.value, label.label) for label in labels] == [
        ("seat:C_1:1", "cooperative", 4, None),
        ("seat:C_1:1", "humanlike", None, "abstained"),
    ]
    assert {(label.rater, label.rater_kind) for label in labels} == {("U_ann", "person")}
    assert (mistakes, left_out) == ([], ["a survey that was sent again later"])


def test_a_survey_of_nobody_and_of_no_chat_is_named(file: ChatStateFile) -> None:
    friends_chat(file)
    file.insert("survey", ("U_bo", "C_1", "human", 2, 5, ""), ("U_bo", "C_9", "human", 2, 5, ""))
    labels, mistakes, _ = read(file.path, find_chat_surveys)
    assert labels == []
    assert mistakes == [
        "chat C_1: 'U_bo' rated it and is not one of its two agents.",
        "chat C_9: 'U_bo' rated it, and it is not in the table 'chat'.",
    ]


def test_a_database_of_another_game_has_its_own_questions(tmp_path: Path) -> None:
    file = ChatStateFile(tmp_path / "b.db", "craigslist_bargain")
    file.chat("C_b", (0, "message", "a"), (1, "message", "b"), scenario="S_bargain",
              ids='{"0": "U_a", "1": "U_b"}', types='{"0": "human", "1": "human"}')  # fmt: skip
    row = ("U_b", "C_b", "human", "null", "null", "null", "null", 4, "null", "ok")
    file.insert("survey", row)
    labels, _, _ = read(file.path, find_chat_surveys)
    told = {label.question: label.value for label in labels}
    assert told["negotiator"] == 4
    assert told["comments"] == "ok"
    assert {label.unit for label in labels} == {"seat:C_b:0"}
    assert sum(value is None for value in told.values()) == 5
