"""`palaver account`: who may sign in at the researcher's desk."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from sqlalchemy import Connection

from palaver.accounts.passwords import one_time_password
from palaver.accounts.register import (
    add_account,
    change_role,
    disable_account,
    enable_account,
    list_accounts,
    remove_account,
    reset_password,
)
from palaver.accounts.rights import grant_study, list_grants, revoke_study
from palaver.accounts.second_factor import accounts_with_factor, reset_factor
from palaver.cli.options import HOME, STUDY_PATH
from palaver.cli.output import table_text
from palaver.core.accounts import GRANTED, ROLES, Account, role_named
from palaver.core.audit import COMMAND
from palaver.storage import Store
from palaver.studies.home import Home, existing_home, find_home

T = TypeVar("T")

NAME = click.argument("name")
STUDY = click.argument("study")
ROLE_HELP = (
    "A member sees the studies that are granted to it, a viewer sees all, a reviewer can also "
    "export and invite, an owner can also manage accounts."
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
    where.make()
    password = one_time_password()
    account = _write(
        where,
        lambda c: add_account(
            c, name=name, role=role, password_hash=password.hash, now=time.time(), actor=COMMAND
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
        accounts, grants = store.read_now(list_accounts), store.read_now(list_grants)
        with_factor = store.read_now(accounts_with_factor)
    finally:
        store.close()
    if not accounts:
        click.echo("There are no accounts yet. 'palaver serve' makes the first one.")
        return
    rows = [("account", "role", "since", "note")]
    for account in accounts:
        notes = [
            *(["disabled"] if account.disabled is not None else []),
            *(["one-time password not used yet"] if account.one_time else []),
            *(["second factor"] if account.id in with_factor else []),
            *(f"{each.role} of {each.study}" for each in grants if each.account_id == account.id),
        ]
        since = time.strftime("%Y-%m-%d", time.localtime(account.created))
        rows.append((account.name, account.role, since, ", ".join(notes)))
    click.echo(table_text(rows))


@command.command("password")
@STUDY_PATH
@NAME
@HOME
def password(path: Path, name: str, home: Path | None) -> None:
    """Give NAME a new one-time password; whoever is signed in as NAME is signed out."""
    made = one_time_password()
    account = _write(
        existing_home(path, home),
        lambda c: reset_password(c, name, password_hash=made.hash, actor=COMMAND, now=time.time()),
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
    account = _write(
        existing_home(path, home),
        lambda c: change_role(c, name, role, actor=COMMAND, now=time.time()),
    )
    click.echo(f"'{account.name}' is now {account.role} and must sign in again.")


@command.command("disable")
@STUDY_PATH
@NAME
@HOME
def disable(path: Path, name: str, home: Path | None) -> None:
    """Keep NAME from signing in; its sessions end and its tokens are revoked."""
    account = _write(
        existing_home(path, home),
        lambda c: disable_account(c, name, now=time.time(), actor=COMMAND),
    )
    click.echo(f"'{account.name}' is disabled: its sessions have ended, its tokens are revoked.")


@command.command("enable")
@STUDY_PATH
@NAME
@HOME
def enable(path: Path, name: str, home: Path | None) -> None:
    """Let NAME sign in again; tokens that were revoked stay so."""
    account = _write(
        existing_home(path, home), lambda c: enable_account(c, name, now=time.time(), actor=COMMAND)
    )
    click.echo(f"'{account.name}' may sign in again.")


@command.command("remove")
@STUDY_PATH
@NAME
@HOME
def remove(path: Path, name: str, home: Path | None) -> None:
    """Take the account NAME away for good; what it did stays under its name."""
    account = _write(
        existing_home(path, home), lambda c: remove_account(c, name, now=time.time(), actor=COMMAND)
    )
    click.echo(f"'{account.name}' is removed. What it did stays, and nobody else gets its name.")


@command.command("reset-factor")
@STUDY_PATH
@NAME
@HOME
def reset_second_factor(path: Path, name: str, home: Path | None) -> None:
    """Take the second factor from NAME, who lost it; the password stays."""
    account = _write(
        existing_home(path, home), lambda c: reset_factor(c, name, now=time.time(), actor=COMMAND)
    )
    click.echo(f"'{account.name}' signs in with its password alone until it sets up a new one.")


@command.command("grant")
@STUDY_PATH
@NAME
@STUDY
@click.argument("right", metavar="|".join(GRANTED))
@HOME
def grant(path: Path, name: str, study: str, right: str, home: Path | None) -> None:
    """Let NAME do in STUDY what a viewer or a reviewer may."""
    account = _write(
        existing_home(path, home),
        lambda c: grant_study(c, name, study, right, now=time.time(), actor=COMMAND),
    )
    click.echo(f"'{account.name}' is {right} of '{study}' now.{_already(account)}")


@command.command("revoke")
@STUDY_PATH
@NAME
@STUDY
@HOME
def revoke(path: Path, name: str, study: str, home: Path | None) -> None:
    """Take back what NAME was granted in STUDY."""
    account = _write(
        existing_home(path, home),
        lambda c: revoke_study(c, name, study, now=time.time(), actor=COMMAND),
    )
    click.echo(f"'{account.name}' has no right of its own in '{study}' now.{_already(account)}")


def _already(account: Account) -> str:
    """What an account may do anyway, where that is more than what it was granted."""
    if account.role == "member":
        return ""
    return f" As {account.role} it sees every study anyway; make it a member to limit it."


def _write(home: Home, work: Callable[[Connection], T]) -> T:
    store = Store(home.database_url)
    try:
        return store.write_now(work)
    finally:
        store.close()


def _say_password(password: str) -> None:
    click.echo(f"  one-time password: {password}")
    click.echo("It is shown only once and must be replaced at the first sign-in.")
