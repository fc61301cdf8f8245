"""`palaver crowd`: where people come from; one module per command."""

import click

from palaver.cli.study.crowd_stand_in import command as stand_in


@click.group("crowd")
def command() -> None:
    """Work with the service that people come from."""


command.add_command(stand_in)
