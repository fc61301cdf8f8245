"""Other programs are measured through one line that they print, and never trusted blindly."""

import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.model_peers import NOT_INSTALLED, Peer, PeerError, beside_peers, compared, measure

from benchmarks import model_peers, peer_telling

# A third of the answers are right, as the stub gives the same one to all.
PEER = Peer("other", "benchmarks.peer_telling", 3)


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the endpoint says next, first before and then after the program has run."""
    said = [{"asked": 0, "seconds": 0.0}, {"asked": 3, "seconds": 1.5}]
    monkeypatch.setattr(model_peers, "_span", lambda url: said.pop(0))
    return said


def script(tmp_path: Path, text: str) -> Path:
    """A program in the place of a peer's Python; it is given `-m MODULE JSON`."""
    program = tmp_path / "python"
    program.write_text(f"#!{sys.executable}\n{text}\n")
    program.chmod(0o755)
    return program


def told(score: float) -> str:
    """A program that talks, tells, and talks on."""
    line = f'measured: {{"version": "1.2", "cpu": 6.0, "score": {score}}}'
    return f"print('Requesting: 100%')\nprint({line!r})\nprint('bye')"


def test_the_line_is_found_among_all_that_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print("Requesting: 3/3", end="")
    peer_telling.tell("pytest", cpu=1.25, score=0.5)
    print("bye")

    found = peer_telling.read(capsys.readouterr().out)

    assert (found.cpu, found.score) == (1.25, 0.5)
    assert found.version == pytest.__version__


@pytest.mark.parametrize("output", ["", "done\n", 2 * 'measured: {"version": "1"}\n'])
def test_an_output_without_exactly_one_line_is_refused(output: str) -> None:
    with pytest.raises(ValueError, match="expected one line"):
        peer_telling.read(output)


@pytest.mark.usefixtures("spans")
def test_the_time_is_the_endpoints_and_the_cpu_is_told(tmp_path: Path) -> None:
    python = script(tmp_path, told(1 / 3))

    theirs = measure(PEER, folder=tmp_path, url="http://stub", python=python)
    rate, cpu = compared(PEER, {"wall": 0.5, "cpu": 1.5}, theirs)

    assert theirs == {"version": "1.2", "examples": 3, "wall": 1.5, "cpu": 6.0}
    assert (rate.ours, rate.floor, rate.ratio) == (6.0, 2.0, 3.0)
    assert (cpu.ours, cpu.floor, cpu.ratio) == (500.0, 2000.0, 0.25)
    assert "other 1.2" in rate.name


@pytest.mark.usefixtures("spans")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (told(0.9), "It scored 0.9"),
        ("raise SystemExit('no tokenizer')", "ended with code 1: no tokenizer"),
        ("print('done')", "expected one line"),
    ],
)
def test_a_program_that_did_other_work_is_not_measured(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(PeerError, match=why):
        measure(PEER, folder=tmp_path, url="http://stub", python=script(tmp_path, text))


def test_a_program_that_asked_otherwise_is_not_measured(
    spans: list[dict[str, Any]], tmp_path: Path
) -> None:
    spans[1]["asked"] = 2

    with pytest.raises(PeerError, match="asked 2 times for 3 examples"):
        measure(PEER, folder=tmp_path, url="http://stub", python=script(tmp_path, told(1 / 3)))


@pytest.mark.usefixtures("spans")
def test_one_that_fails_is_named_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = script(tmp_path, "raise SystemExit('no tokenizer')")

    figures, details = beside_peers([PEER], folder=tmp_path, url="http://stub", python=python)

    assert figures == []
    assert "no tokenizer" in details["other"]["error"]
    assert "Not measured: other." in capsys.readouterr().out


def test_without_the_environment_one_line_says_how_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, details = beside_peers(
        [PEER], folder=tmp_path, url="http://stub", python=tmp_path / "none"
    )

    assert figures == []
    assert details == {"not_installed": ["other"]}
    assert capsys.readouterr().out == NOT_INSTALLED + "\n"
    assert "make bench-peers" in NOT_INSTALLED
