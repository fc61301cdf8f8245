"""Submission files: their shape, every part that has a wrong one, and writing them."""

import io
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.formats.json_files import write_array
from palaver.formats.submissions import (
    SHOWN,
    SubmissionEntry,
    SubmissionFault,
    listed,
    raise_faults,
    read_entries,
)

GOOD = {"id": "d1", "nugget": [{"CNUG": 1.0}], "quality": {"A": {"2": 1, "-2": 0}}}


def read(*entries: Any) -> Any:
    return read_entries(json.dumps(entries).encode())


def faults(*entries: Any) -> list[tuple[str, str]]:
    return [(fault.dialogue, fault.key) for fault in read(*entries).faults]


def test_either_task_may_be_missing() -> None:
    found = read(GOOD, {"id": "d2", "quality": {"A": {"1": 1}}}, {"id": "d3", "nugget": []})
    assert not found.faults
    assert found.entries[0].quality == {"A": {"2": 1.0, "-2": 0.0}}
    assert [entry.nugget for entry in found.entries] == [[{"CNUG": 1.0}], None, []]


def test_a_byte_order_mark_is_no_fault() -> None:
    assert len(read_entries(b"\xef\xbb\xbf" + json.dumps([GOOD]).encode()).entries) == 1


@pytest.mark.parametrize(
    ("part", "key"),
    [
        ({"nugget": {"CNUG": 1}}, "nugget"),
        ({"nugget": [[1.0]]}, "nugget, turn 1"),
        ({"nugget": [{"CNUG": 1}, {"HNUG": "1"}]}, "nugget, turn 2, 'HNUG'"),
        ({"nugget": [{"CNUG": True}]}, "nugget, turn 1, 'CNUG'"),
        ({"nugget": [{"CNUG": None}]}, "nugget, turn 1, 'CNUG'"),
        ({"nugget": [{"CNUG": 10**400}]}, "nugget, turn 1, 'CNUG'"),
        ({"quality": [1]}, "quality"),
        ({"quality": {"S": 0.5}}, "quality, 'S'"),
        ({"quality": {"S": {"2": []}}}, "quality, 'S', '2'"),
        ({"nuggets": []}, "'nuggets'"),
    ],
)
def test_a_wrong_shape_is_named_by_dialogue_and_key(part: dict[str, Any], key: str) -> None:
    assert faults({"id": "d1"} | part, GOOD | {"id": "d2"}) == [("d1", key)]


def test_every_fault_is_found_and_the_rest_is_kept() -> None:
    found = read(
        GOOD,
        {"id": "d2", "nugget": [{"CNUG": "x", "CNaN": "y"}], "quality": {"A": {"1": 1}, "S": 3}},
        7,
        {"nugget": []},
        {"id": 5},
    )
    assert [fault.dialogue for fault in found.faults] == ["d2"] * 3 + [
        "number 3",
        "number 4",
        "number 5",
    ]
    assert [entry.id for entry in found.entries] == ["d1", "d2"]
    assert found.entries[1].nugget is None
    assert found.entries[1].quality == {"A": {"1": 1}}
    assert found.broken == {("d2", "nugget"), ("d2", "S")}


def test_python_writes_nan_and_it_is_read_so_that_its_key_can_be_named() -> None:
    found = read({"id": "d1", "nugget": [{"CNUG": math.nan}]})
    assert math.isnan(found.entries[0].nugget[0]["CNUG"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "is empty"),
        (b"", "is not JSON"),
        (b"[{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b'{"id": "d1"}', "should be a list"),
        (b"[" * 100_000, "is not JSON"),
    ],
)
def test_what_is_no_submission(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_entries(content, name="run.json")


def test_a_long_list_of_faults_is_cut_and_counted() -> None:
    many = [SubmissionFault(f"d{n}", "id", "it is wrong.") for n in range(SHOWN + 7)]
    assert listed(many).count("\n") == SHOWN
    assert listed(many).endswith("… and 7 more.")
    with pytest.raises(InputError, match=f"run.json has {SHOWN + 7} faults"):
        raise_faults("run.json", many)
    raise_faults("run.json", [])


shares = st.dictionaries(st.sampled_from(["CNUG", "HNaN", "2"]), st.floats(0, 1), max_size=3)


@given(
    st.lists(
        st.builds(
            SubmissionEntry,
            id=st.text(max_size=4),
            nugget=st.none() | st.lists(shares, max_size=3),
            quality=st.none() | st.dictionaries(st.sampled_from("ASE"), shares),
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=50, deadline=None)
def test_what_is_written_is_read_again(entries: list[SubmissionEntry]) -> None:
    stream = io.BytesIO()
    assert write_array(entries, stream) == len(entries)
    assert read_entries(stream.getvalue()).entries == entries
