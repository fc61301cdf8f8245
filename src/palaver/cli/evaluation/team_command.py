"""`palaver team`: who may submit models to a task from outside."""

import time
from pathlib import Path

import click
from sqlalchemy import Connection

from palaver.cli.evaluation.home import at_home, existing, opened_home
from palaver.cli.options import HOME, JSON
from palaver.cli.output import print_json, table_text
from palaver.core.evaluation.submissions import ListedTeam, TeamToken
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation import submissions
from palaver.evaluation.tasks import ensure_task, find_task

TASK = click.argument("task")
TEAM = click.argument("team")


@click.group("team")
def command() -> None:
    """Let teams submit models to a task, each with a token of its own."""


@command.command("add")
@TASK
@TEAM
@click.option("--affiliation", default="", help="Where the team works.")
@click.option("--link", default="", help="An address with more about it.")
@JSON
@HOME
def add(
    task: str, team: str, affiliation: str, link: str, as_json: bool, home: Path | None
) -> None:
    """Let TEAM submit models to TASK. Its token is printed once."""
    now = time.time()

    def make(connection: Connection) -> TeamToken:
        row = ensure_task(connection, task, now=now)
        return submissions.add_team(
            connection, row, team=team, affiliation=affiliation, link=link, now=now
        )

    with opened_home(home) as opened:
        made = opened.store.write_now(make)
    _say_token(made, f"Team '{made.team}' may submit to {task}.", as_json)


@command.command("list")
@TASK
@JSON
@HOME
def list_(task: str, as_json: bool, home: Path | None) -> None:
    """List the teams of TASK, oldest first, with what they have used of their submissions."""
    now = time.time()

    def read(connection: Connection) -> tuple[StoredTask, list[ListedTeam]]:
        row = find_task(connection, task)
        return row, submissions.list_teams(connection, row, now=now)

    with existing(home) as opened:
        row, teams = opened.store.read_now(read)
    if as_json:
        print_json({"task": row.name, "teams": teams})
    elif not teams:
        click.echo("No teams yet. Add one: " + at_home(f"palaver team add {row.name} TEAM"))
    else:
        head = ("team", "since", "submissions", "affiliation")
        click.echo(table_text([head, *(_row(team, row) for team in teams)]))


@command.command("revoke")
@TASK
@TEAM
@HOME
def revoke(task: str, team: str, home: Path | None) -> None:
    """Refuse the token of TEAM from now on; its models stay."""
    now = time.time()

    with existing(home) as opened:
        found = opened.store.write_now(
            lambda c: submissions.revoke_team(c, find_task(c, task), team, now=now)
        )
    words = "no longer works"
    if found.revoked != now:
        words = f"has been refused since {_day(found.revoked or now)}"
    click.echo(
        f"The token of '{found.team}' {words}; its models stay as they are. "
        "To let it submit again: " + at_home(f"palaver team renew {task} '{found.team}'")
    )


@command.command("renew")
@TASK
@TEAM
@JSON
@HOME
def renew(task: str, team: str, as_json: bool, home: Path | None) -> None:
    """Give TEAM a new token; the old one stops working."""
    with existing(home) as opened:
        made = opened.store.write_now(lambda c: submissions.renew_team(c, find_task(c, task), team))
    told = f"Team '{made.team}' has a new token for {task}; the old one no longer works."
    _say_token(made, told, as_json)


def _say_token(made: TeamToken, told: str, as_json: bool) -> None:
    if as_json:
        print_json(made)
        return
    click.echo(told)
    click.echo(f"  token: {made.token}")
    click.echo(
        "It is shown only once. The team enters it on the task's page, or uses it in its programs."
    )


def _row(team: ListedTeam, row: StoredTask) -> tuple[str, ...]:
    used = f"{team.used} of {row.most_submissions} in {row.submission_hours:g} h"
    state = "revoked" if team.revoked is not None else used
    return team.team, _day(team.created), state, team.affiliation


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(moment))
