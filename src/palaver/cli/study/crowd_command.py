"""`palaver crowd`: where people come from, from the token to the last payment."""

import click

from palaver.cli.study import crowd_payments, crowd_recruitments, crowd_submissions
from palaver.cli.study.crowd_dry_run import command as dry_run
from palaver.cli.study.crowd_stand_in import command as stand_in
from palaver.cli.study.crowd_token import command as token


@click.group("crowd")
def command() -> None:
    """Recruit people at Prolific, decide on what they hand in, pay them; or try it on a stand-in."""


command.add_command(token)
for each in (
    *crowd_recruitments.COMMANDS,
    *crowd_submissions.COMMANDS,
    *crowd_payments.COMMANDS,
):
    command.add_command(each)
command.add_command(stand_in)
command.add_command(dry_run)
