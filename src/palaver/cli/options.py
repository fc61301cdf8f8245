"""Options that several commands take, each declared once; what only one command says of it is given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Option = Callable[[Callable[..., Any]], Callable[..., Any]]

JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
HOME = click.option(
    "--home", type=click.Path(path_type=Path), help="The folder that holds the state."
)
# Whose answers of a study are taken.
RATERS = click.option(
    "--raters",
    type=click.Choice(["all", "person", "simulated", "model"]),
    default="all",
    show_default=True,
    help="Whose answers of a study count.",
)
RATERS_OF_ONE_KIND = click.option(
    "--raters", default="all", show_default=True, metavar="KIND", help="Raters of one kind only."
)
QUESTION = click.option("--question", metavar="NAME", help="Which question of a study.")


def study(words: str) -> Option:
    """Which study is meant, where there are several."""
    return click.option("--study", metavar="NAME", help=words)


def seed(words: str = "The same seed draws the same again.") -> Option:
    """What chance is drawn with."""
    return click.option("--seed", default=1, show_default=True, help=words)


def bootstrap(words: str, *, draws: int = 1000, metavar: str | None = None) -> Option:
    """How many samples are drawn."""
    return click.option(
        "--bootstrap", default=draws, show_default=True, metavar=metavar, help=words
    )


def confidence(words: str = "Of the intervals.") -> Option:
    """How sure intervals are."""
    return click.option("--confidence", default=0.95, show_default=True, help=words)


def column(name: str, words: str, *, usual: str | None = None) -> Option:
    """The name of a table's column; `usual` is the one that is read where none is named."""
    return click.option(
        f"--{name}", default=usual, show_default=usual is not None, metavar="COL", help=words
    )
