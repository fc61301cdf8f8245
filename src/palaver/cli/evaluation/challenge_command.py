"""`palaver challenge`: hold a challenge from its file to its entries."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Connection

from palaver.cli import options
from palaver.cli.evaluation.challenge_announce import announce_command
from palaver.cli.evaluation.challenge_results_command import COMMANDS as RESULT_COMMANDS
from palaver.cli.evaluation.challenge_words import entry_rows, schedule_rows, team_rows
from palaver.cli.evaluation.endpoint_options import GivenEndpoint, takes_endpoint
from palaver.cli.evaluation.home import at_home, existing, opened_home
from palaver.cli.options import HOME, IN_FILE, JSON, OUT_FOLDER
from palaver.cli.output import print_json, sheet_lines, table_text
from palaver.core.audit import COMMAND
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.submissions import TeamToken
from palaver.core.words import counted, listed
from palaver.evaluation.challenges import entries, stored, teams
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.endpoint_entries import submit_endpoint
from palaver.evaluation.challenges.starter_files import FILE, write_starter
from palaver.studies.home import find_home

NAME = click.argument("name")
TEAM = click.argument("team")


@click.group("challenge")
def command() -> None:
    """Hold a challenge: tracks, phases, teams and what they hand in."""


for result_command in RESULT_COMMANDS:
    command.add_command(result_command)
command.add_command(announce_command)


@command.command("init")
@NAME
@options.output("The folder to write to. Default: NAME, here.", OUT_FOLDER, metavar="FOLDER")
@click.option("--task", default="nli", metavar="TASK", help="The task of its first track.")
def init_command(name: str, output: Path | None, task: str) -> None:
    """Write a commented challenge called NAME, with pages to fill in."""
    folder = output or Path(name)
    for place in write_starter(name, folder, task=task, now=time.time()):
        click.echo(f"wrote {place}")
    click.echo("\nNext: edit them, add the data sets that the tracks name, then\n")
    click.echo(f"  palaver challenge add {folder / FILE}")


@command.command("add")
@click.argument("file", type=IN_FILE)
@HOME
@JSON
def add_command(file: Path, home: Path | None, as_json: bool) -> None:
    """Check the challenge file FILE and store it, or what has changed in it.

    With entries there, texts, later deadlines, new tracks and new phases may change.
    """
    with opened_home(home) as opened:
        added = stored.add_challenge(opened, file, by=COMMAND, now=time.time())
    if as_json:
        print_json(added)
        return
    where = find_home(None, home).describe()
    words = {
        "new": f"The challenge '{added.name}' is stored in {where}; it is not public yet.",
        "same": f"The challenge '{added.name}' is already stored in {where}, unchanged.",
        "changed": f"The challenge '{added.name}' in {where} has changed: {listed(added.changed)}.",
    }
    click.echo(words[added.state])
    if not added.public:
        click.echo("Next:\n\n  " + at_home(f"palaver challenge set {added.name} --public"))


@command.command("list")
@HOME
@JSON
def list_command(home: Path | None, as_json: bool) -> None:
    """List the challenges that are stored."""
    now = time.time()
    with existing(home) as opened:
        found = opened.store.read_now(stored.list_challenges)
    if as_json:
        print_json({"challenges": found})
    elif not found:
        click.echo("No challenges yet. Start one: palaver challenge init NAME")
    else:
        head = ("challenge", "state", "now", "title")
        click.echo(table_text([head, *(_listed(row, now) for row in found)]))


@command.command("show")
@NAME
@HOME
@JSON
def show_command(name: str, home: Path | None, as_json: bool) -> None:
    """Show the challenge NAME: its schedule in UTC and anywhere on earth, tracks, teams, entries."""
    now = time.time()

    with existing(home) as opened:

        def read(c: Connection) -> tuple[StoredChallenge, list[ChallengeTeam], list[Entry]]:
            row = stored.find_challenge(c, name)
            handed_in = entries.list_entries(c, row, now=now, audience="organisers", home=opened)
            return row, teams.list_teams(c, row), handed_in

        row, known, handed_in = opened.store.read_now(read)
    states: dict[str, int] = dict(Counter(team.state for team in known))
    if as_json:
        print_json(
            {
                "challenge": stored_definition(row),
                "public": row.public,
                "frozen": row.frozen,
                "teams": states,
                "entries": dict(Counter(entry.phase for entry in handed_in)),
            }
        )
        return
    for line in _sheet(row, states, handed_in, now):
        click.echo(line)


@command.command("set")
@NAME
@click.option(
    "--public/--private",
    required=True,
    help="Whether readers without an account see its pages and may register.",
)
@HOME
@JSON
def set_command(name: str, public: bool, home: Path | None, as_json: bool) -> None:
    """Decide who sees the pages of the challenge NAME; teams with a token see them always."""
    row = _write(
        home,
        lambda c, now: stored.set_challenge(
            c, stored.find_challenge(c, name), public=public, by=COMMAND, now=now
        ),
    )
    if as_json:
        print_json(row)
    else:
        seen = "everybody" if row.public else "its teams and you"
        click.echo(f"The challenge '{row.name}' is seen by {seen}.")


@command.command("teams")
@NAME
@HOME
@JSON
def teams_command(name: str, home: Path | None, as_json: bool) -> None:
    """List the teams of the challenge NAME, oldest first."""
    with existing(home) as opened:
        found = opened.store.read_now(lambda c: teams.list_teams(c, stored.find_challenge(c, name)))
    if as_json:
        print_json({"challenge": name, "teams": found})
    elif not found:
        click.echo("No teams yet. Add one: " + at_home(f"palaver challenge add-team {name} TEAM"))
    else:
        click.echo(table_text(team_rows(found)))


@command.command("add-team")
@NAME
@TEAM
@click.option("--contact", default="", metavar="ADDRESS", help="Where letters to it are sent.")
@click.option("--affiliation", default="", help="Where the team works.")
@click.option("--link", default="", metavar="URL", help="An address with more about it.")
@click.option("--member", "members", multiple=True, help="Who belongs to it; several times.")
@click.option("--baseline", is_flag=True, help="Mark what it hands in as your baselines.")
@HOME
@JSON
def add_team_command(
    name: str,
    team: str,
    contact: str,
    affiliation: str,
    link: str,
    members: tuple[str, ...],
    baseline: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Add TEAM to the challenge NAME, approved at once. Its token is printed once."""
    made = _write(
        home,
        lambda c, now: teams.add_team(
            c,
            stored.find_challenge(c, name),
            team=team,
            contact=contact,
            affiliation=affiliation,
            link=link,
            members=members,
            is_baseline=baseline,
            by=COMMAND,
            now=now,
        ),
    )
    what = "hands in baselines to" if baseline else "may hand in to"
    _say_token(made, f"Team '{made.team}' {what} {name}.", as_json)


@command.command("renew")
@NAME
@TEAM
@HOME
@JSON
def renew_command(name: str, team: str, home: Path | None, as_json: bool) -> None:
    """Give TEAM a new token; the old one stops working."""
    made = _write(
        home,
        lambda c, now: teams.renew_token(
            c, stored.find_challenge(c, name), team, by=COMMAND, now=now
        ),
    )
    _say_token(made, f"Team '{made.team}' has a new token; the old one no longer works.", as_json)


@command.command("approve")
@NAME
@TEAM
@HOME
@JSON
def approve_command(name: str, team: str, home: Path | None, as_json: bool) -> None:
    """Let TEAM hand in to the challenge NAME."""
    found = _write(
        home,
        lambda c, now: teams.approve_team(
            c, stored.find_challenge(c, name), team, by=COMMAND, now=now
        ),
    )
    _say_team(found, f"Team '{found.team}' may hand in.", as_json)


@command.command("refuse")
@NAME
@TEAM
@HOME
@JSON
def refuse_command(name: str, team: str, home: Path | None, as_json: bool) -> None:
    """Let TEAM hand in nothing more; what it handed in is kept and no longer counts."""
    found = _write(
        home,
        lambda c, now: teams.refuse_team(
            c, stored.find_challenge(c, name), team, by=COMMAND, now=now
        ),
    )
    told = f"Team '{found.team}' is refused; what it handed in is kept and no longer counts."
    _say_team(found, told, as_json)


@command.command("entries")
@NAME
@click.option("--team", default=None, metavar="TEAM", help="Only those of one team.")
@HOME
@JSON
def entries_command(name: str, team: str | None, home: Path | None, as_json: bool) -> None:
    """List what was handed in to the challenge NAME, oldest first, with scores."""
    now = time.time()

    with existing(home) as opened:

        def read(connection: Connection) -> list[Entry]:
            row = stored.find_challenge(connection, name)
            whose = None if team is None else teams.find_team(connection, row, team)
            return entries.list_entries(
                connection, row, team=whose, now=now, audience="organisers", home=opened
            )

        found = opened.store.read_now(read)
    if as_json:
        print_json({"challenge": name, "entries": found})
    else:
        click.echo(table_text(entry_rows(found)) if found else "Nothing was handed in yet.")


@command.command("submit")
@NAME
@TEAM
@click.argument("file", type=IN_FILE, required=False)
@click.option("--track", required=True, metavar="TRACK", help="The track that it answers.")
@click.option("--run", type=int, metavar="N", help="Its run number. Default: the next free one.")
@takes_endpoint
@click.option("--unprobed", is_flag=True, help="With --endpoint: do not ask it before its time.")
@HOME
@JSON
def submit_command(
    given: GivenEndpoint,
    name: str,
    team: str,
    file: Path | None,
    track: str,
    run: int | None,
    unprobed: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Hand in FILE for TEAM, by the rules for every team: a baseline, or in a team's stead.

    With --endpoint the address of a model is registered instead, once it has answered.
    """
    if (file is None) == (given.endpoint is None):
        raise click.UsageError("Give FILE, or an address with --endpoint.")
    told: dict[str, Any] = {"track": track, "run": run, "now": time.time(), "by": COMMAND}
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: stored.find_challenge(c, name))
        whose = opened.store.read_now(lambda c: teams.find_team(c, row, team))
        if file is not None:
            entry = entries.submit_file(opened, row, whose, content=file, name=file.name, **told)
        else:
            asked = given.read()
            entry = asyncio.run(
                submit_endpoint(opened, row, whose, asked, unprobed=unprobed, **told)
            )
    if as_json:
        print_json(entry)
        return
    late = ", late" if entry.is_late else ""
    what = "The endpoint" if file is None else file.name
    click.echo(
        f"{what} is run {entry.run} of '{entry.team}' on {entry.track} in the phase "
        f"{entry.phase}{late} ({entry.state})."
    )


def _write(home: Path | None, work: Callable[[Connection, float], Any]) -> Any:
    now = time.time()
    with existing(home) as opened:
        return opened.store.write_now(lambda connection: work(connection, now))


def _say_token(made: TeamToken, told: str, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    click.echo(told)
    click.echo(f"  token: {made.token}")
    click.echo("It is shown only once. It is good for all tracks, on the page and in programs.")


def _say_team(team: ChallengeTeam, told: str, as_json: bool) -> None:
    if as_json:
        print_json(team)
    else:
        click.echo(told)


def _listed(row: StoredChallenge, now: float) -> tuple[str, ...]:
    phase = stored_definition(row).phase_at(now)
    seen = "public" if row.public else "private"
    state = "closed" if row.frozen is not None else seen
    return row.name, state, "" if phase is None else phase.name, row.title


def _sheet(
    row: StoredChallenge, states: Mapping[str, int], handed_in: list[Entry], now: float
) -> Iterator[str]:
    challenge = stored_definition(row)
    yield f"{challenge.name}: {challenge.title}"
    if challenge.summary:
        yield challenge.summary
    yield "\nSchedule"
    yield table_text(schedule_rows(challenge, now), indent="  ")
    yield "\nTracks"
    data = [("track", "task", "language", "takes", "data", "judged by")]
    for track in challenge.tracks:
        sets = ", ".join(f"{phase}: {name}" for phase, name in track.datasets.items())
        studies = ", ".join(f"{phase}: {name}" for phase, name in track.judged.items())
        data.append((track.name, track.task, track.language, track.takes, sets, studies))
    yield table_text(data, indent="  ")
    yield ""
    told = {
        "teams": ", ".join(f"{count} {state}" for state, count in states.items()) or "none",
        "entries": counted(len(handed_in), "entry", "entries"),
        "runs": f"{challenge.most_runs} for each team and track, {challenge.final_runs} final",
        "pages": ", ".join(challenge.pages) or "none",
        "terms": "to be accepted" if challenge.terms else "none",
        "seen by": "everybody" if row.public else "its teams and you",
    }
    yield from sheet_lines(told)
