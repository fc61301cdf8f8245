"""`palaver audit`: who did what, when, and from where."""

from pathlib import Path

import click

from palaver.accounts.trail import FORMATS, asked_filter, trail_file
from palaver.cli import options
from palaver.cli.options import HOME, STUDY_PATH
from palaver.core.audit import ACTS
from palaver.storage import Store
from palaver.studies.home import existing_home


@click.command("audit")
@STUDY_PATH
@click.option("--act", metavar="ACT", help=f"One act: {', '.join(ACTS)}.")
@click.option("--account", metavar="NAME", help="One account.")
@options.study()
@click.option("--since", metavar="DAY", help="From this day on, as in 2026-03-31 (UTC).")
@click.option("--until", metavar="DAY", help="Up to and with this day.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="JSON lines, or CSV.",
)
@HOME
def command(
    path: Path,
    act: str | None,
    account: str | None,
    study: str | None,
    since: str | None,
    until: str | None,
    format_: str,
    home: Path | None,
) -> None:
    """Print the audit trail of the home of the study at PATH, oldest first."""
    wanted = asked_filter(act=act, account=account, study=study, since=since, until=until)
    store = Store(existing_home(path, home).database_url)
    try:
        click.echo(store.read_now(lambda c: trail_file(c, wanted, format_)), nl=False)
    finally:
        store.close()
