"""`palaver convert`: dialogue files of one format into another."""

from dataclasses import replace
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE, JSON, OVERWRITE
from palaver.cli.output import print_json, table_text
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.words import counted, listed
from palaver.formats.cocoa.chat_state import HEADER
from palaver.formats.cocoa.examples import read_examples
from palaver.formats.cocoa.scenarios import scenarios_by_id
from palaver.formats.cocoa.schema import load_schema
from palaver.formats.conversion import STANDARD, Conversion, convert, parts_of
from palaver.formats.dialogue_files import DIALOGUE_FILES, FilesBeside
from palaver.formats.found_records import records_of
from palaver.formats.line_problems import MOST
from palaver.formats.masking import Masker
from palaver.formats.palaver import read_dialogues
from palaver.reports.masks import Masking

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
@click.option(
    "--surveys",
    type=IN_FILE,
    help="What was answered about the dialogues, for html-viewer: labels, cocoa-surveys or a db.",
)
@click.option("--title", metavar="TEXT", help="What html-viewer is called. Default: OUT.")
@click.option("--mask", is_flag=True, help="Replace personal details in what was said.")
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
    surveys: Path | None,
    title: str | None,
    mask: bool,
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
    masker = Masker() if mask else None
    beside = _beside(scenarios, schema, dialogues)
    result = convert(
        sources,
        out,
        reads=DIALOGUE_FILES.get(from_),
        writes=DIALOGUE_FILES.get(to),
        beside=replace(
            beside,
            labels=_labels(surveys) if surveys is not None else {},
            title=title or ("Dialogues" if out == STANDARD else out.stem),
        ),
        parts=parts_of(split) if split is not None else (),
        seed=seed,
        lenient=lenient,
        overwrite=overwrite,
        masker=masker,
    )
    if as_json:
        print_json(result)
        return
    click.echo(_summary(result), err=out == STANDARD)
    if masker is not None:
        masking = Masking.of(masker)
        click.echo(f"Masked: {masking.in_words()}.", err=out == STANDARD)
        click.echo("Not looked for, so read before you publish:", err=out == STANDARD)
        for kind in masking.not_looked_for:
            click.echo(f"  {kind}", err=out == STANDARD)


def _beside(scenarios: Path | None, schema: Path | None, dialogues: Path | None) -> FilesBeside:
    known = load_schema(schema) if schema is not None else None
    by_id = scenarios_by_id(scenarios, schema=known) if scenarios is not None else None
    held = _dialogues(dialogues) if dialogues is not None else None
    return FilesBeside(schema=known, scenarios=by_id, dialogues=held)


def _dialogues(path: Path) -> tuple[DialogueRecord, ...]:
    """The dialogues of a file; an array is CoCoA's, lines are ours."""
    with path.open("rb") as stream:
        is_array = stream.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
        stream.seek(0)
        read = read_examples if is_array else read_dialogues
        return tuple(read(stream, name=str(path)))


def _labels(path: Path) -> dict[str, list[LabelRecord]]:
    """The labels of a file by dialogue; it tells by its beginning what it is."""
    with path.open("rb") as stream:
        start = stream.read(1024)
        stream.seek(0)
        name = "labels"
        if start.startswith(HEADER):
            name = "cocoa-db-surveys"
        elif start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            name = "cocoa-surveys"
        find = DIALOGUE_FILES.get(name).find
        assert find is not None
        by_dialogue: dict[str, list[LabelRecord]] = {}
        for label in records_of(find(stream, str(path), FilesBeside())):
            by_dialogue.setdefault(label.dialogue or "", []).append(label)
    return by_dialogue


def _list_formats(*, as_json: bool) -> None:
    known = [DIALOGUE_FILES.get(name) for name in DIALOGUE_FILES.names()]
    if as_json:
        print_json(
            [{"name": e.name, "holds": e.holds, "ways": e.ways, "words": e.words} for e in known]
        )
        return
    rows = [["format", "holds", "is", "what it is"]]
    rows += [[e.name, e.holds, e.ways, e.words] for e in known]
    click.echo(table_text(rows))
    click.echo("\nDialogues also give their scenarios.")


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
