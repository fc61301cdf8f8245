"""`palaver export`: every format, where it goes, and what it says."""

import json
import zipfile
from pathlib import Path

import pytest

from palaver.reports.export import EXPORTS

from ..conftest import Palaver


@pytest.mark.parametrize("format_", EXPORTS.names())
def test_every_format_goes_to_a_place_that_is_printed(
    palaver: Palaver, played: Path, tmp_path: Path, format_: str
) -> None:
    said = palaver("export", "first", "--format", format_)
    assert said.status == 0, said.err
    counted = "1 questions" if format_ == "dictionary" else "4 dialogues"
    assert said.out.startswith(f"Exported {counted}")
    places = [line.strip() for line in said.out.splitlines()[1:]]
    assert places
    assert all((tmp_path / place).is_file() for place in places)
    assert all(place.startswith(f"first-{format_}") for place in places)


def test_where_it_is_told_to(palaver: Palaver, played: Path, tmp_path: Path) -> None:
    said = palaver("export", "first", "--format", "messages", "-o", "chats.jsonl")
    assert said.out == "Exported 4 dialogues.\n  chats.jsonl\n  chats.dictionary.md\n"
    rows = [json.loads(line) for line in (tmp_path / "chats.jsonl").read_text().splitlines()]
    assert [row["study"] for row in rows] == ["first"] * 4


def test_to_standard_output(palaver: Palaver, played: Path) -> None:
    said = palaver("export", "first", "--format", "messages", "-o", "-")
    assert len(said.out.splitlines()) == 4
    assert said.err == "Exported 4 dialogues.\n"


def test_a_second_export_is_refused_or_replaces(palaver: Palaver, played: Path) -> None:
    assert palaver("export", "first", "--format", "csv").status == 0
    again = palaver("export", "first", "--format", "csv")
    assert again.status == 1
    assert "The folder first-csv is not empty." in again.err
    assert palaver("export", "first", "--format", "csv", "--overwrite").status == 0


def test_masked(palaver: Palaver, study: Path, tmp_path: Path) -> None:
    file = study / "study.yaml"
    file.write_text(file.read_text().replace('"I see."', '"Write to ann@example.org."'))
    palaver("selfplay", "first", "--systems", "friendly", "terse", "--count", "1", "--store")
    said = palaver("export", "first", "--format", "messages", "--mask", "-o", "masked.jsonl")
    assert "Masked: e-mail addresses (1)." in said.out
    assert "Not looked for" in said.out
    assert "employers" in said.out
    assert "ann@example.org" not in (tmp_path / "masked.jsonl").read_text()
    assert "[email]" in (tmp_path / "masked.jsonl").read_text()


def test_one_study_of_several(palaver: Palaver, tmp_path: Path) -> None:
    for name in ("one", "two"):
        palaver("init", f"studies/{name}")
        palaver(
            *("selfplay", f"studies/{name}", "--systems", "friendly", "terse"),
            *("--count", "1", "--store", "--home", "."),
        )
    everything = palaver("export", "studies", "--home", ".", "--format", "messages")
    assert "Exported 2 dialogues." in everything.out
    one = palaver("export", "studies", "--home", ".", "--format", "messages", "--study", "two")
    assert one.out == (
        "Exported 1 dialogues.\n  two-messages.jsonl\n  two-messages.dictionary.md\n"
    )
    none = palaver("export", "studies", "--home", ".", "--study", "tow")
    assert none.status == 1
    assert "There is no study 'tow' in this store. Near: 'two'." in none.err


def test_a_broken_study_file_does_not_lock_the_data_in(palaver: Palaver, played: Path) -> None:
    (played / "study.yaml").write_text("title: [")
    said = palaver("export", "first", "--format", "messages", "-o", "saved.jsonl")
    assert said.status == 0
    assert "no study was read" in said.err
    assert "Exported 4 dialogues." in said.out


def test_nothing_stored_yet(palaver: Palaver, study: Path) -> None:
    said = palaver("export", "first")
    assert said.status == 1
    assert "Nothing is stored at first/palaver.db yet. Serve the study first" in said.err
    assert not (study / "palaver.db").exists()


def test_an_unknown_format(palaver: Palaver, played: Path) -> None:
    said = palaver("export", "first", "--format", "message")
    assert (said.status, said.err) == (
        1,
        "palaver: No export format 'message'. Near: 'messages'.\n",
    )


def test_a_bundle_carries_the_study_folder(palaver: Palaver, played: Path, tmp_path: Path) -> None:
    palaver("export", "first", "--format", "bundle", "-o", "all.zip")
    names = zipfile.ZipFile(tmp_path / "all.zip").namelist()
    assert "studies/first/study.yaml" in names
    assert "studies/first/exchanges.jsonl" in names
