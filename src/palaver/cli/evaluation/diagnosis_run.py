"""What `palaver model diagnose` does once PyTorch is known to be there."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from palaver.cli.output import print_json, prose_width, sheet_lines, table_text, with_interval
from palaver.core.errors import InputError
from palaver.core.words import shortened
from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.diagnosis.page import diagnosis_page
from palaver.models.diagnosis.record import (
    Diagnosis,
    DiagnosisRequest,
    FigureTable,
    GraphPicture,
    JudgedSample,
    SampleSet,
    ShadedWord,
    WordPicture,
    diagnose,
)
from palaver.models.training.processes import chosen_device

# A turn is shortened to a line of a terminal; the page has all of it.
_TURN = 90


def run(
    checkpoint: Path,
    against: Path | None,
    output: Path | None,
    *,
    device: str,
    as_json: bool,
    **more: Any,
) -> None:
    """Diagnose a checkpoint, print what was found, and write the page where one is wanted."""
    # It may take minutes: where the page cannot be written is said before.
    if output is not None and not output.parent.is_dir():
        raise InputError(f"{output} cannot be written: there is no folder {output.parent}.")
    request = DiagnosisRequest(
        checkpoint=open_checkpoint(checkpoint),
        device=chosen_device(device),
        against=open_checkpoint(against) if against is not None else None,
        **more,
    )
    found = diagnose(request)
    if output is not None:
        _write(output, diagnosis_page(found))
    if as_json:
        print_json(found)
        return
    click.echo(_printable("\n\n".join(_parts(found))))
    if output is not None:
        click.echo(f"\nWritten to {output}")


def _write(output: Path, page: str) -> None:
    try:
        output.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror}.") from error


def _parts(found: Diagnosis) -> Iterator[str]:
    yield f"{found.name}: {found.headline}"
    for table in found.tables:
        yield "\n".join(_table(table))
    for picture in found.pictures:
        yield "\n".join(_picture(picture))
    for graph in found.graphs:
        yield from _graph(graph)
    for samples in found.samples:
        yield from _samples(samples)
    for sample in found.judged:
        yield "\n".join(_judged(sample, has_people=found.has_people))
    if found.notes:
        yield "\n".join(map(_prose, found.notes))


def _table(table: FigureTable) -> Iterator[str]:
    """A line per figure, because tables of self-play have more columns than a terminal."""
    known = list(table.known_columns())
    heads = [*(row.title for row in table.rows), *(row.title for row in table.published)]
    has_intervals = any(each.low is not None for _, each in known)
    rows = [(with_interval("measure") if has_intervals else "measure", *heads)]
    for column, _ in known:
        own = [
            column.text(row.figures[column.name]) if column.name in row.figures else "–"
            for row in table.rows
        ]
        others = [
            column.text_of(row.values[column.name]) if column.name in row.values else "–"
            for row in table.published
        ]
        rows.append((column.heading, *own, *others))
    yield _prose(f"{table.title}. {table.caption}")
    yield table_text(rows, indent="  ")
    if table.source:
        yield _prose(table.source, indent="  ")
    counted = {
        column.heading: f"{each.about} (n = {each.n:,} {each.unit})" for column, each in known
    }
    if len(set(counted.values())) == 1:
        yield f"  What is counted: {next(iter(counted.values()))}"
        return
    yield "  What is counted:"
    yield from sheet_lines(counted, indent="    ")


def _picture(picture: WordPicture) -> Iterator[str]:
    yield _prose(f"{picture.title}. {picture.caption} In brackets: the words that count most.")
    for line in picture.lines:
        joint = " " if picture.is_share else ", "
        yield f"  {_word(picture, line.head)} {joint.join(_word(picture, w) for w in line.words)}"


def _word(picture: WordPicture, word: ShadedWord) -> str:
    return f"[{word.word} {picture.weight(word)}]" if word.is_told else word.word


def _graph(graph: GraphPicture) -> Iterator[str]:
    yield _prose(f"{graph.title}. {graph.caption}")
    for turn in graph.turns:
        lines = [("heard", turn.heard), ("said", turn.said), ("looks at", turn.told(graph))]
        told = [_prose(f"{name}: {text}", indent="    ") for name, text in lines if text]
        yield "\n".join([f"  {turn.title}", *told])


def _samples(samples: SampleSet) -> Iterator[str]:
    yield f"{samples.title}."
    for pair in samples.pairs:
        lines = [f"  {pair.about}", f"  {samples.ours}:", *(f"    {line}" for line in pair.ours)]
        if pair.theirs:
            lines += [f"  {samples.theirs}:", *(f"    {line}" for line in pair.theirs)]
        yield "\n".join(lines)


def _judged(sample: JudgedSample, *, has_people: bool) -> Iterator[str]:
    title = " ".join(sample.title.split())
    yield f"{title}: what it says{' (what annotators said)' if has_people else ''}"
    for part in sample.parts:
        shares = "; ".join(f"{each.label} {each.text()}" for each in part.shares)
        # A turn may have several lines, which would read as parts of their own.
        said = " ".join(f"{part.name} {part.text}".split())
        yield f"  {shortened(said, _TURN)}"
        yield f"    {shares}"


def _printable(text: str) -> str:
    """A text without what people may have written that would steer a terminal."""
    return "".join(each if each.isprintable() or each == "\n" else " " for each in text)


def _prose(text: str, indent: str = "") -> str:
    return textwrap.fill(text, prose_width(), initial_indent=indent, subsequent_indent=indent)
