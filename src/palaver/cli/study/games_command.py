"""`palaver games`: which games there are, and how well their parsers understand people."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import click

from palaver.cli.options import IN_FILE, JSON
from palaver.cli.output import print_json, table_text, with_interval
from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord
from palaver.core.words import counted, measured, percent
from palaver.formats.dialogue_files import DIALOGUE_FILES, FilesBeside, recognised
from palaver.formats.found_records import records_of
from palaver.games.game import GAMES, Game
from palaver.games.measurement import Measure, Measurement


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEntry:
    """A game as the list has it."""

    name: str
    bots: tuple[str, ...]
    metrics: tuple[str, ...]
    generates: bool
    measures: bool
    has_tags: bool
    starter: str

    @classmethod
    def of(cls, game: Game) -> "GameEntry":
        return cls(
            name=game.name,
            bots=tuple(game.bots),
            metrics=game.metrics,
            generates=game.generator is not None,
            measures=bool(game.measure),
            has_tags=game.has_tags,
            starter=game.starter,
        )


@click.group("games", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """List the games that can be played here, or measure one on dialogues of people."""
    if context.invoked_subcommand is None:
        context.invoke(list_games)


@command.command("list")
@JSON
def list_games(as_json: bool = False) -> None:
    """List the games with their bots and metrics."""
    found = [GameEntry.of(GAMES.get(name)) for name in GAMES.names()]
    if as_json:
        print_json({"games": found})
        return
    rows = [["game", "bots", "template", "metrics", "generates scenarios", "measures parsers"]]
    for each in found:
        told = ["yes" if said else "–" for said in (each.generates, each.measures)]
        bots, metrics = ", ".join(each.bots) or "–", str(len(each.metrics) or "–")
        rows.append([each.name, bots, each.starter or "–", metrics, *told])
    click.echo(table_text(rows))
    click.echo(
        "\nPlay one: palaver chat GAME --with BOT. Bots among themselves: palaver selfplay GAME "
        "--systems A B.\nA study of one: palaver init FOLDER --template TEMPLATE."
    )


@command.command("measure")
@click.argument("game")
@click.argument("files", type=IN_FILE, nargs=-1, required=True)
@click.option(
    "--from",
    "from_",
    metavar="FORMAT",
    help="What FILES are; see palaver convert --list. Default: recognised by what is in them.",
)
@JSON
def measure_game(game: str, files: tuple[Path, ...], from_: str | None, as_json: bool) -> None:
    """Say what the parsers of GAME make of the dialogues in FILES, which people held."""
    declared = GAMES.get(game)
    if not declared.measure:
        known = [name for name in GAMES.names() if GAMES.get(name).measure]
        told = f"These do: {', '.join(known)}." if known else "None here does."
        raise InputError(f"The game '{game}' has no parsers to measure. {told}")
    result = _measure(declared)(_dialogues(files, from_, game))
    if as_json:
        print_json(result)
    else:
        click.echo("\n".join(_lines(result)))


def _measure(game: Game) -> Measure:
    module, _, name = game.measure.partition(":")
    found: Measure = getattr(import_module(module), name)
    return found


def _dialogues(files: tuple[Path, ...], from_: str | None, game: str) -> Iterator[DialogueRecord]:
    """The dialogues of files, all of one game."""
    for file in files:
        form = recognised(file) if from_ is None else DIALOGUE_FILES.get(from_)
        if form.holds != "dialogues":
            raise InputError(f"{file}: '{form.name}' holds {form.holds}; expected dialogues.")
        if form.find is None:
            raise InputError(f"{file}: '{form.name}' is only {form.ways}; it cannot be read.")
        with file.open("rb") as stream:
            for record in records_of(form.find(stream, str(file), FilesBeside())):
                if record.scenario.game != game:
                    raise InputError(
                        f"{file}: the dialogue '{record.id}' is of the game "
                        f"'{record.scenario.game}'; expected '{game}'."
                    )
                yield record


def _lines(result: Measurement) -> Iterator[str]:
    yield f"{result.game}: {counted(result.dialogues, 'dialogue')}."
    rows = [["measure", with_interval("share"), "found", "of", "about"]]
    for each in result.measures:
        ends = each.interval
        low, high = (ends.low, ends.high) if ends is not None else (None, None)
        share = measured(each.share, low, high, write=percent)
        rows.append([each.name, share, f"{each.found:,}", f"{each.of:,}", each.about])
    yield table_text(rows)
    for table in result.tables:
        met = {name for row in table.counts.values() for name in row}
        # In the order of the rows, so that what agrees stands on the diagonal.
        columns = [name for name in table.counts if name in met]
        columns += sorted(met.difference(columns))
        yield f"\n{table.title} (rows: recorded, columns: parsed)"
        counts = [
            [name, *(f"{row.get(each, 0):,}" for each in columns)]
            for name, row in table.counts.items()
        ]
        yield table_text([["", *columns], *counts])
