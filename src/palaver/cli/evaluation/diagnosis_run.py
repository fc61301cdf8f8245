"""What `palaver model diagnose` does once PyTorch is known to be there."""

from pathlib import Path
from typing import Any

import click

from palaver.cli.output import print_json, table_text
from palaver.models.checkpoints.folder import open_checkpoint
from palaver.models.diagnosis.page import diagnosis_page
from palaver.models.diagnosis.record import (
    AttentionPicture,
    Diagnosis,
    DiagnosisRequest,
    FigureTable,
    diagnose,
)
from palaver.models.training.card import interval_text
from palaver.models.training.processes import chosen_device

# How strong the attention to a word must be, as a share of the strongest, to be told in a terminal.
_TOLD = 0.3


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
    request = DiagnosisRequest(
        checkpoint=open_checkpoint(checkpoint),
        device=chosen_device(device),
        against=open_checkpoint(against) if against is not None else None,
        **more,
    )
    found = diagnose(request)
    if output is not None:
        output.write_text(diagnosis_page(found), encoding="utf-8")
    if as_json:
        print_json(found)
        return
    click.echo(_text(found))
    if output is not None:
        click.echo(f"\nWritten to {output}")


def _text(found: Diagnosis) -> str:
    parts = [f"{found.name}: {found.headline}"]
    parts += [_table(table) for table in found.tables]
    parts += [_picture(picture) for picture in found.pictures]
    for samples in found.samples:
        for pair in samples.pairs[:2]:
            parts.append("\n".join([f"{samples.ours}:", *(f"  {line}" for line in pair.ours)]))
            if pair.theirs:
                parts.append(
                    "\n".join([f"{samples.theirs}:", *(f"  {line}" for line in pair.theirs)])
                )
    return "\n\n".join([*parts, *found.notes])


def _table(table: FigureTable) -> str:
    """A row per figure: tables of self-play have more columns than a terminal."""
    heads = [row.title for row in table.rows]
    rows = [("", *heads, *(title for title, _ in table.published))]
    for name, heading in table.columns:
        cells = [
            interval_text(row.figures[name]) if name in row.figures else "–" for row in table.rows
        ]
        rows.append((heading, *cells, *(cells_.get(name, "–") for _, cells_ in table.published)))
    told = [f"{table.title}. {table.caption}", table_text(rows, indent="  ")]
    counted = [
        f"  {heading}: {figure.about}"
        for name, heading in table.columns
        if (figure := next(r.figures[name] for r in table.rows if name in r.figures)).about
    ]
    return "\n".join([*told, *counted, *([f"  {table.source}"] if table.source else [])])


def _picture(picture: AttentionPicture) -> str:
    lines = [picture.title]
    for speaker, words in picture.lines:
        told = " ".join(f"[{w.word}]" if w.strength >= _TOLD else w.word for w in words)
        lines.append(f"  {speaker} {told}")
    return "\n".join([*lines, "  In brackets: the words it looks at most."])
