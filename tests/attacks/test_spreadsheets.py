"""A participant writes a formula: whoever opens the table in a spreadsheet must not run it."""

import csv
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.formats.frames import read_frame
from support.desks import Desk, open_desk

FORMULAS = ["=cmd|' /C calc'!A0", "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "＝1+1", "'=kept"]
PLAIN = ["-3.5", "hello = there", "it's"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk with a conversation full of formulas."""
    with open_desk(tmp_path_factory.mktemp("cells")) as opened:
        ann = opened.study.visit("ann")
        opened.study.dialogue(ann, *FORMULAS, *PLAIN)
        opened.sign_in("ruth")
        yield opened


def texts(archive: bytes) -> list[str]:
    """What was said, as the table of events has it."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        table = opened.read("events.csv").decode("utf-8")
    rows = csv.DictReader(io.StringIO(table, newline=""))
    return [row["text"] for row in rows if row["action"] == "message"]


def test_the_desk_hands_out_no_formulas(desk: Desk) -> None:
    escaped = texts(desk.client.get("/desk/exports/pilot-2?format=csv").content)
    assert [f"'{each}" for each in FORMULAS] == escaped[: len(FORMULAS)]
    assert escaped[len(FORMULAS) :] == PLAIN


def test_raw_is_a_choice(desk: Desk) -> None:
    assert texts(desk.client.get("/desk/exports/pilot-2?format=csv&raw=1").content) == [
        *FORMULAS,
        *PLAIN,
    ]


def test_our_own_reader_undoes_it(desk: Desk, tmp_path: Path) -> None:
    archive = desk.client.get("/desk/exports/pilot-2?format=csv").content
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        opened.extract("events.csv", tmp_path)
    frame = read_frame(tmp_path / "events.csv")
    assert [text for text in frame.columns["text"] if text] == [*FORMULAS, *PLAIN]
