"""`palaver crowd stand-in`: a service to try a study on, as a command."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from palaver.cli.study.crowd_command import command
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.crowds.prolific.client import Prolific
from support.prolific import drafted
from support.serving import free_port


@contextmanager
def stand_in(*options: str) -> Iterator["subprocess.Popen[str]"]:
    """A stand-in in a process of its own, from its last line on."""
    told = [sys.executable, "-u", "-m", "palaver", "crowd", "stand-in", "prolific", *options]
    process = subprocess.Popen(told, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def lines_of(process: "subprocess.Popen[str]") -> str:
    """What it prints, up to the line that says how to stop it."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "Ctrl-C" in line:
            break
    return said


def test_it_serves_says_where_and_keeps_its_state(tmp_path: Path) -> None:
    port, file = free_port(), tmp_path / "prolific.json"
    options = ["--port", str(port), "--file", str(file), "--workspace-currency", "USD"]
    address = f"http://127.0.0.1:{port}"

    async def make() -> str:
        async with Prolific("stand-in", address=address) as prolific:
            made = await prolific.studies.make(drafted(reward=Money(150, "USD")))
            assert made.currency == "USD"
            return made.id

    async def names() -> list[str]:
        async with Prolific("stand-in", address=address) as prolific:
            return [each.id for each in await prolific.studies.all()]

    with stand_in(*options) as process:
        said = lines_of(process)
        study = asyncio.run(make())
    assert process.returncode == 0
    assert f"API        {address}" in said
    assert "token      stand-in" in said
    with stand_in(*options) as process:
        lines_of(process)
        assert asyncio.run(names()) == [study]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--workspace-currency", "pounds"], "three capital letters"),
        (["--study-server", "lab.example"], "takes an address"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: list[str], said: str) -> None:
    result = CliRunner().invoke(command, ["stand-in", "prolific", *options])

    assert isinstance(result.exception, InputError)
    assert said in str(result.exception)


def test_other_services_have_no_stand_in() -> None:
    assert CliRunner().invoke(command, ["stand-in", "sona"]).exit_code == 2
