"""`palaver link`: signed links for participants."""

import time
from pathlib import Path

import click

from palaver.cli.addresses import base_url
from palaver.cli.options import HOME, STUDY_PATH
from palaver.cli.output import table_text
from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.storage import Store
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.reader import load_studies
from palaver.studies.home import Home, existing_home
from palaver.studies.run.participation import make_links, record_links
from palaver.web.settings import Settings


@click.command("link")
@STUDY_PATH
@click.option(
    "-n",
    "--number",
    default=1,
    show_default=True,
    metavar="N",
    help="How many for each study, up to 10,000.",
)
@click.option(
    "--base",
    metavar="URL",
    help="The server's address. Default: PALAVER_PUBLIC_URL, else where the study is being served.",
)
@HOME
def command(path: Path, number: int, base: str | None, home: Path | None) -> None:
    """Print signed links to the study at PATH, one per person.

    For a folder of studies each link stands behind the name of its study.
    """
    studies = load_studies(path)
    where = existing_home(path, home)
    address = _given(base) if base is not None else _known(where)
    store = Store(where.database_url)
    try:
        secret = store.secret()
        known = {study.name: study.id for study in store.read_now(list_studies)}
        made = [(s.name, make_links(secret, s, count=number, base=address)) for s in studies]
        now = time.time()
        for name, some in made:
            if name in known:
                store.write_now(
                    lambda c, name=name, some=some: record_links(  # type: ignore[misc]
                        c, known[name], name, some, actor=COMMAND, now=now
                    )
                )
    finally:
        store.close()
    for study in studies:
        if study.name not in known:
            click.echo(
                f"Note: the study '{study.name}' has not been served from {where.folder} yet. Its "
                f"links work once it is: palaver serve {path}",
                err=True,
            )
    rows = [(name, link) for name, some in made for link in some.links]
    if len(studies) == 1:
        click.echo("\n".join(link for _, link in rows))
    else:
        click.echo(table_text([("study", "link"), *rows], whole=(0, 1)))


def _given(base: str) -> str:
    if not base.startswith(("http://", "https://")):
        raise InputError(f"--base takes an address with https:// or http://; got '{base}'.")
    return base


def _known(home: Home) -> str:
    """Where people reach the server: as the setting says, or as the server itself wrote down."""
    settings = Settings()
    addresses = home.addresses()
    if settings.public_url or addresses:
        return settings.public_url or addresses[0]
    address = base_url("127.0.0.1", settings.port, "")
    click.echo(
        f"Note: nothing is being served from {home.folder} now. The links are for {address}; name "
        "another address with --base, or serve the study first.",
        err=True,
    )
    return address
