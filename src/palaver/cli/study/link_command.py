"""`palaver link`: signed links for participants."""

from pathlib import Path

import click

from palaver.cli.options import HOME, STUDY_PATH
from palaver.cli.server import base_url
from palaver.storage import Store
from palaver.studies.file.definition import load_only_study
from palaver.studies.home import existing_home
from palaver.studies.run.participation import make_links
from palaver.web.settings import Settings


@click.command("link")
@STUDY_PATH
@click.option(
    "-n", "--number", default=1, show_default=True, metavar="N", help="How many, up to 10,000."
)
@click.option(
    "--base",
    metavar="URL",
    help="The server's address. Default: PALAVER_PUBLIC_URL, else this machine's own.",
)
@HOME
def command(path: Path, number: int, base: str | None, home: Path | None) -> None:
    """Print signed links to the study at PATH, one per person."""
    study = load_only_study(path)
    store = Store(existing_home(path, home).database_url)
    try:
        secret = store.secret()
    finally:
        store.close()
    settings = Settings()
    address = base or base_url("127.0.0.1", settings.port, settings.public_url)
    for link in make_links(secret, study, count=number, base=address).links:
        click.echo(link)
