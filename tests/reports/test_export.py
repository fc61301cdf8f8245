"""Exports of a real store, to folders, files, zips and streams."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.records import LabelRecord
from palaver.formats.palaver import read_dialogues, read_labels
from palaver.reports.export import EXPORTS, Exported, export_study
from palaver.reports.source import StudySource
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.tidy import label_records
from palaver.storage.studies.studies import list_studies, register_study


def export(
    store: Store, format: str, destination: Path | BinaryIO, mask: bool = False, **options: Any
) -> Exported:
    options.setdefault("study", "demo")
    return export_study(
        store, format=format, destination=destination, mask=mask, now=1.8e9, **options
    )


def manifest_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return content


def test_palaver_writes_records_that_read_back(filled: Store, tmp_path: Path) -> None:
    made = export(filled, "palaver", tmp_path / "out")
    assert [path.name for path in made.paths] == [
        *("DICTIONARY.md", "dialogues.jsonl", "dictionary.json", "labels.jsonl", "manifest.json"),
        *("questions.jsonl", "raters.jsonl", "study.yaml"),
    ]
    assert made.counts == {
        "dialogues": 2,
        "labels": 3,
        "label_rows": 4,
        "raters": 1,
        "questions": 0,
    }
    with (tmp_path / "out" / "dialogues.jsonl").open("rb") as stream:
        assert list(read_dialogues(stream)) == filled.read_now(
            lambda c: list(dialogue_records(c, "demo"))
        )
    with (tmp_path / "out" / "labels.jsonl").open("rb") as stream:
        assert list(read_labels(stream)) == filled.read_now(
            lambda c: list(label_records(c, "demo"))
        )
    assert "A démo" in (tmp_path / "out" / "study.yaml").read_text(encoding="utf-8")


def test_the_manifest_describes_every_file(filled: Store, tmp_path: Path) -> None:
    export(filled, "palaver", tmp_path / "out")
    manifest = manifest_of(tmp_path / "out")
    assert (manifest["format"], manifest["studies"]) == ("palaver-palaver", ["demo"])
    assert (manifest["exported"], manifest["masked"]) == (1.8e9, False)
    assert sorted(manifest["files"]) == [
        *("DICTIONARY.md", "dialogues.jsonl", "dictionary.json", "labels.jsonl"),
        *("questions.jsonl", "raters.jsonl", "study.yaml"),
    ]
    for name, entry in manifest["files"].items():
        content = (tmp_path / "out" / name).read_bytes()
        assert entry == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_all_studies_have_a_folder_each_for_their_definition(filled: Store, tmp_path: Path) -> None:
    made = export(filled, "palaver", tmp_path / "out", study=None)
    assert made.counts == {
        "dialogues": 4,
        "labels": 6,
        "label_rows": 8,
        "raters": 2,
        "questions": 0,
    }
    assert (tmp_path / "out" / "studies" / "other" / "study.yaml").is_file()
    assert manifest_of(tmp_path / "out")["studies"] == ["demo", "other"]


def test_messages_are_one_file(filled: Store, tmp_path: Path) -> None:
    made = export(filled, "messages", tmp_path / "chat.jsonl")
    assert made.paths == (tmp_path / "chat.jsonl", tmp_path / "chat.dictionary.md")
    rows = [json.loads(line) for line in (tmp_path / "chat.jsonl").read_text().splitlines()]
    assert [len(row["messages"]) for row in rows] == [3, 2]
    assert rows[1]["erased"] == 1
    inside = export(filled, "messages", tmp_path / "home")
    names = ["demo-messages.jsonl", "demo-messages.dictionary.md"]
    assert [path.name for path in inside.paths] == names


def test_csv_has_a_table_of_each_kind(filled: Store, tmp_path: Path) -> None:
    made = export(filled, "csv", tmp_path / "out")
    assert made.counts == {
        **{"dialogues": 2, "events": 7, "labels": 3, "label_rows": 4, "raters": 1},
        "questions": 0,
    }
    with (tmp_path / "out" / "labels.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["question"], row["value"], row["superseded"]) for row in rows] == [
        ("kind", "4", "true"),
        ("kind", "5", "false"),
        ("better", "first", "false"),
        ("why", "as bo@example.com says", "false"),
    ]
    with (tmp_path / "out" / "events.csv").open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.DictReader(stream))) == 7


def test_parquet_has_the_same_rows(filled: Store, tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    export(filled, "parquet", tmp_path / "out")
    names = sorted(path.stem for path in (tmp_path / "out").glob("*.parquet"))
    assert names == ["dialogues", "events", "labels", "questions", "raters"]
    read = polars.read_parquet(tmp_path / "out" / "labels.parquet")
    assert read["value"].to_list() == ["4", "5", "first", "as bo@example.com says"]


@pytest.mark.parametrize("name", ["palaver", "csv", "parquet", "label-studio", "bundle"])
def test_a_stream_receives_a_zip(filled: Store, name: str) -> None:
    stream = io.BytesIO()
    made = export(filled, name, stream)
    assert made.paths == ()
    with zipfile.ZipFile(io.BytesIO(stream.getvalue())) as archive:
        assert archive.testzip() is None
        assert archive.namelist()[0] == "manifest.json"
    assert EXPORTS.get(name).media_type == "application/zip"
    assert EXPORTS.get(name).filename("a/b") == f"a%2Fb-{name}.zip"


def test_a_stream_that_cannot_seek_will_do(filled: Store) -> None:
    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.content = b""

        def writable(self) -> bool:
            return True

        def write(self, block: Any) -> int:
            self.content += bytes(block)
            return len(block)

    pipe = Pipe()
    export(filled, "palaver", pipe)  # type: ignore[arg-type]
    assert len(zipfile.ZipFile(io.BytesIO(pipe.content)).namelist()) == 8


def test_messages_stream_as_lines(filled: Store) -> None:
    stream = io.BytesIO()
    export(filled, "messages", stream)
    assert len(stream.getvalue().splitlines()) == 2
    assert EXPORTS.get("messages").filename("demo") == "demo-messages.jsonl"


def test_a_zip_at_a_path(filled: Store, tmp_path: Path) -> None:
    made = export(filled, "csv", tmp_path / "out.zip")
    assert made.paths == (tmp_path / "out.zip",)
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert "events.csv" in archive.namelist()


@pytest.mark.parametrize("name", EXPORTS.names())
def test_a_masked_export_holds_no_address_or_number(filled: Store, name: str) -> None:
    stream = io.BytesIO()
    export(filled, name, stream, mask=True)
    content = stream.getvalue()
    if not EXPORTS.get(name).single:
        with zipfile.ZipFile(stream) as archive:
            content = b"".join(archive.read(entry) for entry in archive.namelist())
    for told in (b"ann@example.com", b"bo@example.com", b"tea@example.com", b"555-987", b"555-123"):
        assert told not in content
    assert b"[email]" in content or name in ("parquet", "dictionary")


# Each longer than what a drawn key holds by chance.
NOT_TO_LEAVE = (
    *(b"PANEL-ann", b"PANEL-bo", b"WORK-ann", b"WORK-bo", b"CODE-ANN"),
    *(b"SIGNING-KEY", b"PASSWORD-HASH", b"mara-the-owner"),
)


@pytest.mark.parametrize("name", EXPORTS.names())
def test_no_export_holds_what_must_not_leave(filled: Store, name: str) -> None:
    stream = io.BytesIO()
    export(filled, name, stream)
    content = stream.getvalue()
    if not EXPORTS.get(name).single:
        with zipfile.ZipFile(stream) as archive:
            content = b"".join(archive.read(entry) for entry in archive.namelist())
    for secret in NOT_TO_LEAVE:
        assert secret not in content
    assert b"call 555-123-4567" not in content  # erased


@pytest.mark.parametrize("name", ["palaver", "messages", "bundle"])
def test_what_exists_is_not_overwritten_unasked(filled: Store, tmp_path: Path, name: str) -> None:
    target = tmp_path / "out.jsonl"
    export(filled, name, target)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match="Choose another place, or overwrite it"):
        export(filled, name, target)
    made = export(filled, name, target, overwrite=True, study="other")
    assert made.counts["dialogues"] == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_that_is_no_export_is_never_overwritten(filled: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="It is not an export"):
        export(filled, "csv", tmp_path / "home", overwrite=True)
    assert (tmp_path / "home" / "palaver.db").is_file()
    (tmp_path / "empty").mkdir()
    assert export(filled, "csv", tmp_path / "empty").counts["dialogues"] == 2


def test_a_failure_leaves_nothing_behind(
    filled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(tmp_path.rglob("*"))

    def fail(self: StudySource) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(StudySource, "labels", fail)
    with pytest.raises(OSError, match="disk full"):
        export(filled, "palaver", tmp_path / "out")
    assert sorted(tmp_path.rglob("*")) == before


def test_wrong_names_are_answered_with_near_ones(filled: Store, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"No export format 'parket'. Near: 'parquet'"):
        export(filled, "parket", tmp_path / "out")
    with pytest.raises(InputError, match=r"There is no study 'dema' in this store. Near: 'demo'"):
        export(filled, "csv", tmp_path / "out", study="dema")
    with pytest.raises(InputError, match="does not exist"):
        export(filled, "csv", tmp_path / "missing" / "out")


def test_an_empty_store_exports_as_empty(store: Store, tmp_path: Path) -> None:
    for name in EXPORTS.names():
        made = export(store, name, tmp_path / f"{name}.zip", study=None)
        assert set(made.counts.values()) == {0}


def test_what_is_written_meanwhile_is_not_in_the_export(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = StudySource.labels

    def write_first(self: StudySource) -> Iterator[LabelRecord]:
        filled.write_now(
            lambda c: register_study(c, name="late", title="", digest="", definition="", now=1.0)
        )
        return real(self)

    monkeypatch.setattr(StudySource, "labels", write_first)
    stream = io.BytesIO()
    export(filled, "palaver", stream, study=None)
    with zipfile.ZipFile(stream) as archive:
        assert not [name for name in archive.namelist() if "late" in name]
    assert len(filled.read_now(list_studies)) == 3
