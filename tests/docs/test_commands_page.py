"""Every command and every option is in docs/commands.md, and nothing else is."""

import re

import click
import pytest

from palaver.cli.main import COMMANDS, palaver

from .reading import own_section, page, rows

PAGE = page("commands.md")


def _commands() -> dict[str, click.Command]:
    context = click.Context(palaver)
    found: dict[str, click.Command] = {}
    for name in COMMANDS:
        command = palaver.get_command(context, name)
        assert command is not None
        found[name] = command
        if isinstance(command, click.Group):
            found |= {f"{name} {sub}": inner for sub, inner in command.commands.items()}
    return found


def _title(name: str, command: click.Command) -> str:
    arguments = [p for p in command.params if isinstance(p, click.Argument)]
    shown = [(a.name or "").upper() for a in arguments]
    return " ".join(["palaver", name, *shown])


@pytest.mark.parametrize(("name", "command"), _commands().items())
def test_a_command_and_its_options_are_described(name: str, command: click.Command) -> None:
    text = own_section(PAGE, _title(name, command))
    options = [p for p in command.params if isinstance(p, click.Option)]
    for option in options:
        for spelling in option.opts:
            assert re.search(rf"`{re.escape(spelling)}[ `]", text), f"{name} {spelling}"
    known = {spelling for option in options for spelling in option.opts}
    described = {cell.split()[0] for cell in rows(text) if cell.startswith("-")}
    assert described <= known
    assert len(text.strip()) > 30


@pytest.mark.parametrize(("name", "command"), _commands().items())
def test_a_default_is_the_one_described(name: str, command: click.Command) -> None:
    table = rows(own_section(PAGE, _title(name, command)))
    described = {cell.split()[0]: cells for cell, cells in table.items()}
    for option in command.params:
        if isinstance(option, click.Option) and option.show_default and not option.is_flag:
            assert str(option.default) in described[option.opts[-1]][2].replace("`", "")


def test_no_command_is_described_that_does_not_exist() -> None:
    described = re.findall(r"^##+ palaver ([a-z-]+(?: [a-z0-9-]+)?)", PAGE, re.MULTILINE)
    assert set(described) == set(_commands())


@pytest.mark.parametrize(("name", "command"), _commands().items())
def test_every_option_says_what_it_is_for(name: str, command: click.Command) -> None:
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.opts}"
