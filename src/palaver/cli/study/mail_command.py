"""`palaver mail`: the letters that wait, were sent or were refused; sending them; notices."""

import asyncio
import time
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.evaluation.home import existing
from palaver.cli.options import HOME, JSON, STUDY_PATH
from palaver.cli.output import print_json, sheet_lines, table_text
from palaver.cli.study.stored_study import chosen_study
from palaver.core.clock import WallClock
from palaver.core.errors import InputError
from palaver.core.letters import Letter
from palaver.core.outbox import Sendings, SendingState
from palaver.core.studies.notices import Notice
from palaver.core.words import counted
from palaver.mail.post import MailServerError, Post
from palaver.mail.sender import retry_refused, send_trial, send_waiting
from palaver.mail.server import MailServer, why_unsent
from palaver.storage import Store
from palaver.storage.outbox.letters import count_mails, list_mails
from palaver.studies.home import existing_home
from palaver.studies.notices.deliveries import notices_of, retry_failed
from palaver.web.settings import mail_settings

STATES = ("waiting", "sent", "failed")


@click.group("mail")
def command() -> None:
    """Look at the letters to teams, send those that wait, try the mail server.

    A server sends letters by itself once PALAVER_SMTP_URL and PALAVER_MAIL_FROM are set.
    """


@command.command("list")
@click.option("--state", type=click.Choice(STATES), help="Only letters in this state.")
@click.option("--about", metavar="WHAT", help="Only letters about this, such as challenge/NAME.")
@click.option(
    "--most", type=click.IntRange(1), default=100, show_default=True, help="How many are listed."
)
@JSON
@HOME
def list_(
    state: SendingState | None, about: str | None, most: int, as_json: bool, home: Path | None
) -> None:
    """List the letters, newest first."""
    with existing(home) as opened:
        letters = opened.store.read_now(
            lambda c: list_mails(c, state=state, about=about, most=most)
        )
        counts = opened.store.read_now(lambda c: count_mails(c, about=about))
    if as_json:
        print_json({"letters": letters, "counts": counts})
        return
    if not letters:
        click.echo("No letters.")
    else:
        head = ("written", "state", "tried", "to", "subject", "why")
        click.echo(table_text([head, *map(_row, letters)], names=2))
    if told := why_unsent(mail_settings(), counts["waiting"]):
        click.echo(told)


@command.command("send")
@click.option("--failed", is_flag=True, help="Try letters again that were refused.")
@JSON
@HOME
def send(failed: bool, as_json: bool, home: Path | None) -> None:
    """Send the letters that are due; what cannot be sent now goes on waiting."""
    server = _server()
    clock = WallClock()
    with existing(home) as opened:
        if failed:
            opened.store.write_now(lambda c: retry_refused(c, now=clock.now()))
        done = asyncio.run(send_waiting(opened.store, server, clock=clock))
        waiting = opened.store.read_now(count_mails)["waiting"]
    if as_json:
        print_json(done)
    else:
        click.echo("\n".join(_told(done, waiting)))
    if done.trouble:
        raise MailServerError(f"{done.trouble} {counted(waiting, 'letter')} waiting.")


@command.command("notices")
@STUDY_PATH
@options.study("One study of several.")
@click.option("--retry", is_flag=True, help="Try notices by hook again that failed.")
@JSON
@HOME
def notices(path: Path, study: str | None, retry: bool, as_json: bool, home: Path | None) -> None:
    """List what was told of the study at PATH, newest first: to whom, and whether it arrived."""
    store = Store(existing_home(path, home).database_url)
    try:
        chosen = chosen_study(store, path, study)
        if retry:
            store.write_now(lambda c: retry_failed(c, chosen.id, now=time.time()))
        found = store.read_now(lambda c: notices_of(c, chosen.id))
    finally:
        store.close()
    if as_json:
        print_json(found)
    elif not found.notices:
        click.echo("Nothing was told.")
    else:
        head = ("written", "what", "to", "state", "tried", "why")
        click.echo(table_text([head, *map(_notice_row, found.notices)], names=2))


@command.command("test")
@click.argument("address")
def test(address: str) -> None:
    """Send a letter to ADDRESS now, past the outbox, to see whether the settings are right."""
    server = _server()
    send_trial(Post(server), address, now=time.time())
    click.echo(f"{server} took a letter from {server.sender} to {address}.")


def _server() -> MailServer:
    server = mail_settings()
    if server is None:
        raise InputError(
            "No mail server is set. Set PALAVER_SMTP_URL (smtp://user@mail.example.org:587), "
            "PALAVER_SMTP_PASSWORD and PALAVER_MAIL_FROM."
        )
    return server


def _row(letter: Letter) -> tuple[str, ...]:
    written = time.strftime("%Y-%m-%d %H:%M", time.localtime(letter.created))
    return (
        written,
        letter.state,
        str(letter.attempts),
        letter.recipient,
        letter.subject,
        letter.reason,
    )


def _notice_row(notice: Notice) -> tuple[str, ...]:
    return (
        time.strftime("%Y-%m-%d %H:%M", time.localtime(notice.created)),
        notice.title,
        notice.recipient,
        notice.state,
        str(notice.attempts),
        notice.reason,
    )


def _told(done: Sendings, waiting: int) -> list[str]:
    told = {
        "sent": str(done.sent),
        "postponed": str(done.postponed) if done.postponed else "",
        "refused": f"{done.failed} (see: palaver mail list --state failed)" if done.failed else "",
        "waiting": str(waiting) if waiting else "",
    }
    return list(sheet_lines(told, indent=""))
