"""`palaver convert`: dialogue files of one format into another."""

from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, JSON, OVERWRITE
from palaver.cli.output import print_json, table_text
from palaver.core.records import DialogueRecord
from palaver.core.scenario import Scenario
from palaver.core.words import counted, listed
from palaver.formats.cocoa.examples import read_examples
from palaver.formats.cocoa.scenarios import read_scenarios
from palaver.formats.cocoa.schema import load_schema
from palaver.formats.conversion import STANDARD, Conversion, convert, parts_of
from palaver.formats.dialogue_files import DIALOGUE_FILES, FilesBeside
from palaver.formats.line_problems import MOST
from palaver.formats.palaver import read_dialogues

_IN = click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True)
_OUT = click.Path(path_type=Path, dir_okay=False, allow_dash=True)


@click.command("convert")
@click.argument("sources", type=_IN, nargs=-1, metavar="IN…")
@click.argument("out", type=_OUT, required=False, metavar="OUT")
@click.option("--from", "from_", metavar="FORMAT", help="What IN is; see --list.")
@click.option("--to", metavar="FORMAT", help="What OUT becomes; see --list.")
@click.option("--list", "listing", is_flag=True, help="List the formats and stop.")
@click.option(
    "--split",
    metavar="SHARES",
    help="Write parts drawn by chance, such as 0.8,0.1,0.1 or train=0.9,test=0.1.",
)
@options.seed("The same seed draws the same parts.")
@click.option("--lenient", is_flag=True, help="Leave out what is wrong; say what.")
@click.option(
    "--scenarios", type=IN_FILE, help="CoCoA's scenarios, for examples without their own."
)
@click.option("--schema", type=IN_FILE, help="CoCoA's schema, which scenarios are held against.")
@click.option("--dialogues", type=IN_FILE, help="Who sat where, for surveys: palaver or cocoa.")
@OVERWRITE
@JSON
def command(
    sources: tuple[Path, ...],
    out: Path | None,
    from_: str | None,
    to: str | None,
    listing: bool,
    split: str | None,
    seed: int,
    lenient: bool,
    scenarios: Path | None,
    schema: Path | None,
    dialogues: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Read the files IN, merge them and write OUT in another format.

    IN and OUT are single files; "-" is standard input or output. OUT appears complete or not at all.
    """
    if listing:
        _list_formats(as_json=as_json)
        return
    if out is None or not sources or from_ is None or to is None:
        raise click.UsageError("Give IN and OUT, --from and --to; --list names the formats.")
    if as_json and out == STANDARD:
        raise click.UsageError("With --json, standard output is taken: name a file for OUT.")
    result = convert(
        sources,
        out,
        reads=DIALOGUE_FILES.get(from_),
        writes=DIALOGUE_FILES.get(to),
        beside=_beside(scenarios, schema, dialogues),
        parts=parts_of(split) if split is not None else (),
        seed=seed,
        lenient=lenient,
        overwrite=overwrite,
    )
    if as_json:
        print_json(result)
    else:
        click.echo(_summary(result), err=out == STANDARD)


def _beside(scenarios: Path | None, schema: Path | None, dialogues: Path | None) -> FilesBeside:
    known = load_schema(schema) if schema is not None else None
    by_id: dict[str, Scenario] | None = None
    if scenarios is not None:
        with scenarios.open("rb") as stream:
            read = read_scenarios(stream, name=str(scenarios), schema=known)
            by_id = {scenario.id: scenario for scenario in read}
    held = _dialogues(dialogues) if dialogues is not None else None
    return FilesBeside(schema=known, scenarios=by_id, dialogues=held)


def _dialogues(path: Path) -> tuple[DialogueRecord, ...]:
    """The dialogues of a file; an array is CoCoA's, lines are ours."""
    with path.open("rb") as stream:
        is_array = stream.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
        stream.seek(0)
        read = read_examples if is_array else read_dialogues
        return tuple(read(stream, name=str(path)))


def _list_formats(*, as_json: bool) -> None:
    known = [DIALOGUE_FILES.get(name) for name in DIALOGUE_FILES.names()]
    if as_json:
        print_json([{"name": e.name, "holds": e.holds, "words": e.words} for e in known])
        return
    rows = [["format", "holds", "what it is"], *([e.name, e.holds, e.words] for e in known)]
    click.echo(table_text(rows))
    click.echo("\nEach is read and written. Dialogues also give their scenarios.")


def _summary(result: Conversion) -> str:
    games = [f"{game}: {count:,}" for game, count in sorted(result.games.items())]
    told = f" ({listed(games)})" if games else ""
    noun = result.holds.removesuffix("s")
    lines = [f"Converted {counted(result.records, noun)}{told}."]
    lines += [f"  {file.file}: {counted(file.records, noun)}" for file in result.files]
    for why, count in result.left_out.items():
        lines.append(f"  left out, {why}: {count:,}")
    for heading, places in (
        ("there twice and written once", result.duplicates),
        ("wrong and left out", result.mistakes),
    ):
        if places:
            lines.append(f"  {heading}: {len(places):,}")
            lines += [f"    {place}" for place in places[:MOST]]
            lines += [f"    … and {len(places) - MOST:,} more"] if len(places) > MOST else []
    return "\n".join(lines)
