"""Who answered and what was asked, in the tables and in JSON lines."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.reports.export import export_study
from palaver.storage import Store
from support.databases import new_sqlite
from support.verdicts import Judged

SAID = [(0, "Hi"), (1, "Hello")]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    yield opened
    opened.close()


def export(store: Store, format_: str) -> tuple[zipfile.ZipFile, dict[str, int]]:
    stream = io.BytesIO()
    made = export_study(
        store, study="judged", format=format_, destination=stream, mask=False, now=1.8e9
    )
    return zipfile.ZipFile(stream), made.counts


def lines(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(name).splitlines()]


def table(archive: zipfile.ZipFile, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(archive.read(name).decode("utf-8"), newline="")))


def test_questions_with_version_level_and_labels(store: Store) -> None:
    judged = Judged.register(store)
    archive, counts = export(store, "palaver")
    assert counts["questions"] == 12
    by_name = {each["question"]: each for each in lines(archive, "questions.jsonl")}
    flow = by_name["what_happens"]
    assert (flow["level"], flow["about"], flow["labels"]) == ("nominal", "turn", ["oddity"])
    assert flow["question_version"] == judged.questions["what_happens"].version
    assert flow["definition"]["kind"] == "flow"
    assert flow["definition"]["ask"][0]["answers"][0]["ask"][0]["id"] == "which"
    assert by_name["clear"]["labels"] == ["clarity"]


def test_the_same_questions_as_a_table(store: Store) -> None:
    Judged.register(store)
    archive, _ = export(store, "csv")
    rows = {row["question"]: row for row in table(archive, "questions.csv")}
    assert rows["traits"]["labels"] == "kind|curt"
    assert json.loads(rows["score"]["definition"]) == {"kind": "slider", "text": "How good?"}
    polars = pytest.importorskip("polars")
    archive, _ = export(store, "parquet")
    read = polars.read_parquet(archive.read("questions.parquet"))
    assert read["question"].to_list() == list(rows)


def test_built_in_questions_are_told_in_full(store: Store) -> None:
    Judged.register(store, text="title: T\nstages:\n  - rate: {from: x, ask: [empathy]}\n")
    archive, _ = export(store, "palaver")
    (question,) = lines(archive, "questions.jsonl")
    assert question["question"] == "empathy"
    assert question["labels"] == ["empathetic", "lack of empathy"]


@pytest.mark.parametrize(
    "text", ["title: [", "title: T\nquestions: {odd: {kind: likrt, text: How?}}\n"]
)
def test_a_definition_that_cannot_be_read_is_counted(store: Store, text: str) -> None:
    Judged.register(store, text=text)
    for format_ in ("palaver", "csv"):
        archive, counts = export(store, format_)
        assert (counts["questions"], counts["unreadable_definitions"]) == (0, 1)
        manifest = json.loads(archive.read("manifest.json"))
        assert manifest["counts"]["unreadable_definitions"] == 1


def test_raters_in_every_form(store: Store) -> None:
    judged = Judged.register(store)
    key = judged.dialogue(*SAID)
    judged.say(key, "clear", 2)
    judged.say(key, "clear", 3, rater="model:judge", kind="model")
    expected = {
        **{"study": "judged", "rater": "model:judge", "rater_name": "model:judge"},
        **{"rater_kind": "model", "labels": 1},
        **{"excluded": False, "first_time": 102.0, "last_time": 102.0},
    }
    archive, counts = export(store, "palaver")
    assert counts["raters"] == 2
    assert lines(archive, "raters.jsonl")[1] == expected
    archive, _ = export(store, "csv")
    assert table(archive, "raters.csv")[1] == {
        key: "false" if value is False else str(value) for key, value in expected.items()
    }
    polars = pytest.importorskip("polars")
    archive, _ = export(store, "parquet")
    assert polars.read_parquet(archive.read("raters.parquet")).row(1, named=True) == expected
