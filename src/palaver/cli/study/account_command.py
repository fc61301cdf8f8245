"""`palaver account`: who may sign in at the researcher's desk."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from sqlalchemy import Connection

from palaver.accounts.passwords import one_time_password
from palaver.accounts.register import add_account, change_role, list_accounts, reset_password
from palaver.cli.options import HOME, STUDY_PATH
from palaver.cli.output import table_text
from palaver.core.accounts import ROLES, role_named
from palaver.storage import Store
from palaver.studies.home import Home, existing_home, find_home

T = TypeVar("T")

NAME = click.argument("name")
ROLE_HELP = (
    "A viewer can look, a reviewer can also export and invite, an owner can also manage accounts."
)


@click.group("account")
def command() -> None:
    """Manage who may sign in at the researcher's desk of the study at PATH."""


@command.command("add")
@STUDY_PATH
@NAME
@click.option(
    "--role", default="viewer", show_default=True, metavar="|".join(ROLES), help=ROLE_HELP
)
@HOME
def add(path: Path, name: str, role: str, home: Path | None) -> None:
    """Let NAME sign in. The one-time password is printed once."""
    role_named(role)  # before a folder is made
    where = find_home(path, home)
    where.folder.mkdir(parents=True, exist_ok=True)
    password = one_time_password()
    account = _write(
        where,
        lambda c: add_account(
            c, name=name, role=role, password_hash=password.hash, now=time.time()
        ),
    )
    click.echo(f"Added '{account.name}' as {account.role}.")
    _say_password(password.text)


@command.command("list")
@STUDY_PATH
@HOME
def list_(path: Path, home: Path | None) -> None:
    """List the accounts, oldest first."""
    where = existing_home(path, home)
    store = Store(where.database_url)
    try:
        accounts = store.read_now(list_accounts)
    finally:
        store.close()
    if not accounts:
        click.echo("There are no accounts yet. 'palaver serve' makes the first one.")
        return
    rows = [("account", "role", "since", "note")]
    for account in accounts:
        note = "one-time password not used yet" if account.one_time else ""
        since = time.strftime("%Y-%m-%d", time.localtime(account.created))
        rows.append((account.name, account.role, since, note))
    click.echo(table_text(rows))


@command.command("password")
@STUDY_PATH
@NAME
@HOME
def password(path: Path, name: str, home: Path | None) -> None:
    """Give NAME a new one-time password; whoever is signed in as NAME is signed out."""
    made = one_time_password()
    account = _write(
        existing_home(path, home), lambda c: reset_password(c, name, password_hash=made.hash)
    )
    click.echo(f"'{account.name}' has a new password; the old one no longer works.")
    _say_password(made.text)


@command.command("role")
@STUDY_PATH
@NAME
@click.argument("role", metavar="|".join(ROLES))
@HOME
def role(path: Path, name: str, role: str, home: Path | None) -> None:
    """Give NAME another role."""
    account = _write(existing_home(path, home), lambda c: change_role(c, name, role))
    click.echo(f"'{account.name}' is now {account.role} and must sign in again.")


def _write(home: Home, work: Callable[[Connection], T]) -> T:
    store = Store(home.database_url)
    try:
        return store.write_now(work)
    finally:
        store.close()


def _say_password(password: str) -> None:
    click.echo(f"  one-time password: {password}")
    click.echo("It is shown only once and must be replaced at the first sign-in.")
