"""`palaver link`: signed links for participants."""

from pathlib import Path

import click

from palaver.crowds.links import new_person, sign_link
from palaver.storage import Store
from palaver.studies.definition import load_study
from palaver.studies.home import existing_home


@click.command("link")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("-n", "--number", default=1, show_default=True, type=click.IntRange(1, 10_000))
@click.option(
    "--base", default="http://127.0.0.1:8000", show_default=True, help="The server's address."
)
@click.option("--home", type=click.Path(path_type=Path), help="The folder that holds the state.")
def command(path: Path, number: int, base: str, home: Path | None) -> None:
    """Print signed links to the study at PATH, one per person."""
    study = load_study(path)
    store = Store(existing_home(path, home).database_url)
    try:
        secret = store.secret()
    finally:
        store.close()
    for _ in range(number):
        token = sign_link(secret, study=study.name, person=new_person())
        click.echo(f"{base.rstrip('/')}/s/{study.name}?link={token}")
