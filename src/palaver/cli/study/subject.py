"""What `palaver selfplay` and `palaver chat` are pointed at: a study, or a game by its name."""

from collections.abc import Sequence

import click

from palaver.cli.options import parsed_options
from palaver.core.errors import MissingError
from palaver.studies.play.match import Playable, find_subject

GAME_OPTIONS = click.option(
    "--option",
    "given",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the game, where no study says them; may be given several times.",
)


def subject_of(named: str, given: Sequence[str]) -> Playable:
    """The study or game that was named, with options; naming neither is a usage error."""
    try:
        return find_subject(named, parsed_options(given))
    except MissingError as error:
        raise click.UsageError(str(error)) from error
