"""Options and arguments that several commands take, each declared once."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

Option = Callable[[Callable[..., Any]], Callable[..., Any]]

# What must be there already; "-" reads a table from a pipe.
IN_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
IN_TABLE = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
IN_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)
IN_PATH = click.Path(path_type=Path, exists=True)
# What may be made.
OUT_FILE = click.Path(path_type=Path, dir_okay=False)
OUT_FOLDER = click.Path(path_type=Path, file_okay=False)
OUT_PATH = click.Path(path_type=Path)


class TableOption(click.Option):
    """An option that says how a table is read; a study says that itself."""


class StudyOption(click.Option):
    """An option that says which answers of a study count; a table is taken as it is."""


def home(words: str) -> Option:
    """Where the state is."""
    return click.option("--home", type=OUT_FOLDER, metavar="FOLDER", help=words)


JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
HOME = home("The folder that holds the state.")
# What a command is about: a study (its folder or file), a folder of studies, or a home.
STUDY_PATH = click.argument("path", type=IN_PATH)
# The same, or a bundle, or a table.
DATA_PATH = click.argument("path", type=click.Path(path_type=Path, exists=True, allow_dash=True))
VERBOSE = click.option("--verbose", is_flag=True, help="Log more.")
OVERWRITE = click.option("--overwrite", is_flag=True, help="Replace what is already there.")
METRIC_OPTIONS = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help="An option of the metric, such as lowercase=true; may be given several times.",
)
QUESTION = click.option(
    "--question", cls=StudyOption, metavar="NAME", help="One question of a study."
)

SECTIONS = click.option(
    "--section",
    "sections",
    cls=StudyOption,
    multiple=True,
    metavar="NAME",
    help="Only labels of this section of released data; repeatable.",
)


def study(words: str = "One study of several.") -> Option:
    """Which study is meant, where there are several."""
    return click.option("--study", cls=StudyOption, metavar="NAME", help=words)


def raters(name: str = "--raters") -> Option:
    """Whose answers of a study are taken."""
    return click.option(
        name,
        cls=StudyOption,
        type=click.Choice(["all", "person", "model", "simulated", "anonymous"]),
        default="all",
        show_default=True,
        help="Whose answers to a study's questions count.",
    )


def host(words: str) -> Option:
    """Where a server listens."""
    return click.option(
        "--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help=words
    )


def port(usual: int | None = None) -> Option:
    """At which port a server listens; without `usual` the settings say."""
    words = "The port." if usual else "The port. Default: PALAVER_PORT, else 8000."
    return click.option(
        "--port", type=int, default=usual, show_default=bool(usual), metavar="NUMBER", help=words
    )


def output(words: str, type_: click.Path, *, metavar: str = "", required: bool = False) -> Option:
    """Where a result is written."""
    return click.option(
        "-o", "--output", type=type_, metavar=metavar or None, required=required, help=words
    )


def seed(words: str = "The same seed gives the same result.", *, usual: int = 1) -> Option:
    """What chance is drawn with."""
    return click.option("--seed", default=usual, show_default=True, metavar="N", help=words)


def bootstrap(words: str = "How many samples are drawn.", *, draws: int = 1000) -> Option:
    """How many samples are drawn."""
    return click.option("--bootstrap", default=draws, show_default=True, metavar="N", help=words)


def confidence(words: str = "The confidence of the intervals, between 0 and 1.") -> Option:
    """How sure intervals are."""
    return click.option(
        "--confidence", default=0.95, show_default=True, metavar="SHARE", help=words
    )


def column(name: str, words: str, *, usual: str | None = None, of_study: bool = False) -> Option:
    """The name of a table's column; `usual` is the one that is read where none is named.

    With `of_study` the answers of a study have such columns, too.
    """
    return click.option(
        f"--{name}",
        cls=None if of_study else TableOption,
        default=usual,
        show_default=usual is not None,
        metavar="COL",
        help=words,
    )


def parsed_options(given: Sequence[str]) -> dict[str, Any]:
    """KEY=VALUE pairs; a value that is JSON (true, 3, ["a", "b"]) is read as such."""
    found: dict[str, Any] = {}
    for option in given:
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise click.UsageError(f"--option takes KEY=VALUE; got '{option}'.")
        try:
            found[key] = msgspec.json.decode(value)
        except msgspec.DecodeError:
            found[key] = value
    return found
