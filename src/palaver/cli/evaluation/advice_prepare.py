"""`palaver advice prepare`: a set of situations with advice, made from dumps."""

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
from palaver.cli.options import JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json, table_text
from palaver.formats.advice.dumps import check_dump
from palaver.formats.advice.rules import TRAINING_SUBREDDITS
from palaver.formats.advice.training_set import (
    FUNNEL_FILE,
    MOST_COMMENTS,
    SEED,
    SITUATIONS_FILE,
    SPLIT_SIZE,
    TrainingReport,
    TrainingSetPlan,
    make_training_set,
)
from palaver.formats.advice.workplace import check_output, place_folder, workplace


@click.command("prepare")
@DUMPS
@options.output("The folder to make.", OUT_FOLDER, metavar="DATA", required=True)
@OVERWRITE
@subreddits("Take this subreddit, instead of the 12 of RedditAdvice2019; repeatable.")
@click.option(
    "--test-size",
    type=click.IntRange(0),
    default=SPLIT_SIZE,
    show_default=True,
    metavar="N",
    help="Examples in the test split, the newest.",
)
@click.option(
    "--val-size",
    type=click.IntRange(0),
    default=SPLIT_SIZE,
    show_default=True,
    metavar="N",
    help="Examples in the validation split, the newest after those.",
)
@click.option(
    "--most-comments",
    type=click.IntRange(1),
    default=MOST_COMMENTS,
    show_default=True,
    metavar="N",
    help="Comments of a post in the training split.",
)
@options.seed("Shuffles the lines; the same seed gives the same order.", usual=SEED)
@click.option("--legacy", is_flag=True, help="With the faults of the first data set.")
@PARTIAL
@JSON
def command(
    dumps: tuple[Path, ...],
    output: Path,
    overwrite: bool,
    subreddits: tuple[str, ...],
    test_size: int,
    val_size: int,
    most_comments: int,
    seed: int,
    legacy: bool,
    partial: bool,
    as_json: bool,
) -> None:
    """Make a set of situations with advice from Reddit-style dumps.

    A DUMP has a post or a comment on each line, as JSON; it may be packed (.gz, .zst). Posts and
    comments may lie in one file or in several, in any order.
    """
    plan = TrainingSetPlan(
        subreddits=subreddits or TRAINING_SUBREDDITS,
        test_size=test_size,
        val_size=val_size,
        most_comments=most_comments,
        seed=seed,
        legacy=legacy,
        partial=partial,
    )
    check_output(output, overwrite=overwrite, mark=FUNNEL_FILE)
    for dump in dumps:
        check_dump(dump)
    with disk_trouble_told(), workplace(output) as place:
        made = place / "made"
        made.mkdir()
        scratch = place / "scratch"
        report = make_training_set(
            dumps, made, plan=plan, scratch=scratch, progress=line_progress()
        )
        write_record(made / FUNNEL_FILE, report)
        check_output(output, overwrite=overwrite, mark=FUNNEL_FILE)
        place_folder(made, output)
    if as_json:
        print_json(report)
    else:
        click.echo(_text(report, output))


def _text(report: TrainingReport, output: Path) -> str:
    rows = [("split", "situations", "examples")]
    rows += [
        (name, f"{size.situations:,}", f"{size.examples:,}") for name, size in report.splits.items()
    ]
    funnels = funnel_text(report.lines, report.posts, report.comments)
    return f"{funnels}\n\n{table_text(rows)}\n\nWritten to {output / SITUATIONS_FILE}"
