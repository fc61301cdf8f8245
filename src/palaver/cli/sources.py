"""What a command about numbers was pointed at: a study with its state, a bundle, or a table."""

from pathlib import Path

import click
from click.core import ParameterSource

from palaver.cli.options import StudyOption, TableOption
from palaver.reports.target import is_bundle, is_study


def is_of_study(path: Path) -> bool:
    """Whether the answers come from a study; UsageError for an option that does not go with PATH."""
    if not is_study(path):
        _refuse((StudyOption,), f"is for studies; {path} is a table")
        _refuse_home(f"is for studies; {path} is a table")
        return False
    _refuse((TableOption,), "is for tables; a study says this itself")
    if is_bundle(path):
        _refuse_home(f"is for studies; {path} is a bundle, which holds its state")
    return True


def _refuse(kinds: tuple[type[click.Option], ...], why: str) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        if isinstance(parameter, kinds) and _is_given(context, parameter):
            raise click.UsageError(f"{parameter.opts[-1]} {why}.")


def _refuse_home(why: str) -> None:
    context = click.get_current_context()
    if context.params.get("home") is not None:
        raise click.UsageError(f"--home {why}.")


def _is_given(context: click.Context, parameter: click.Parameter) -> bool:
    source = context.get_parameter_source(parameter.name or "")
    return source is ParameterSource.COMMANDLINE
