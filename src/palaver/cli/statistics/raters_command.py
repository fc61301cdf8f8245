"""`palaver raters`: who judged in a study, how they worked, and whose work stands out."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, JSON, STUDY_PATH
from palaver.cli.output import print_json, table_lines
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.core.names import rater_title
from palaver.core.words import counted, percent
from palaver.reports.target import opened_study
from palaver.studies.review.raters import RaterList, RaterOverview

NOTE = "A flag leaves nobody out: read their answers, then decide at the desk."


@click.command("raters")
@STUDY_PATH
@click.option("--flagged", is_flag=True, help="Only those with a flag.")
@options.study()
@options.raters()
@HOME
@JSON
def command(
    path: Path, flagged: bool, study: str | None, raters: str, home: Path | None, as_json: bool
) -> None:
    """List who judged in the study at PATH: how much, how fast, and how much like the others.

    Raters who are too fast, repeat one answer or paste texts are flagged, with the evidence.
    PATH is a study, a folder of studies, a home or a bundle.
    """
    if not is_of_study(path):
        raise InputError(f"Raters are those of a study; {path} is a table.")
    with opened_study(path, study=study, home=home) as opened:
        found = opened.raters(raters=raters)
    listed = [each for each in found.raters if each.flags or not flagged]
    if as_json:
        print_json(RaterList(listed))
        return
    click.echo(_heading(found.raters))
    for line in _lines(listed):
        click.echo(line)


def _heading(raters: Sequence[RaterOverview]) -> str:
    flagged = sum(bool(each.flags) for each in raters)
    out = sum(each.excluded for each in raters)
    left = f", {out:,} left out" if out else ""
    return f"{counted(len(raters), 'rater')}, {flagged or 'none'} flagged{left}."


def _lines(raters: Sequence[RaterOverview]) -> Iterator[str]:
    if not raters:
        return
    yield ""
    # A model has one name, somebody who took part a short one beside the key.
    keyed = any(each.rater != each.rater_name for each in raters)
    rows = [
        [
            "rater",
            *(["key"] if keyed else []),
            "kind",
            "answers",
            "s per answer",
            "like most",
            "flags",
        ]
    ]
    rows += [
        [
            each.rater_name,
            *([each.rater] if keyed else []),
            each.kind,
            f"{each.labels:,}",
            "–" if each.seconds_per_label is None else f"{each.seconds_per_label:.1f}",
            "–" if each.share is None else percent(each.share),
            ", ".join(flag.name for flag in each.flags) or ("left out" if each.excluded else ""),
        ]
        for each in raters
    ]
    yield from table_lines(rows, whole=(0, 1, len(rows[0]) - 1))
    flagged = [each for each in raters if each.flags]
    for each in flagged:
        yield ""
        left_out = " (left out)" if each.excluded else ""
        yield f"{rater_title(each.rater_name, each.rater)}{left_out}"
        yield from (f"  {flag.name}: {flag.evidence}" for flag in each.flags)
    if flagged:
        yield ""
        yield NOTE
