"""`palaver scenarios generate`: scenarios of a game, with the options that its generator declares."""

import os
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import click
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from palaver.cli import options
from palaver.cli.options import OUT_FILE, OVERWRITE
from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.core.words import counted
from palaver.formats.key_problems import pydantic_problems
from palaver.formats.scenario_files import write_scenario_file
from palaver.games.game import GAMES, ScenarioGenerator

_TYPES: dict[Any, Any] = {int: click.INT, float: click.FLOAT, str: click.STRING}


class GeneratorCommand(click.Command):
    """A command that has the options of whichever game its arguments name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for the game first: it says what the rest may be."""
        known = set(GAMES.names())
        named = next((each for each in args if each in known), None)
        generator = None if named is None else GAMES.get(named).generator
        ctx.meta[__name__] = _field_options(generator)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options of every game, and those of this one."""
        return [*super().get_params(ctx), *ctx.meta.get(__name__, ())]


@click.group("scenarios")
def command() -> None:
    """Make the scenarios that a game is played with."""


@command.command("generate", cls=GeneratorCommand)
@click.argument("game")
@click.option(
    "--count",
    type=click.IntRange(1, 1_000_000),
    default=100,
    show_default=True,
    help="How many scenarios.",
)
@options.seed("The same seed makes the same scenarios.")
@options.output("The file to write.", OUT_FILE, metavar="FILE", required=True)
@OVERWRITE
def generate(game: str, count: int, seed: int, output: Path, overwrite: bool, **given: Any) -> None:
    """Write scenarios of GAME, a JSON array in CoCoA's form where it has one for the game.

    The options of a game's generator are listed by: palaver scenarios generate GAME --help
    """
    if output.exists() and not overwrite:
        raise InputError(f"{output} already exists. Choose another name, or add --overwrite.")
    generator = _generator(game, given)
    made = _written(generator.generate(count, random.Random(f"scenarios-{seed}")), output)
    click.echo(f"{counted(made, 'scenario')} of '{game}' written to {output}")
    if made < count:
        click.echo(f"Asked for were {count:,}: the material does not give more.", err=True)


def _generator(game: str, given: dict[str, Any]) -> ScenarioGenerator:
    made = GAMES.get(game).generator
    if made is None:
        known = [name for name in GAMES.names() if GAMES.get(name).generator is not None]
        told = f"These have one: {', '.join(known)}." if known else "No game here has one."
        raise InputError(f"The game '{game}' has no generator of scenarios. {told}")
    try:
        return made.model_validate({name: each for name, each in given.items() if each is not None})
    except ValidationError as error:
        problems = " ".join(each.message for each in pydantic_problems(error, made))
        see = f"See: palaver scenarios generate {game} --help"
        raise InputError(
            f"The generator of '{game}' cannot be used so. {problems} {see}"
        ) from error


def _written(scenarios: Iterable[Scenario], output: Path) -> int:
    """Write all or nothing; how many."""
    try:
        descriptor, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror}.") from error
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            count = write_scenario_file(scenarios, stream)
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)
    return count


def _field_options(generator: type[ScenarioGenerator] | None) -> list[click.Option]:
    fields = {} if generator is None else generator.model_fields
    return [_option(name, field) for name, field in fields.items()]


def _option(name: str, field: FieldInfo) -> click.Option:
    """A field of a generator as an option; what it takes is checked by the generator."""
    spelled = f"--{name.replace('_', '-')}"
    required = field.is_required()
    default = None if required else field.get_default(call_default_factory=True)
    said = field.description or ""
    if not required and default not in (None, ""):
        said += f"  [default: {str(default).lower() if isinstance(default, bool) else default}]"
    kind, several = _kind(field.annotation)
    if kind is bool:
        return click.Option(
            [f"{spelled}/--no-{name.replace('_', '-')}", name], default=None, help=said
        )
    if get_origin(kind) is Literal:
        taken: Any = click.Choice([str(each) for each in get_args(kind)])
    else:
        taken = _TYPES.get(kind, click.STRING)
    if several:
        return click.Option(
            [spelled, name],
            multiple=True,
            type=taken,
            required=required,
            help=f"{said} May be given several times.",
            callback=lambda ctx, parameter, value: value or None,
        )
    return click.Option([spelled, name], type=taken, required=required, help=said)


def _kind(annotation: Any) -> tuple[Any, bool]:
    """What one value is, and whether a field takes several; None beside it does not matter."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        kinds = [each for each in get_args(annotation) if each is not NoneType]
        return _kind(kinds[0]) if len(kinds) == 1 else (str, False)
    if origin in (tuple, list, frozenset, set):
        return _kind(get_args(annotation)[0])[0], True
    return annotation, False
