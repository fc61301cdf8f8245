"""`palaver serve` and `palaver open`: what they print, serve, and leave behind."""

import errno
import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.web.socket import listen
from support.serving import free_port

from .conftest import SETTINGS, Palaver


@dataclass
class Running:
    """A command that serves."""

    process: "subprocess.Popen[str]"
    base: str
    log: Path

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of a page."""
        try:
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            with browser.open(self.base + path, timeout=60) as response:
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def post(self, path: str) -> int:
        """The status of an empty form."""
        request = urllib.request.Request(self.base + path, data=b"", method="POST")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return int(error.code)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=60)


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a command that serves, and waits until it does."""
    started: list[Running] = []
    own = {key: value for key, value in os.environ.items() if key not in SETTINGS}

    def run(*arguments: str, **environment: str) -> Running:
        port = free_port()
        log = tmp_path / f"{port}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "palaver", *arguments],
                cwd=tmp_path,
                env={**own, "PYTHONUNBUFFERED": "1", "PALAVER_PORT": str(port), **environment},
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
            )
        running = Running(process, f"http://127.0.0.1:{port}", log)
        started.append(running)
        _wait(running)
        return running

    yield run
    for running in started:
        running.stop(signal.SIGKILL)


def _wait(running: Running) -> None:
    deadline = time.monotonic() + 60
    while "Ctrl-C" not in running.log.read_text():
        assert running.process.poll() is None, running.log.read_text()
        assert time.monotonic() < deadline, running.log.read_text()
        time.sleep(0.05)


def test_serve_prints_links_that_work_and_a_password_once(start: Start, study: Path) -> None:
    first = start("serve", "first")
    printed = first.log.read_text()
    assert "Which chatbot is better company?" in printed
    assert f"board        {first.base}/boards/first" in printed
    assert re.search(r"name: owner   one-time password: \S+", printed)
    assert "Stored in      first/palaver.db" in printed
    link = re.search(r"participant  (\S+)", printed)
    assert link is not None
    status, page = first.get(link.group(1).removeprefix(first.base))
    assert status == 200
    assert "thank you for coming" in page
    assert first.stop(signal.SIGTERM) == 0

    second = start("serve", "first")
    assert "one-time password" not in second.log.read_text()
    assert second.stop(signal.SIGINT) == 0


def test_a_file_and_a_port_are_served_by_one_process(
    start: Start, palaver_process: Palaver, study: Path
) -> None:
    running = start("serve", "first")
    second = palaver_process("serve", "first", "--port", str(free_port()))
    assert second.status == 1
    assert f"is being served by another process, at {running.base}." in second.err

    port = running.base.rpartition(":")[2]
    third = palaver_process("serve", "first", "--home", "elsewhere", "--port", port)
    assert third.status == 1
    assert third.err == (
        f"palaver: Port {port} on 127.0.0.1 cannot be used: another program uses it. Choose another "
        "with --port or PALAVER_PORT, or stop that one.\n"
    )
    # Nothing was stored: an owner whose password nobody saw could never sign in.
    assert not (study.parent / "elsewhere").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--port", "99999"), "A port is a number up to 65,535; got 99999."),
        (("--port", "-1"), "A port is a number up to 65,535; got -1."),
        (("--host", "no.such.invalid"), "No machine is known as 'no.such.invalid'."),
        (("--host", "::g"), "No machine is known as '::g'."),
        (("--host", "192.0.2.1"), "This machine does not have the address 192.0.2.1."),
        (("--host", ""), "The host is empty."),
    ],
)
def test_a_place_where_nobody_can_listen(
    palaver: Palaver, study: Path, options: tuple[str, ...], message: str
) -> None:
    for command in (("serve", "first"), ("demo",)):
        said = palaver(*command, *options)
        assert (said.status, said.out) == (1, "")
        assert said.err.startswith(f"palaver: {message}")
        assert said.err.count("\n") == 1
    assert not (study / "palaver.db").exists()


def test_a_port_that_only_administrators_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    # Whoever runs the tests may be an administrator.
    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(InputError, match=r"Port 80 .*: ports below 1024 are for administrators\."):
        listen("127.0.0.1", 80)


@pytest.mark.long
def test_any_free_port_is_the_one_that_is_printed(start: Start, study: Path) -> None:
    running = start("serve", "first", "--port", "0")
    desk = re.search(r"Researcher     (\S+)", running.log.read_text())
    assert desk is not None
    with urllib.request.urlopen(desk[1], timeout=60) as response:
        assert response.status == 200


def test_a_system_that_cannot_be_built_is_one_sentence(
    palaver_process: Palaver, study: Path
) -> None:
    file = study / "study.yaml"
    text = file.read_text().replace("kind: scripted ", "kind: python ")
    lines = 'lines: ["Hello.", "I see.", "Why?", "All right.", "Go on."]'
    file.write_text(text.replace(lines, 'class: "nowhere:Bot"'))
    said = palaver_process("serve", "first", "--port", "0")
    assert said.status == 1
    assert said.err.startswith("palaver: System 'terse'")
    assert "Traceback" not in said.err


def test_a_number_that_is_none(
    palaver: Palaver, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_PORT", "many")
    said = palaver("serve", "first")
    assert (said.status, said.err) == (1, "palaver: PALAVER_PORT takes a number; got 'many'.\n")


def test_a_public_address_that_is_none(
    palaver: Palaver, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_PUBLIC_URL", "lab.example.org")
    said = palaver("serve", "first")
    assert said.status == 1
    assert "PALAVER_PUBLIC_URL takes an address with https:// or http://" in said.err


def test_a_broken_study_is_not_served(palaver: Palaver, study: Path) -> None:
    file = study / "study.yaml"
    file.write_text(file.read_text().replace("turns: {exactly: 10}", "turns: {exactly: ten}"))
    said = palaver("serve", "first")
    assert said.status == 1
    assert re.search(r"first/study.yaml:\d+:\d+: ", said.err)
    assert not (study / "palaver.db").exists()


@pytest.fixture
def bundle(palaver: Palaver, played: Path, tmp_path: Path) -> Path:
    """A bundle of the starter study, away from its home."""
    palaver("export", "first", "--format", "bundle", "-o", "shown.zip")
    return tmp_path / "shown.zip"


def test_open_shows_a_bundle_and_changes_nothing(
    start: Start, bundle: Path, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    before = hashlib.sha256(bundle.read_bytes()).hexdigest()
    running = start("open", "shown.zip", TMPDIR=str(scratch))
    assert "shown.zip: 4 dialogues" in running.log.read_text()
    database = next(scratch.rglob("palaver.db"))
    stored = database.read_bytes()
    for path in ("/desk", "/desk/studies/first", "/desk/dialogues", "/boards/first"):
        status, page = running.get(path)
        assert status == 200, path
        assert "<h1" in page
    assert running.post("/desk/studies/first/links") in {403, 405}
    assert running.post("/desk/settings/accounts") in {403, 404, 405}
    assert database.read_bytes() == stored
    assert not database.with_name("palaver.db-wal").exists()
    assert running.stop(signal.SIGTERM) == 0
    assert list(scratch.iterdir()) == []
    assert hashlib.sha256(bundle.read_bytes()).hexdigest() == before


def test_open_runs_nothing_of_a_stranger(start: Start, palaver: Palaver, study: Path) -> None:
    mark = study.parent / "was-run"
    (study / "bot.py").write_text(f"open({str(mark)!r}, 'w')\nclass Bot:\n    pass\n")
    palaver("selfplay", "first", "--systems", "friendly", "terse", "--count", "1", "--store")
    file = study / "study.yaml"
    text = file.read_text()
    text = text.replace("kind: scripted ", "kind: python ").replace(
        'lines: ["Hello.", "I see.", "Why?", "All right.", "Go on."]', 'class: "bot:Bot"'
    )
    file.write_text(text)
    _register(palaver, study)
    palaver("export", "first", "--format", "bundle", "-o", "odd.zip")
    mark.unlink(missing_ok=True)
    running = start("open", "odd.zip")
    assert running.get("/desk/studies/first")[0] == 200
    assert not mark.exists()


def _register(palaver: Palaver, study: Path) -> None:
    # What a served study leaves in the store: its file as it was.
    said = palaver(
        "selfplay", "first", "--systems", "friendly", "friendly", "--count", "1", "--store"
    )
    assert said.status == 0, said.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no zip at all", "is not a bundle or is damaged"),
        (b"PK\x05\x06" + b"\0" * 18, "manifest.json"),
    ],
)
def test_open_refuses_what_is_no_bundle(
    palaver: Palaver, tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "odd.zip").write_bytes(content)
    said = palaver("open", "odd.zip")
    assert said.status == 1
    assert message in said.err
    assert "Traceback" not in said.err


def test_open_of_nothing(palaver: Palaver) -> None:
    said = palaver("open", "nothing.zip")
    assert said.status == 2
    assert "File 'nothing.zip' does not exist." in said.err


def test_demo_shows_a_board_and_leaves_nothing(start: Start, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    running = start("demo", "--no-crowd", TMPDIR=str(scratch))
    printed = running.log.read_text()
    assert "/s/demo?link=" in printed
    assert "one-time password: " in printed
    assert running.get("/boards/demo")[0] == 200
    assert running.stop(signal.SIGTERM) == 0
    assert list(scratch.iterdir()) == []


def test_demo_with_a_system_it_does_not_know(palaver: Palaver) -> None:
    said = palaver("demo", "--system", "parrot")
    assert said.status == 2
    assert "--system: Expected openai:URL or openai:URL#MODEL, such as" in said.err
    assert "got 'parrot'." in said.err


@pytest.mark.parametrize("given", ["openai:", "openai:ftp://x#m", "openai:file:///etc/passwd"])
def test_demo_with_a_system_at_no_address(palaver: Palaver, given: str) -> None:
    said = palaver("demo", "--system", given)
    assert (said.status, said.out) == (2, "")
    assert f"got '{given}'." in said.err


def test_demo_with_a_system_that_does_not_answer(palaver: Palaver) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    said = palaver("demo", "--system", f"openai:{address}/v1")
    assert said.status == 1
    assert f"{address}/v1/models does not name a model" in said.err
    assert f"name the model: openai:{address}/v1#MODEL" in said.err


def test_a_system_of_ones_own_is_on_the_board_of_the_demo(start: Start) -> None:
    # The simulated visitors never talk to it, so that nothing needs to be at this address.
    running = start("demo", "--system", f"openai:http://127.0.0.1:{free_port()}#small")
    status, page = running.get("/boards/demo")
    assert status == 200
    assert "yours is judged by people only" in page
    assert "of 480" in page
    assert running.stop() == 0
