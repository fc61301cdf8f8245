"""Tidy tables: one row per event, dialogue and label, in CSV and in Parquet."""

import builtins
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.columns import Column
from palaver.core.dialogue import Seat
from palaver.core.errors import MissingExtraError
from palaver.core.events import Event
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats import tables
from palaver.formats.tables import CsvWriter, ParquetWriter, Row, TableShape

RECORD = DialogueRecord(
    id="d_1",
    name="d01",
    study="demo",
    condition="parrot",
    position=1,
    group="g",
    seats=[
        Seat(index=0, kind="person", occupant="p_ann", name="P01"),
        Seat(index=1, kind="person", occupant="p_bo"),
        Seat(index=1, kind="system", occupant="parrot", from_seq=3),
    ],
    events=[
        Event(seq=1, seat=0, action="message", data={"text": "hi"}, time=10.0),
        Event(seq=2, seat=1, action="message", data=None, time=12.0),
        Event(seq=3, seat=1, action="message", data={"text": "a, \"b\"\nc"}, time=15.0),
        Event(seq=4, seat=None, action="end", data={"reason": "length"}, time=16.5),
        Event(seq=5, seat=None, action="erase", data={"seat": 1}, time=900.0),
    ],
    created=9.0,
    status="ended",
    reason="length",
)  # fmt: skip


def label(**more: Any) -> LabelRecord:
    values: dict[str, Any] = {
        "study": "demo", "unit": "event:d_1:3", "dialogue": "d_1", "seq": 3, "turn": None,
        "question": "kind", "question_version": "v", "purpose": "real", "rater": "p_ann",
        "rater_kind": "person", "assignment": "a_1", "shown_order": None, "value": 4, "label": None,
        "seconds": 2.5, "superseded": False, "time": 20.0,
    }  # fmt: skip
    return LabelRecord(**{**values, **more})


def cells(table: TableShape, row: Row) -> dict[str, Any]:
    return dict(zip(table.names, row, strict=True))


def test_events_name_who_sat_there_at_that_time() -> None:
    rows = [cells(tables.EVENTS, row) for row in tables.event_rows(RECORD)]
    assert [(r["seq"], r["seat_kind"], r["occupant"], r["text"]) for r in rows] == [
        (1, "person", "p_ann", "hi"),
        (2, "person", "p_bo", None),
        (3, "system", "parrot", 'a, "b"\nc'),
        (4, None, None, None),
        (5, None, None, None),
    ]
    assert rows[0]["data"] == '{"text":"hi"}'
    assert rows[1]["data"] is None
    assert {(r["study"], r["dialogue"], r["group"], r["position"]) for r in rows} == {
        ("demo", "d_1", "g", 1)
    }


def test_a_dialogue_is_one_row() -> None:
    assert cells(tables.DIALOGUES, tables.dialogue_row(RECORD)) == {
        "study": "demo", "dialogue": "d_1", "name": "d01", "source_id": None, "source": None,
        "purpose": "real", "group": "g", "condition": "parrot", "position": 1,
        "status": "ended", "reason": "length", "messages": 3, "seconds": 6.5,
        "seat0_kind": "person", "seat0": "p_ann", "seat0_name": "P01",
        "seat1_kind": "person", "seat1": "p_bo", "seat1_name": None,
        "created": 9.0,
    }  # fmt: skip


def test_an_empty_dialogue_has_no_duration() -> None:
    row = cells(
        tables.DIALOGUES,
        tables.dialogue_row(DialogueRecord(id="d", study="s", seats=[], events=[])),
    )
    assert (row["messages"], row["seconds"], row["seat0"]) == (0, None, None)


def test_the_label_columns_are_those_of_the_record() -> None:
    assert tables.LABELS.names == LabelRecord.__struct_fields__


@pytest.mark.parametrize(
    ("value", "cell"),
    [(4, "4"), ("yes", "yes"), (None, None), (["a", "b"], '["a","b"]'), ({"x": 1}, '{"x":1}')],
)
def test_answers_are_plain_where_they_can_be(value: Any, cell: str | None) -> None:
    assert cells(tables.LABELS, tables.label_row(label(value=value)))["value"] == cell


def test_csv_follows_the_standard() -> None:
    stream = io.BytesIO()
    with CsvWriter(tables.LABELS, stream) as writer:
        writer.write(tables.label_row(label(value='=1+"2", é', superseded=True)))
    header, line = stream.getvalue().decode("utf-8").split("\r\n")[:2]
    assert header == ",".join(tables.LABELS.names)
    assert '"=1+""2"", é"' in line
    assert ",true,20.0" in line
    assert ",3,," in line


TEXT = st.text(st.characters(codec="utf-8"), min_size=1, max_size=9)


@given(st.lists(st.tuples(TEXT, TEXT), max_size=5))
def test_any_text_reads_back_from_csv(rows: list[tuple[str, str]]) -> None:
    stream = io.BytesIO()
    with CsvWriter(
        TableShape("t", "a row", (Column("a", "text", ""), Column("b", "text", ""))), stream
    ) as writer:
        for row in rows:
            writer.write(row)
    read = list(csv.reader(io.StringIO(stream.getvalue().decode("utf-8"), newline="")))
    assert read == [["a", "b"], *map(list, rows)]


@pytest.mark.parametrize("part_rows", [2, 1000])
def test_parquet_keeps_types_order_and_missing_values(tmp_path: Path, part_rows: int) -> None:
    import polars

    path = tmp_path / "events.parquet"
    rows = list(tables.event_rows(RECORD))
    with ParquetWriter(tables.EVENTS, path, part_rows=part_rows) as writer:
        for row in rows:
            writer.write(row)
    read = polars.read_parquet(path)
    assert read.rows() == rows
    assert [str(read.schema[name]) for name in ("seq", "time")] == ["Int64", "Float64"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_empty_parquet_table_has_its_columns(tmp_path: Path) -> None:
    import polars

    path = tmp_path / "labels.parquet"
    with ParquetWriter(tables.LABELS, path):
        pass
    read = polars.read_parquet(path)
    assert read.columns == list(tables.LABELS.names)
    assert read.height == 0


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    def rows() -> Iterator[Row]:
        yield from tables.event_rows(RECORD)
        raise RuntimeError("the disk is gone")

    writer = ParquetWriter(tables.EVENTS, tmp_path / "e.parquet", part_rows=1)
    with pytest.raises(RuntimeError, match="disk"), writer:
        list(map(writer.write, rows()))
    assert list(tmp_path.iterdir()) == []


def test_without_polars_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *args: Any, **options: Any) -> Any:
        if name == "polars":
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"pip install 'palaver\[data\]'"):
        ParquetWriter(tables.EVENTS, tmp_path / "e.parquet")
