"""What a terminal and a log file are told while runs go on."""

import io

import pytest

from palaver.evaluation.runs.progress import Progress
from support.evaluations import made_run


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_file_gets_a_line_for_every_tenth_and_for_the_end() -> None:
    lines: list[str] = []
    progress = Progress(lines.append, stream=io.StringIO())
    progress.show([made_run()], now=0.0)
    for n in range(0, 201):
        progress.show([made_run(state="answering", answered=n)], now=n / 16)
    progress.show([made_run(state="scoring", answered=200)], now=21.0)
    progress.show([made_run(state="done", answered=200, busy_seconds=20.0)], now=22.0)
    progress.show([made_run(state="done", answered=200, busy_seconds=20.0)], now=23.0)
    assert len(lines) == 12
    assert lines[0] == "bert × dev: 0/200"
    assert lines[5] == "bert × dev: 100/200  16/s  0:06 left"
    assert lines[-1] == "bert × dev: done, 200 answers, 10/s."


def test_a_failure_is_told_with_its_reason_once() -> None:
    lines: list[str] = []
    progress = Progress(lines.append, stream=io.StringIO())
    failing = made_run(reason="Attempt 1 of 5 failed and will be retried: no answer.")
    failed = made_run(state="failed", reason="No answer within 30 s.")
    for each in (made_run(), failing, failing, failed, failed):
        progress.show([each], now=0.0)
    assert lines == [
        "bert × dev: Attempt 1 of 5 failed and will be retried: no answer.",
        "bert × dev: failed. No answer within 30 s.",
    ]


def test_what_was_over_before_is_not_told() -> None:
    lines: list[str] = []
    Progress(lines.append, stream=io.StringIO()).show([made_run(state="done")], now=0.0)
    assert lines == []


def test_a_terminal_shows_a_bar_and_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    terminal = Terminal()
    progress = Progress(lambda line: None, stream=terminal)
    progress.show([made_run(state="answering", answered=100, refused=50)], now=1.0)
    assert "bert × dev" in terminal.getvalue()
    assert "█" * 15 + "░" * 5 + " 150/200" in terminal.getvalue()
    assert "50 refused" in terminal.getvalue()
    progress.close()
    assert terminal.getvalue().endswith("\x1b[1F\x1b[J")
