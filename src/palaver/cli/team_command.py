"""`palaver team`: who may submit models to a task from outside."""

import time
from pathlib import Path
from typing import Any

import click
import msgspec
from sqlalchemy import Connection

from palaver.cli.evaluating import at_home, existing, opened_home
from palaver.cli.options import HOME, JSON
from palaver.cli.tables import table_text
from palaver.core.errors import InputError
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.submissions import allowance
from palaver.evaluation.tasks import ensure_task
from palaver.storage.evaluation.submitters import (
    NewSubmitter,
    Submitter,
    add_submitter,
    find_team,
    list_submitters,
    renew_token,
    revoke_submitter,
)
from palaver.storage.evaluation.tasks import find_task

TASK = click.argument("task")
TEAM = click.argument("team")
LONGEST = 100


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
    name = team.strip()
    if not name or len(name) > LONGEST or not name.isprintable():
        raise InputError(f"The name of a team has 1 to {LONGEST} letters; got '{team[:LONGEST]}'.")
    now = time.time()

    def make(connection: Connection) -> NewSubmitter:
        row = ensure_task(connection, task, now=now)
        return add_submitter(
            connection, task_id=row.id, team=name, affiliation=affiliation, link=link, now=now
        )

    with opened_home(home) as opened:
        made = opened.store.write_now(make)
    _say_token(made.submitter, made.secret, f"Team '{name}' may submit to {task}.", as_json)


@command.command("list")
@TASK
@JSON
@HOME
def list_(task: str, as_json: bool, home: Path | None) -> None:
    """List the teams of TASK, oldest first, with what they have used of their submissions."""
    now = time.time()

    def read(connection: Connection) -> tuple[StoredTask, list[dict[str, Any]]]:
        row = find_task(connection, task)
        teams = list_submitters(connection, row.id)
        return row, [
            {**_team(each), "used": allowance(connection, each, row, now=now).used}
            for each in teams
        ]

    with existing(home) as opened:
        row, teams = opened.store.read_now(read)
    if as_json:
        click.echo(msgspec.json.encode({"task": row.name, "teams": teams}).decode())
    elif not teams:
        click.echo("No team yet. Add one: " + at_home(f"palaver team add {row.name} TEAM"))
    else:
        click.echo(table_text([_row(each, row) for each in teams]))


@command.command("revoke")
@TASK
@TEAM
@HOME
def revoke(task: str, team: str, home: Path | None) -> None:
    """Refuse the token of TEAM from now on; its models stay."""
    now = time.time()

    def change(connection: Connection) -> Submitter:
        found = find_team(connection, find_task(connection, task).id, team)
        if not revoke_submitter(connection, found.id, now=now):
            raise InputError(f"The token of '{found.team}' is revoked already.")
        return found

    with existing(home) as opened:
        found = opened.store.write_now(change)
    click.echo(
        f"The token of '{found.team}' is refused from now on; its models stay as they are. "
        "To let it submit again: " + at_home(f"palaver team renew {task} '{found.team}'")
    )


@command.command("renew")
@TASK
@TEAM
@JSON
@HOME
def renew(task: str, team: str, as_json: bool, home: Path | None) -> None:
    """Give TEAM a new token in place of the old one, which is void then."""

    def change(connection: Connection) -> NewSubmitter:
        found = find_team(connection, find_task(connection, task).id, team)
        secret = renew_token(connection, found.id)
        return NewSubmitter(find_team(connection, found.task_id, str(found.id)), secret)

    with existing(home) as opened:
        made = opened.store.write_now(change)
    told = f"Team '{made.submitter.team}' has a new token for {task}; the old one is void."
    _say_token(made.submitter, made.secret, told, as_json)


def _say_token(submitter: Submitter, secret: str, told: str, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({**_team(submitter), "token": secret}).decode())
        return
    click.echo(told)
    click.echo(f"  token: {secret}")
    click.echo("It is shown only here. The team gives it on the task's page, or in its programs.")


def _team(submitter: Submitter) -> dict[str, Any]:
    return {
        "id": submitter.id,
        "team": submitter.team,
        "affiliation": submitter.affiliation,
        "link": submitter.link,
        "accepted": submitter.accepted,
        "created": submitter.created,
        "revoked": submitter.revoked,
    }


def _row(team: dict[str, Any], row: StoredTask) -> tuple[str, ...]:
    since = time.strftime("%Y-%m-%d", time.localtime(team["created"]))
    used = f"{team['used']} of {row.most_submissions} submissions in {row.submission_hours:g} h"
    state = "revoked" if team["revoked"] is not None else used
    return team["team"], f"since {since}", state, team["affiliation"]
