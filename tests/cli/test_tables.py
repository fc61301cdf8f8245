"""Tables in a terminal: headings, alignment, and how they fit a narrow window."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from palaver.cli import output
from palaver.cli.output import table_lines, table_text

ROWS = [
    ("model", "score [95 % interval]", "about", "key"),
    ("a", "0.6200 [0.5500, 0.6900]", "A model with a long story to tell of itself", "r_0123456789"),
    ("bee", "undefined", "Short", "r_1"),
]


def test_numbers_are_set_to_the_right_and_texts_to_the_left() -> None:
    assert list(table_lines([("name", "n", "kind"), ("a", "1,200", "x"), ("b", "–", "")])) == [
        "name      n  kind",
        "a     1,200  x",
        "b         –",
    ]


def test_what_is_piped_is_written_in_full() -> None:
    assert output.terminal_width() is None
    assert "A model with a long story to tell of itself" in table_text(ROWS)


@pytest.mark.parametrize("width", [60, 70, 80])
def test_a_narrow_terminal_shortens_texts_and_never_numbers(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "terminal_width", lambda: width)
    lines = list(table_lines(ROWS, whole={3}))
    assert max(map(len, lines)) <= width
    assert "0.6200 [0.5500, 0.6900]" in lines[1]
    assert "r_0123456789" in lines[1]
    assert "A model…" in lines[1] or "A model with" in lines[1]
    assert "…" in lines[1]
    assert "…" not in lines[2]


def test_columns_are_set_in_parts_where_they_cannot_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "terminal_width", lambda: 10)
    assert list(table_lines(ROWS[:2], whole={3})) == [
        "model    score [95 % interval]",
        "a      0.6200 [0.5500, 0.6900]",
        "",
        "model  about",
        "a      A model…",
        "",
        "model  key",
        "a      r_0123456789",
    ]


def test_a_command_fits_its_terminal(tmp_path: Path) -> None:
    lines = _in_terminal(["dataset", "readers"], tmp_path, columns=60)
    assert lines[0].split() == ["reader", "task", "what", "it", "reads"]
    assert max(map(len, lines)) <= 60
    assert any(line.endswith("…") for line in lines)


def _in_terminal(arguments: list[str], folder: Path, *, columns: int) -> list[str]:
    """What a command prints in a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    own = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    done = subprocess.Popen(
        [sys.executable, "-m", "palaver", *arguments], cwd=folder, env=own, stdout=theirs
    )
    os.close(theirs)
    read = b""
    try:
        while part := os.read(ours, 65536):
            read += part
    except OSError:
        pass  # the other side has been closed
    finally:
        os.close(ours)
    assert done.wait(timeout=60) == 0
    return read.decode().splitlines()
