"""Exports of a home that an earlier Palaver made: every file, and what stands in it."""

import csv
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import polars
import pytest

from palaver.reports.export import EXPORTS
from support.made_home import run_palaver
from support.snapshots import assert_as_stored

# What differs from one export to the next, or from one version to the next.
VOLATILE = ("exported", "palaver", "database_schema", "files")


def read_manifest(text: str) -> dict[str, Any]:
    """A manifest: the names of the files stand for what is told about them."""
    told = json.loads(text)
    listed = {"bytes", "sha256"}
    assert all(entry.keys() == listed for entry in told["files"].values())
    return {**told, **dict.fromkeys(VOLATILE, "…"), "files": sorted(told["files"])}


def read_lines(text: str) -> dict[str, Any]:
    """Records of a JSONL file, and the orders in which their keys stand."""
    records = [json.loads(line) for line in text.splitlines()]
    return {"keys": sorted({" ".join(record) for record in records}), "records": records}


def read_parquet(path: Path) -> dict[str, Any]:
    """The columns of a Parquet file and how many rows it has."""
    frame = polars.read_parquet(path)
    return {"columns": {n: str(t) for n, t in frame.schema.items()}, "rows": frame.height}


def read_export(path: Path) -> Any:
    """What a file says: exactly, as far as others can rely on it."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as opened:
            manifest = opened.read("manifest.json").decode()
            return {"members": sorted(opened.namelist()), "manifest": read_manifest(manifest)}
    if path.suffix == ".parquet":
        return read_parquet(path)
    text = path.read_text(encoding="utf-8")
    if path.name == "dictionary.json":
        return [each["name"] for each in json.loads(text)["files"]]
    if path.suffix == ".md":
        return [line for line in text.splitlines() if line.startswith("#")]
    if path.name == "manifest.json":
        return read_manifest(text)
    if path.suffix == ".jsonl":
        return read_lines(text)
    if path.suffix == ".html":
        # What it holds; how it looks is free to change.
        return [
            json.loads(each) for each in re.findall(r'<script type="appl.*?>(.*?)</script>', text)
        ]
    return json.loads(text) if path.suffix == ".json" else text.splitlines()


def exported(home: Path, *options: str) -> dict[str, Any]:
    """The files of an export by name."""
    out = Path("out")
    out.mkdir()
    single = EXPORTS.get(options[1]).single or EXPORTS.get(options[1]).zipped
    run_palaver("export", home, *options, "-o", out if single else out / "made")
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out).as_posix(): read_export(path) for path in files}


@pytest.mark.parametrize("name", sorted(EXPORTS.names()))
def test_a_home_is_exported_as_it_was(made_home: Path, name: str) -> None:
    options = ("--study", "helpdesk") if name == "dch2" else ()
    assert_as_stored(f"export-{name}", exported(made_home, "--format", name, *options))


def test_a_masked_export_of_one_study_is_as_it_was(made_home: Path) -> None:
    given = ("--format", "palaver", "--study", "chatting", "--mask")
    assert_as_stored("export-masked", exported(made_home, *given))


def test_the_seats_of_a_dialogue_say_who_sat_there(made_home: Path) -> None:
    lines = exported(made_home, "--format", "palaver")["made/dialogues.jsonl"]["records"]
    seats = {
        (line["study"], seat["kind"], seat["occupant"]) for line in lines for seat in line["seats"]
    }
    assert {("crowd", "system", "good"), ("chatting", "system", "heron")} <= seats
    people = [occupant for study, kind, occupant in seats if (study, kind) == ("meeting", "person")]
    assert len(people) == 3
    assert all(each.startswith("p_") for each in people)


def test_a_table_has_the_same_columns_in_every_row(made_home: Path) -> None:
    files = exported(made_home, "--format", "csv")
    for name, lines in files.items():
        if name.endswith(".csv"):
            assert len({len(row) for row in csv.reader(lines)}) == 1, name
