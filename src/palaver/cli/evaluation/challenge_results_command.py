"""`palaver challenge close`, `publish`, `results` and `runs`: what becomes of a challenge."""

import sys
import time
from pathlib import Path

import click

from palaver.analysis.tukey import TRIALS
from palaver.cli import options
from palaver.cli.evaluation.home import at_home, existing
from palaver.cli.options import HOME, JSON, OUT_FOLDER, OVERWRITE
from palaver.cli.output import print_json
from palaver.core.audit import COMMAND
from palaver.core.deadlines import in_both_zones
from palaver.core.evaluation.challenge_results import ChallengeResults
from palaver.core.words import counted
from palaver.evaluation.challenges import closing, stored
from palaver.reports.challenge_results import close_and_write, write_kept_results

NAME = click.argument("name")


@click.command("close")
@NAME
@click.option("--publish", is_flag=True, help="Show the results to whoever may see the challenge.")
@click.option("--early", is_flag=True, help="Close it although a phase still takes entries.")
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=TRIALS,
    show_default=True,
    help="Trials of the randomised Tukey HSD test.",
)
@options.seed()
@HOME
@JSON
def close_command(
    name: str,
    publish: bool,
    early: bool,
    trials: int,
    seed: int,
    home: Path | None,
    as_json: bool,
) -> None:
    """Freeze the challenge NAME and compute its final tables, once and for all.

    After that nothing can be handed in, withdrawn, chosen or changed. A challenge is closed whole or
    not at all.
    """
    now = time.time()
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: stored.find_challenge(c, name))
        if not (early or row.frozen):
            closing.check_over(row, now=now)
    with (
        existing(home) as opened,
        click.progressbar(length=100, label="Comparing", file=sys.stderr) as bar,
    ):

        def progress(done: int, total: int) -> None:
            bar.update(int(100 * done / max(1, total)) - bar.pos)

        found = close_and_write(
            opened,
            row,
            by=COMMAND,
            now=now,
            publish=publish,
            trials=trials,
            seed=seed,
            progress=progress,
        )
    if as_json:
        print_json(found)
        return
    click.echo(_text(found))
    if publish:
        click.echo("The results are published, and the teams are told.")
    else:
        click.echo("Nobody else sees them yet. Next:\n")
        click.echo("  " + at_home(f"palaver challenge publish {name}"))


@click.command("publish")
@NAME
@HOME
@JSON
def publish_command(name: str, home: Path | None, as_json: bool) -> None:
    """Show the results of the closed challenge NAME to whoever may see it, and tell its teams."""
    now = time.time()
    with existing(home) as opened:
        row = opened.store.write_now(
            lambda c: closing.publish_results(
                c, stored.find_challenge(c, name), by=COMMAND, now=now
            )
        )
    if as_json:
        print_json(row)
    else:
        since = in_both_zones(row.published or now)
        click.echo(f"The results of '{name}' are published since {since}.")


@click.command("results")
@NAME
@options.output("Write the page and all tables into this folder.", OUT_FOLDER, metavar="FOLDER")
@OVERWRITE
@HOME
@JSON
def results_command(
    name: str, output: Path | None, overwrite: bool, home: Path | None, as_json: bool
) -> None:
    """Show the results of the closed challenge NAME, or write them as they were kept."""
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: stored.find_challenge(c, name))
        found = closing.challenge_results(opened, row)
        page = output and write_kept_results(opened, row, output, overwrite=overwrite)
    if as_json:
        print_json(found)
    else:
        click.echo(_text(found))
    if page is not None:
        click.echo(f"Wrote {page}", err=as_json)


@click.command("runs")
@NAME
@options.output("The folder to write to.", OUT_FOLDER, metavar="FOLDER", required=True)
@click.option("--track", default=None, metavar="TRACK", help="Only the runs of one track.")
@HOME
@JSON
def runs_command(
    name: str, output: Path, track: str | None, home: Path | None, as_json: bool
) -> None:
    """Write the runs that count in the challenge NAME as TEAM/runN/FILE, with teams.yaml."""
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: stored.find_challenge(c, name))
        written = closing.write_runs(opened, row, output, track=track)
    if as_json:
        print_json({"challenge": name, "folder": str(output), "files": written})
    else:
        click.echo(f"Wrote {counted(len(written), 'file')} to {output}")


def _text(found: ChallengeResults) -> str:
    lines = [f"{found.title}: closed on {in_both_zones(found.closed)}", ""]
    for track in found.tracks:
        lines.append(f"{track.title}: {counted(len(track.runs), 'run')}, {track.items:,} items")
        lines += [f"  {each.title}: {track.answers[each.name]}." for each in track.measures]
        lines += [f"  Not on the board: {run}. {why}" for run, why in track.left_out.items()]
        lines.append("")
    return "\n".join(lines)


COMMANDS = (close_command, publish_command, results_command, runs_command)
