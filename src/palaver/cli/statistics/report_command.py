"""`palaver report`: one page with every number of a study or table, and what each was made of."""

import shlex
import time
from pathlib import Path
from typing import Any

import click

from palaver.cli import options
from palaver.cli.options import HOME, OUT_FOLDER, OVERWRITE, STUDY_PATH, StudyOption, TableOption
from palaver.cli.sources import is_of_study
from palaver.core.errors import InputError
from palaver.formats.frames import Frame, read_frame
from palaver.reports.manifest import (
    ReportManifest,
    file_entry,
    is_report_manifest,
    read_report_manifest,
)
from palaver.reports.report import Subject, of_study, of_table, write_report
from palaver.reports.report.subject import LEVELS, ReportSettings
from palaver.reports.report.writer import Origin
from palaver.reports.target import is_study, opened_study

# The columns that arena files and Palaver's own tables use.
VOTE_WORDS = ("model_a", "model_b", "winner")
RATING_WORDS = ("unit", "rater", "value")
OTHER_WORDS = ("rater", "dialogue", "system", "seconds")


@click.command("report")
@STUDY_PATH
@options.output("The folder to write.", OUT_FOLDER, metavar="DIR", required=True)
@OVERWRITE
@options.study()
@HOME
@options.raters()
@options.SECTIONS
@click.option(
    "--question", "questions", multiple=True, metavar="NAME", help="Only this question; repeatable."
)
@click.option("--quality", metavar="NAME", help="The question that is overall quality.")
@click.option("--pay", type=float, metavar="X", help="Pay per hour, for costs in money.")
@options.bootstrap()
@options.seed()
@click.option(
    "--dialogues", cls=StudyOption, is_flag=True, help="A study: also write what was said."
)
@click.option(
    "--mask",
    cls=StudyOption,
    is_flag=True,
    help="Mask addresses, numbers and names in it; the page tells what was not looked for.",
)
@click.option(
    "--without-flagged",
    cls=StudyOption,
    is_flag=True,
    help="Leave out raters who are flagged: see palaver raters.",
)
@click.option("--title", metavar="TEXT", help="Title. Default: the study's, or the table's name.")
@options.column("a", "Votes: column of the first system. Default: model_a.")
@options.column("b", "Votes: column of the second system. Default: model_b.")
@options.column("winner", "Votes: column of the winner. Default: winner.")
@click.option(
    "--planned",
    cls=TableOption,
    type=int,
    metavar="N",
    help="Votes: provisional until there are N.",
)
@options.column("unit", "Ratings: column of what is judged. Default: unit.")
@options.column("value", "Ratings: column of the answer. Default: value.")
@click.option(
    "--level", cls=TableOption, type=click.Choice(LEVELS), help="Ratings: what the values are."
)
@options.column("by", "Column that distinguishes questions.")
@options.column("rater", "Column of raters. Default: rater, if there is one.")
@options.column("dialogue", "Column of dialogues. Default: dialogue, if any.")
@options.column("system", "Column of systems. Default: system, if any.")
@options.column("seconds", "Column of times. Default: seconds, if any.")
def command(path: Path, output: Path, overwrite: bool, **options: Any) -> None:
    """Write the report of PATH into a folder: index.html, tables, figures and labels.

    PATH is a study, a folder of studies, a home or a bundle; or a table (.csv, .tsv, .parquet,
    .jsonl, .json) of votes or of ratings; or the manifest.json of a report, which is then remade
    from what it was made from.
    """
    earlier = read_report_manifest(path) if is_report_manifest(path) else None
    if earlier is not None:
        path = Path(earlier.directory) / earlier.source
        options = earlier.options
        if options["home"] is not None:
            options["home"] = Path(earlier.directory) / options["home"]
        if not path.exists():
            raise InputError(f"The report was made from {path}, which is no longer there.")
    settings = ReportSettings(
        seed=options["seed"],
        resamples=options["bootstrap"],
        quality=options["quality"],
        pay=options["pay"],
    )
    written = write_report(
        # Nobody else holds the answers: the writer lets go of them when they are written down.
        _subject(path, options, remade=earlier is not None),
        output,
        settings=settings,
        origin=_origin(path, output, options),
        now=time.time(),
        overwrite=overwrite,
    )
    for line in written.report.headline.sentences:
        click.echo(line)
    click.echo(f"  {written.page}")
    if earlier is not None:
        _say_same(earlier, output)


def _subject(path: Path, options: dict[str, Any], *, remade: bool) -> Subject:
    # The options of a report that is made again were checked when it was made first.
    holds_study = is_study(path) if remade else is_of_study(path)
    if holds_study:
        home = options["home"]
        with opened_study(
            path, study=options["study"], home=None if home is None else Path(home)
        ) as opened:
            found = of_study(
                opened,
                raters=options["raters"],
                only=options["questions"],
                dialogues=options["dialogues"],
                mask=options["mask"],
                # Reports of earlier versions do not have these among their options.
                without_flagged=options.get("without_flagged", False),
                sections=options.get("sections", ()),
            )
    else:
        found = _table(read_frame(path), path, options)
    title = options["title"]
    return found if title is None else found.titled(title)


def _table(frame: Frame, path: Path, options: dict[str, Any]) -> Subject:
    extra = {
        name: options[name] or (name if name in frame.columns else None) for name in OTHER_WORDS
    }
    common: dict[str, Any] = {
        "title": path.stem,
        "by": options["by"],
        "only": options["questions"],
    }
    votes = [options[name] for name in ("a", "b", "winner")]
    ratings = [options[name] for name in RATING_WORDS]
    usual = all(name in frame.columns for name in VOTE_WORDS)
    if any(votes) or (usual and not options["level"]):
        names = [given or word for given, word in zip(votes, VOTE_WORDS, strict=True)]
        return of_table(frame, votes=names, columns=extra, planned=options["planned"], **common)
    if options["level"] is None:
        raise InputError(
            f"{frame.name} has no columns {', '.join(VOTE_WORDS)}, so it is read as ratings: use "
            f"--level to say what its values are ({', '.join(LEVELS)}), or name the columns of "
            f"votes with --a, --b and --winner. It has: {', '.join(frame.columns)}."
        )
    names = [given or word for given, word in zip(ratings, RATING_WORDS, strict=True)]
    return of_table(frame, ratings=names, level=options["level"], columns=extra, **common)


def _origin(path: Path, output: Path, options: dict[str, Any]) -> Origin:
    given = {name: value for name, value in options.items() if value not in (None, (), [], False)}
    words = ["palaver", "report", str(path), "-o", str(output)]
    for name, value in sorted(given.items()):
        if name in ("questions", "sections"):
            option = f"--{name.removesuffix('s')}"
            words += [word for each in value for word in (option, each)]
        elif value is True:
            words.append(f"--{name.replace('_', '-')}")
        elif name not in _DEFAULTS or _DEFAULTS[name] != value:
            words += [f"--{name}", str(value)]
    kept = {name: _plain(value) for name, value in sorted(options.items())}
    return Origin(shlex.join(words), str(Path.cwd()), str(path), kept)


_DEFAULTS = {"raters": "all", "bootstrap": 1000, "seed": 1}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _say_same(earlier: ReportManifest, output: Path) -> None:
    changed = [
        name
        for name, digest in earlier.inputs.items()
        if not (output / name).is_file() or file_entry(output / name).sha256 != digest
    ]
    new = read_report_manifest(output).inputs.keys() - earlier.inputs.keys()
    if changed or new:
        names = ", ".join(sorted({*changed, *new}))
        click.echo(f"Warning: the answers are not those of the earlier report: {names}.", err=True)
    else:
        click.echo("The answers are those of the earlier report.")
