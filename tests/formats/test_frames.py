"""Tables of others: read as they are, refused with the place that is wrong."""

import io
import json
import math
import os
import threading
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.formats.frames import read_frame


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_csv_is_text_and_empty_is_missing(tmp_path: Path) -> None:
    frame = read_frame(written(tmp_path, "t.csv", "\ufeffunit,value\na,1\n\nb,\n"))

    assert frame.columns == {"unit": ["a", "b"], "value": ["1", None]}
    assert len(frame) == 2
    numbers = frame.numbers("value")
    assert numbers[0] == 1.0
    assert math.isnan(numbers[1])


def test_a_line_break_in_a_cell_stays_as_it_is(tmp_path: Path) -> None:
    frame = read_frame(written(tmp_path, "t.csv", 'unit,value\r\n"a\r\nb",1\r\n'))

    assert frame.columns == {"unit": ["a\r\nb"], "value": ["1"]}


def test_the_same_table_in_every_format(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    rows = [{"unit": "a", "value": 1}, {"unit": "b", "value": None}]
    polars.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    written(tmp_path, "t.jsonl", "\n".join(json.dumps(row) for row in rows))
    written(tmp_path, "t.json", json.dumps(rows))
    written(tmp_path, "t.tsv", "unit\tvalue\na\t1\nb\t\n")
    for name in ("t.parquet", "t.jsonl", "t.json", "t.tsv"):
        frame = read_frame(tmp_path / name)
        assert frame.texts("value") == ["1", None], name
        assert frame.texts("unit") == ["a", "b"], name


def test_a_key_that_comes_late_is_missing_before(tmp_path: Path) -> None:
    frame = read_frame(written(tmp_path, "t.jsonl", '{"a": 1}\n{"a": 2, "b": true}\n{"b": false}'))

    assert frame.columns == {"a": [1, 2, None], "b": [None, True, False]}
    assert frame.texts("b") == [None, "true", "false"]


def test_only_the_columns_that_are_wanted(tmp_path: Path) -> None:
    path = written(tmp_path, "t.csv", "a,b,c\n1,2,3\n")

    assert read_frame(path, wanted=["c", "a"]).columns == {"c": ["3"], "a": ["1"]}
    with pytest.raises(InputError, match=r"t\.csv has no column 'rater'.*It has: a, b, c"):
        read_frame(path, wanted=["rater"])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", "a,a\n1,2\n", "names the column 'a' twice"),
        ("t.csv", "a,b\n1\n", "line 2: 2 columns are named; this row has 1"),
        ("t.csv", b"a\n\xff\n", "not UTF-8"),
        ("t.csv", 'a\n"open\n', "not CSV"),
        ("t.jsonl", '{"a": 1}\n{oops\n', "line 2 is not JSON"),
        ("t.jsonl", "[1]\n", "record 1 should be an object"),
        ("t.json", "{}", "should be a list"),
        ("t.json", "[", "is not JSON"),
        ("t.parquet", "no", "is not Parquet"),
        ("t.xlsx", "no", r"got '\.xlsx'"),
        ("t", "no", "got 'no ending'"),
    ],
)
def test_what_is_no_table(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_frame(written(tmp_path, name, content))


def test_a_pipe_is_csv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Of the characters that end a line for some, only those of CSV do so here.
    content = "unit,value\r\na\u2028b,1\r\n"
    expected = {"unit": ["a\u2028b"], "value": ["1"]}
    standard = io.TextIOWrapper(io.BytesIO(content.encode()))
    monkeypatch.setattr("sys.stdin", standard)
    assert read_frame(Path("-")).columns == expected
    assert not standard.closed

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(content,))
    writer.start()
    assert read_frame(pipe).columns == expected
    writer.join()


def test_an_error_in_a_pipe_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1\n")))
    with pytest.raises(InputError, match="The standard input, line 2: 2 columns are named"):
        read_frame(Path("-"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="There is no file"):
        read_frame(tmp_path / "absent.csv")


@pytest.mark.parametrize("cell", ["good", "inf", "1,5"])
def test_a_cell_that_is_no_number_is_named(tmp_path: Path, cell: str) -> None:
    frame = read_frame(written(tmp_path, "t.csv", f'value\n1\n"{cell}"\n'))

    with pytest.raises(InputError, match=f"t.csv, row 3: the column 'value'.*got '{cell}'"):
        frame.numbers("value")


@pytest.mark.parametrize("word", ["NA", "nan", "null", " "])
def test_words_for_missing(tmp_path: Path, word: str) -> None:
    frame = read_frame(written(tmp_path, "t.csv", f"value,n\n{word},1\n"))

    assert math.isnan(frame.numbers("value")[0])
