"""The tutorial works as it stands: its commands are run in order, and somebody takes part."""

import asyncio
import json
import os
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.participants import Participant
from support.printed_links import follow_links
from support.serving import free_port

from .reading import FENCE, ROOT, page

README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = ("PALAVER_DATABASE_URL", "PALAVER_HOME", "PALAVER_PORT", "PALAVER_PUBLIC_URL")


@dataclass(frozen=True)
class Step:
    """A command of the tutorial, and lines that it says will be printed."""

    command: list[str]
    expected: list[str]


def steps() -> list[Step]:
    """The console blocks of the tutorial, in order."""
    found = []
    for language, block in FENCE.findall(page("first-study.md")):
        if language == "console":
            first, *expected = block.splitlines()
            assert first.startswith("$ palaver "), first
            found.append(Step(shlex.split(first)[2:], expected))
    return found


@pytest.mark.long
@pytest.mark.asyncio
@pytest.mark.timeout(300)
async def test_the_tutorial(tmp_path: Path) -> None:
    port = free_port()
    own = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    environment = {**own, "PALAVER_PORT": str(port), "PYTHONUNBUFFERED": "1"}
    server: subprocess.Popen[str] | None = None
    try:
        for step in steps():
            if step.command[0] == "serve":
                server = _start(step.command, tmp_path, environment)
                printed = _printed(server, tmp_path)
                statuses = await asyncio.to_thread(follow_links, printed)
                assert statuses == dict.fromkeys(statuses, 200)
                await _take_part(next(link for link in statuses if "/s/" in link))
                continue
            printed = _run(step.command, tmp_path, environment)
            for line in step.expected:
                assert line.replace(":8000/", f":{port}/") in printed
    finally:
        if server is not None:
            server.terminate()
            assert server.wait(timeout=60) == 0
    lines = (tmp_path / "company.jsonl").read_text().splitlines()
    assert [json.loads(line)["reason"] for line in lines] == ["complete", "complete"]
    # The README shows such a line with some of its fields.
    shown = next(block for kind, block in FENCE.findall(README) if kind == "json")
    assert json.loads(shown).keys() <= json.loads(lines[0]).keys()
    assert (tmp_path / "company-csv" / "labels.csv").read_text().count("preference") == 1
    assert (tmp_path / "company-bundle.zip").is_file()


def test_every_command_of_the_way_is_in_the_tutorial() -> None:
    commands = [step.command[0] for step in steps()]
    assert commands[:4] == ["init", "check", "selfplay", "serve"]
    assert commands[-1] == "export"


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "palaver", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _start(
    command: list[str], folder: Path, environment: dict[str, str]
) -> "subprocess.Popen[str]":
    with (folder / "serve.log").open("w") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "palaver", *command],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
            text=True,
        )


def _printed(server: "subprocess.Popen[str]", folder: Path) -> str:
    """What the server prints until it is up."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        printed = (folder / "serve.log").read_text()
        assert server.poll() is None, printed
        if "Ctrl-C" in printed:
            assert "one-time password: " in printed
            return printed
        time.sleep(0.1)
    raise AssertionError("the server did not say where it is")


async def _take_part(link: str) -> None:
    async with Participant(link) as ann:
        await ann.begin()
        for _ in range(2):
            room = await ann.room()
            for count in range(1, 6):
                await room.say(f"This is what I say, number {count}.")
                await room.hears(count=count, seconds=30)
            await room.ends()
            await room.close()
            await ann.reload()
        await ann.send("rate", **{"answer-preference": "a"})
        assert ann.code
