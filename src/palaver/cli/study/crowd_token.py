"""`palaver crowd token`: the token with which Palaver acts at Prolific."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import click

from palaver.cli.options import HOME, JSON
from palaver.cli.output import print_json, sheet_lines
from palaver.core.audit import COMMAND
from palaver.crowds.secrets import MOST
from palaver.studies.home import find_home
from palaver.studies.recruiting.access import (
    KnownAccount,
    PanelAccess,
    forget_token,
    read_access,
    store_token,
    try_token,
)
from palaver.studies.run.onlooker import Onlooker, looking_on

T = TypeVar("T")


@click.command("token")
@click.option("--test", "tests", is_flag=True, help="Ask Prolific whose token is set.")
@click.option("--show", "shows", is_flag=True, help="Say whether one is set, and where.")
@click.option("--forget", "forgets", is_flag=True, help="Take it out of the file of secrets.")
@HOME
@JSON
def command(tests: bool, shows: bool, forgets: bool, home: Path | None, as_json: bool) -> None:
    """Store a token of Prolific, typed unseen or read from standard input.

    It goes into a file that only you can read, and is never printed.
    """
    if tests + shows + forgets > 1:
        raise click.UsageError("Choose one of --test, --show and --forget.")
    if tests:
        account = _beside(home, try_token)
        print_json(account) if as_json else click.echo("\n".join(_of_account(account)))
    elif shows:
        _say(read_access(), as_json=as_json)
    elif forgets:
        gone = _beside(home, lambda deployment: forget_token(deployment, actor=COMMAND))
        click.echo("The token is forgotten." if gone else "There was no token to forget.")
    else:
        token = _typed()
        _say(
            _beside(home, lambda deployment: store_token(deployment, token, actor=COMMAND)),
            as_json=as_json,
        )


def _typed() -> str:
    if sys.stdin.isatty():
        return str(click.prompt("Token", hide_input=True))
    return sys.stdin.readline(MOST + 2)


def _beside(given: Path | None, work: Callable[[Onlooker | None], Awaitable[T]]) -> T:
    """Do something with the home where there is one, so that it is noted there."""
    home = find_home(None, given)

    async def run() -> T:
        if not home.exists:
            return await work(None)
        async with looking_on(home, []) as onlooker:
            return await work(onlooker)

    return asyncio.run(run())


def _say(access: PanelAccess, *, as_json: bool) -> None:
    if as_json:
        print_json(access)
        return
    where = {"environment": "set in the environment", "file": f"set in {access.file}"}
    told = {
        "token": "not set" if access.token is None else where[access.token.source],
        "secret of hooks": "not set" if access.hook is None else where[access.hook.source],
    }
    click.echo("\n".join(sheet_lines(told, indent="")))


def _of_account(known: KnownAccount) -> list[str]:
    mine = known.account
    told = {
        "account": mine.name or mine.id,
        "workspace": ", ".join(each.title or each.id for each in known.workspaces),
        "currency": mine.currency,
        "balance": "" if mine.balance is None else str(mine.balance),
        "available": "" if mine.available is None else str(mine.available),
    }
    return list(sheet_lines(told, indent=""))
