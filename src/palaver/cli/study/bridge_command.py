"""`palaver bridge`: write a program that runs in somebody else's environment and answers here."""

from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import OUT_FILE, OVERWRITE
from palaver.core.errors import InputError
from palaver.systems.bridges import parlai_bridge

BRIDGES = {"parlai": Path(parlai_bridge.__file__)}


@click.command("bridge")
@click.argument("framework", type=click.Choice(sorted(BRIDGES)))
@options.output("The file to write. Default: standard output.", OUT_FILE, metavar="FILE")
@OVERWRITE
def command(framework: str, output: Path | None, overwrite: bool) -> None:
    """Write the program that runs an agent of FRAMEWORK in its own environment.

    It is one file for Python 3.8 or newer without dependencies. On this machine a system of
    kind agent with 'python' starts it by itself; copy it to let an agent answer from elsewhere.
    """
    program = BRIDGES[framework].read_text(encoding="utf-8")
    if output is None:
        click.echo(program, nl=False)
        return
    if output.exists() and not overwrite:
        raise InputError(f"{output} is already there. Choose another name, or add --overwrite.")
    output.write_text(program, encoding="utf-8")
    click.echo(f"Written to {output}. It says how to run it: python {output} --help")
