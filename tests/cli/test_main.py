"""`palaver` itself: what it lists, how fast, and what it says to a mistake."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click import Context

from palaver.cli import output
from palaver.cli.main import COMMANDS
from palaver.cli.main import palaver as palaver_group

from .conftest import Palaver

# Much too heavy for somebody who only asks for help.
HEAVY = ("sqlalchemy", "numpy", "starlette", "fastapi", "uvicorn", "pydantic", "aiohttp", "msgspec")


def test_help_lists_every_command(palaver: Palaver) -> None:
    said = palaver("--help")
    assert said.status == 0
    for name, summary in COMMANDS.items():
        assert f"{name} " in said.out
        assert summary in said.out


def test_every_command_can_be_imported() -> None:
    context = Context(palaver_group)
    for name in COMMANDS:
        command = palaver_group.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help


def test_help_imports_nothing_heavy() -> None:
    code = f"import sys, palaver.cli.main; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_without_arguments_it_shows_the_help(palaver: Palaver) -> None:
    said = palaver()
    assert said.status == 2
    assert "A study:" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["exprot"],
            "There is no command 'exprot'. Near: 'export', 'report', 'import'. See: palaver --help",
        ),
        (["link", "nowhere"], "Path 'nowhere' does not exist. See: palaver link --help"),
        (["init", "a", "b"], "unexpected extra argument (b). See: palaver init --help"),
        (["check"], "Missing argument 'PATH'. See: palaver check --help"),
        (["init", "a", "--colour"], "No such option '--colour'. See: palaver init --help"),
    ],
)
def test_a_usage_error_is_one_line_and_status_2(
    palaver: Palaver, arguments: list[str], message: str
) -> None:
    said = palaver(*arguments)
    assert said.status == 2
    assert said.out == ""
    assert said.err.startswith("palaver: ")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_any_other_refusal_is_one_line_and_status_1(palaver: Palaver) -> None:
    said = palaver("link", ".")
    assert (said.status, said.out) == (1, "")
    assert said.err.startswith("palaver: ")
    assert "There is no study.yaml here or in the folders directly below." in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [["model"], ["runs", "show"], ["board"]])
def test_a_group_or_command_without_what_it_needs_ends_with_2(
    palaver: Palaver, arguments: list[str]
) -> None:
    said = palaver(*arguments)
    assert (said.status, said.out) == (2, "")


def test_a_reader_who_leaves_early_is_no_crash(study: object, tmp_path: os.PathLike[str]) -> None:
    done = subprocess.run(
        f"{sys.executable} -m palaver --help | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Traceback" not in done.stderr


def _parameters() -> Iterator[tuple[str, click.Parameter]]:
    """Every parameter of every command, with the command's name."""
    context = Context(palaver_group)
    waiting = [(name, palaver_group.get_command(context, name)) for name in COMMANDS]
    while waiting:
        name, command = waiting.pop()
        assert command is not None
        if isinstance(command, click.Group):
            waiting += [(f"{name} {sub}", each) for sub, each in command.commands.items()]
        yield from ((name, each) for each in command.params)


@pytest.mark.parametrize("option", ["--json", "--overwrite", "--study", "--raters", "--verbose"])
def test_an_option_that_several_commands_take_is_described_alike(option: str) -> None:
    # `plan --raters` and `agreement --raters` mean something else; imports name a new study.
    others = {"plan", "agreement"}
    told = {
        parameter.help.removesuffix(" Default: all.")
        for name, parameter in _parameters()
        if isinstance(parameter, click.Option) and option in parameter.opts
        if parameter.help and name not in others and "import" not in name.split()
    }
    assert len(told) == 1


def test_a_home_is_a_folder_in_every_command() -> None:
    homes = [each for _, each in _parameters() if each.name == "home"]
    assert len(homes) > 30
    for each in homes:
        assert isinstance(each.type, click.Path)
        assert not each.type.file_okay


def test_results_are_printed_as_json_in_one_place() -> None:
    for file in Path(output.__file__).parent.rglob("*.py"):
        if file.name != "output.py":
            text = file.read_text(encoding="utf-8")
            assert not re.search(r"echo\(.*json\.(dumps|encode|format)", text), file.name
