"""Every command and every option is in docs/commands.md, and nothing else is."""

import re

import click

from palaver.cli.main import COMMANDS, palaver
from support.cases import every_case

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


def test_every_command_and_its_options_are_described() -> None:
    with every_case() as case:
        for name, command in _commands().items():
            with case(name):
                text = own_section(PAGE, _title(name, command))
                options = [p for p in command.params if isinstance(p, click.Option)]
                known = {spelling for option in options for spelling in option.opts}
                told = {o for o in known if re.search(rf"`{re.escape(o)}[ `]", text)}
                assert known - told == set()
                described = {cell.split()[0] for cell in rows(text) if cell.startswith("-")}
                assert described <= known
                assert len(text.strip()) > 30


def test_every_default_is_the_one_described() -> None:
    with every_case() as case:
        for name, command in _commands().items():
            table = rows(own_section(PAGE, _title(name, command)))
            described = {cell.split()[0]: cells for cell, cells in table.items()}
            for option in command.params:
                if isinstance(option, click.Option) and option.show_default and not option.is_flag:
                    with case(f"{name} {option.opts[-1]}"):
                        assert str(option.default) in described[option.opts[-1]][2].replace("`", "")


def test_no_command_is_described_that_does_not_exist() -> None:
    described = re.findall(r"^##+ palaver ([a-z-]+(?: [a-z0-9-]+)?)", PAGE, re.MULTILINE)
    assert set(described) == set(_commands())


def test_every_option_says_what_it_is_for() -> None:
    silent = [
        f"{name} {option.opts}"
        for name, command in _commands().items()
        for option in command.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []
