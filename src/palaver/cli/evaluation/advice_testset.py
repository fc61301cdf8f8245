"""`palaver advice testset`: new situations with the best advice of people, made from dumps."""

from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.evaluation.dump_words import (
    DUMPS,
    PARTIAL,
    disk_trouble_told,
    funnel_text,
    line_progress,
    subreddits,
    write_record,
)
from palaver.cli.options import IN_FILE, JSON, OUT_FILE, OVERWRITE
from palaver.cli.output import print_json, table_text
from palaver.core.deadlines import read_moment, written_moment
from palaver.core.words import counted
from palaver.formats.advice.dumps import check_dump
from palaver.formats.advice.notices import read_notice_words
from palaver.formats.advice.rules import TEST_SUBREDDITS
from palaver.formats.advice.test_set import KEPT, TestSetPlan, TestSetReport, make_test_set
from palaver.formats.advice.training_set import SEED
from palaver.formats.advice.workplace import check_output, place_file, workplace


def _moment(context: click.Context, option: click.Parameter, text: str | None) -> float | None:
    """A time with its zone, or seconds since 1970 as dumps have them."""
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return read_moment(text)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx=context, param=option) from error


@click.command("testset")
@DUMPS
@options.output("The file to write.", OUT_FILE, metavar="FILE", required=True)
@OVERWRITE
@click.option(
    "--at",
    callback=_moment,
    metavar="TIME",
    help="When it is taken, such as 2026-02-14 12:00 UTC. Default: at the newest post.",
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    default=KEPT,
    show_default=True,
    metavar="N",
    help="How many situations are drawn.",
)
@subreddits("Take this subreddit, instead of the 11 of the first challenge; repeatable.")
@click.option(
    "--notice-words",
    type=IN_FILE,
    metavar="FILE",
    help="Words that call for a notice: WORD or WORD: NOTICE on each line.",
)
@options.seed("Draws and shuffles; the same seed gives the same set.", usual=SEED)
@click.option("--legacy", is_flag=True, help="Keep advice with links, as the first test set did.")
@PARTIAL
@JSON
def command(
    dumps: tuple[Path, ...],
    output: Path,
    overwrite: bool,
    at: float | None,
    keep: int,
    subreddits: tuple[str, ...],
    notice_words: Path | None,
    seed: int,
    legacy: bool,
    partial: bool,
    as_json: bool,
) -> None:
    """Make a test set of new situations from Reddit-style dumps.

    A DUMP has a post or a comment on each line, as JSON; it may be packed (.gz, .zst). Each situation
    has the best advice of people first, and the next best where there is one.
    """
    chosen = subreddits or TEST_SUBREDDITS
    plan = TestSetPlan(
        subreddits=chosen, at=at, keep=keep, seed=seed, legacy=legacy, partial=partial
    )
    record = output.with_name(f"{output.stem}.funnel.json")
    for path in (output, record):
        check_output(path, overwrite=overwrite)
    for dump in dumps:
        check_dump(dump)
    notices = None if notice_words is None else read_notice_words(notice_words)
    with disk_trouble_told(), workplace(output) as place:
        made, scratch = place / "made", place / "scratch"
        scratch.mkdir()
        report = make_test_set(
            dumps, made, plan=plan, scratch=scratch, notices=notices, progress=line_progress()
        )
        write_record(place / "record", report)
        check_output(output, overwrite=overwrite)
        place_file(place / "record", record)
        place_file(made, output)
    if as_json:
        print_json(report)
    else:
        click.echo(_text(report, output))


def _text(report: TestSetReport, output: Path) -> str:
    rows = [("topic", "situations")]
    rows += [(topic, f"{count:,}") for topic, count in report.topics.items()]
    lines = [
        funnel_text(report.lines, report.posts, report.comments),
        "",
        table_text(rows),
        "",
        f"Taken at {written_moment(report.plan.at or 0)}; "
        f"{counted(report.with_second, 'situation')} with a second piece of advice.",
    ]
    if report.posts.left < report.plan.keep:
        lines.append(f"Asked for {report.plan.keep:,}, found {report.posts.left:,}.")
    return "\n".join([*lines, f"Written to {output}"])
