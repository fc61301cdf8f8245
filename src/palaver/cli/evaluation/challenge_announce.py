"""`palaver challenge announce`: tell the teams of a challenge something, by mail and on its page."""

import sys
import time
from pathlib import Path

import click

from palaver.cli.evaluation.home import existing
from palaver.cli.options import HOME, IN_TABLE, JSON
from palaver.cli.output import print_json
from palaver.core.audit import COMMAND
from palaver.core.words import counted
from palaver.evaluation.challenges.announcements import announce
from palaver.evaluation.challenges.letters import about
from palaver.evaluation.challenges.stored import find_challenge
from palaver.mail.server import why_unsent
from palaver.storage.outbox.letters import count_mails
from palaver.web.settings import mail_settings


@click.command("announce")
@click.argument("name")
@click.argument("file", type=IN_TABLE, required=False)
@click.option("--subject", required=True, metavar="TEXT", help="What the letter is called.")
@click.option(
    "--public/--teams-only",
    default=True,
    show_default=True,
    help="Whether everybody reads it on the challenge's page, or teams alone.",
)
@JSON
@HOME
def announce_command(
    name: str, file: Path | None, subject: str, public: bool, as_json: bool, home: Path | None
) -> None:
    """Tell the approved teams of the challenge NAME what is written in FILE, or is typed in.

    Each gets a letter. FILE is plain text; "-" or none reads standard input.
    """
    text = sys.stdin.read() if file is None or str(file) == "-" else file.read_text("utf-8")
    now = time.time()
    with existing(home) as opened:
        row = opened.store.read_now(lambda c: find_challenge(c, name))
        before = opened.store.read_now(lambda c: count_mails(c, about=about(row)))
        made = opened.store.write_now(
            lambda c: announce(
                c, row, subject=subject, text=text, public=public, by=COMMAND, now=now
            )
        )
        waiting = opened.store.read_now(lambda c: count_mails(c, about=about(row)))
    if as_json:
        print_json(made)
        return
    letters = sum(waiting.values()) - sum(before.values())
    where = "on the page of the challenge" if public else "to teams alone"
    click.echo(f"Announced {where}; {counted(letters, 'letter')} written.")
    if told := why_unsent(mail_settings(), waiting["waiting"]):
        click.echo(told)
