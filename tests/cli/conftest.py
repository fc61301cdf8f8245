"""What the tests of the command line share: a study, a home with dialogues, and a terminal."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from palaver.cli.main import main
from palaver.studies.file.starter import write_starter

SETTINGS = ("PALAVER_DATABASE_URL", "PALAVER_HOME", "PALAVER_PORT", "PALAVER_PUBLIC_URL")


@dataclass(frozen=True)
class Said:
    """What a command printed, and how it ended."""

    status: int
    out: str
    err: str


Palaver = Callable[..., Said]


@pytest.fixture
def palaver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Palaver]:
    """Runs `palaver` in an empty folder, as a stranger would; in this process, to be quick."""
    monkeypatch.chdir(tmp_path)
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    before = signal.getsignal(signal.SIGTERM)

    def run(*arguments: str) -> Said:
        capfd.readouterr()
        monkeypatch.setattr(sys, "argv", ["palaver", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    yield run
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def palaver_process(tmp_path: Path) -> Palaver:
    """Runs `palaver` in a process of its own: for commands that serve and set up logging."""

    def run(*arguments: str, **environment: str) -> Said:
        own = {key: value for key, value in os.environ.items() if key not in SETTINGS}
        done = subprocess.run(
            [sys.executable, "-m", "palaver", *arguments],
            cwd=tmp_path,
            env={**own, **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The starter study, in the folder `first`."""
    write_starter(tmp_path / "first")
    return tmp_path / "first"


@pytest.fixture
def played(study: Path, palaver: Palaver) -> Path:
    """The starter study with four self-play dialogues in its home."""
    said = palaver("selfplay", "first", "--systems", "friendly", "terse", "--count", "4", "--store")
    assert said.status == 0, said.err
    return study
