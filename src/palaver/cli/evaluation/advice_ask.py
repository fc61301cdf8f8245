"""`palaver advice ask`: put situations to models, and keep what they advise."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, IN_PATH, JSON, OUT_FOLDER
from palaver.cli.output import log_to_stderr, print_json, table_text
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.words import counted, shortened
from palaver.evaluation.home import open_evaluation
from palaver.formats.advice.situations import read_situations
from palaver.studies.advice.asking import AskedModel, ask_models
from palaver.studies.advice.models_file import ModelEntry, read_models_file
from palaver.studies.advice.rounds import set_name
from palaver.studies.home import find_home
from palaver.studies.stages.parts import parse_duration

ANSWERS = "answers"
# How many reasons of a model are told, and how many situations of each are named.
MOST_REASONS = 3
MOST_NAMED = 5
MOST_LINE = 240
MOST_REASON = 480


def _seconds(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """A time such as '90 s', '30 min' or '12 h' in seconds."""
    if value is None:
        return None
    try:
        return parse_duration(float(value) if value.isdecimal() else value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command("ask")
@click.argument("situations", type=IN_PATH)
@click.option(
    "--models",
    "models_path",
    type=IN_PATH,
    metavar="FILE",
    help="The models: models.yaml. Default: the one beside the situations.",
)
@options.output("The folder of answers. Default: answers/ beside the models.", OUT_FOLDER)
@click.option(
    "--only", multiple=True, metavar="NAME", help="Ask this model; may be given several times."
)
@click.option(
    "--timeout",
    callback=_seconds,
    metavar="TIME",
    help="How long one call may take, as 90s, 30min or 12h. Default: what models.yaml says.",
)
@click.option(
    "--chunk",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="How many situations one call takes, of models that take several. Default: 200.",
)
@JSON
@HOME
def command(
    situations: Path,
    models_path: Path | None,
    output: Path | None,
    only: tuple[str, ...],
    timeout: float | None,
    chunk: int | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """Ask models for advice on the situations of a file.

    All models are asked side by side. What they answered is kept: stopped with Ctrl-C or otherwise,
    the same command goes on where it ended.
    """
    log_to_stderr(verbose=False)
    listed = models_path or situations.parent / "models.yaml"
    models = _chosen(read_models_file(listed), only)
    asked = list(read_situations(situations))
    into = output or (listed if listed.is_dir() else listed.parent) / ANSWERS
    where = find_home(situations.parent, home)

    def echo(line: str) -> None:
        click.echo(shortened(line, MOST_LINE), err=True)

    echo(f"{counted(len(asked), 'situation')}, {counted(len(models), 'model')}.")
    with open_evaluation(where.folder, where.database_url) as opened:
        try:
            found = ask_models(
                opened,
                asked,
                models,
                into=into,
                name=set_name(situations),
                timeout=timeout,
                chunk=chunk,
                echo=echo,
            )
        except KeyboardInterrupt:
            echo("\nStopped. What was answered is kept; the same command goes on from here.")
            sys.exit(130)
    if as_json:
        print_json(found)
    else:
        click.echo(_text(found, into))
    if any(not each.answered for each in found):
        sys.exit(1)


def _chosen(models: Mapping[str, ModelEntry], only: Sequence[str]) -> Mapping[str, ModelEntry]:
    for name in only:
        if name not in models:
            hint = near(name, models) or f" Known: {', '.join(models)}."
            raise InputError(f"models.yaml has no model '{name}' (--only).{hint}")
    return {name: models[name] for name in models if name in only} if only else models


def _text(found: Sequence[AskedModel], into: Path) -> str:
    rows = [("model", "answered", "empty", "failed", "seconds"), *map(_row, found)]
    lines = [table_text(rows)]
    for each in found:
        lines += _reasons(each)
    lines.append(f"\nAnswers: {into}")
    if any(not each.is_complete for each in found):
        lines.append("What is missing is asked when the same command is given again.")
    return "\n".join(lines)


def _row(each: AskedModel) -> tuple[str, ...]:
    answered = f"{each.answered:,} of {each.asked:,}"
    seconds = f"{each.seconds:,.1f}"
    return each.model, answered, f"{len(each.empty):,}", f"{len(each.failed):,}", seconds


def _reasons(each: AskedModel) -> Iterator[str]:
    """Why situations have no answer, the commonest reason first."""
    if each.empty:
        yield f"\n{each.model}: an empty text for {_named(each.empty)}"
    if not each.failed:
        return
    yield f"\n{each.model}: no answer to {counted(len(each.failed), 'situation')}"
    reasons = Counter(each.failed.values()).most_common()
    for reason, number in reasons[:MOST_REASONS]:
        ids = [id for id, why in each.failed.items() if why == reason]
        named = f"{_named(ids)}: " if number < len(each.failed) or number <= MOST_NAMED else ""
        yield f"  {named}{shortened(reason, MOST_REASON)}"
    if len(reasons) > MOST_REASONS:
        yield f"  and {counted(len(reasons) - MOST_REASONS, 'other reason')}; --json tells all of them"


def _named(ids: Sequence[str]) -> str:
    more = len(ids) - MOST_NAMED
    return ", ".join(ids[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
