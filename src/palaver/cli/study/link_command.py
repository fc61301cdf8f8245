"""`palaver link`: signed links for participants, with names or without."""

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO

import click

from palaver.cli.addresses import base_url
from palaver.cli.options import HOME, STUDY_PATH
from palaver.cli.output import table_text
from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.core.studies.links import KeptLink
from palaver.storage import Store
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_studies
from palaver.studies.home import Home, existing_home
from palaver.studies.run.kept_links import list_links, make_named_links, names_in, revoke_link
from palaver.studies.run.participation import make_links, record_links
from palaver.web.qr_codes import qr_file
from palaver.web.settings import Settings


@click.command("link")
@STUDY_PATH
@click.option(
    "-n",
    "--number",
    type=int,
    metavar="N",
    help="How many for each study, up to 10,000. Default: 1.",
)
@click.option(
    "--name",
    "names",
    multiple=True,
    metavar="NAME",
    help="Make a link for this person and keep it; may be given several times.",
)
@click.option(
    "--names",
    "file",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="The same for a file with a name on each line; '-' reads what is typed.",
)
@click.option(
    "--hours",
    type=float,
    metavar="HOURS",
    help="How long links with names work. Default: as the study says.",
)
@click.option(
    "--list", "lists", is_flag=True, help="List the links with names, and who used theirs."
)
@click.option(
    "--revoke",
    metavar="LINK",
    help="Revoke a link with a name, by its name or number; a visit that began goes on.",
)
@click.option(
    "--qr",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Also write the QR code of each link, as an SVG file, into this folder.",
)
@click.option(
    "--base",
    metavar="URL",
    help="The server's address. Default: PALAVER_PUBLIC_URL, else where the study is being served.",
)
@HOME
def command(
    path: Path,
    number: int | None,
    names: tuple[str, ...],
    file: TextIO | None,
    hours: float | None,
    lists: bool,
    revoke: str | None,
    qr: Path | None,
    base: str | None,
    home: Path | None,
) -> None:
    """Print signed links to the study at PATH, one per person.

    For a folder of studies each link stands behind the name of its study. Links with names are kept:
    '--list' says who has used theirs, and '--revoke' takes one back.
    """
    studies, where = load_studies(path), existing_home(path, home)
    address = _given(base) if base is not None else _known(where)
    given = [*names, *(names_in(file.read()) if file is not None else [])]
    is_kept = bool(lists or revoke is not None or names or file is not None)
    if is_kept and number is not None:
        raise click.UsageError("-n makes links without names; leave it out, or the names.")
    with closing(Store(where.database_url)) as store:
        secret = store.secret()
        known = {study.name: study.id for study in store.read_now(list_studies)}
        if is_kept:
            study = _one(studies, known, path)
            kept = KeptLinks(store, secret, known[study.name], study, address)
            _kept(kept, given, hours=hours, revoke=revoke, lists=lists, qr=qr)
            return
        count = 1 if number is None else number
        made = [(s.name, make_links(secret, s, count=count, base=address)) for s in studies]
        now = time.time()
        for name, some in made:
            if name in known:
                store.write_now(
                    lambda c, name=name, some=some: record_links(  # type: ignore[misc]
                        c, known[name], name, some, actor=COMMAND, now=now
                    )
                )
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
    if qr is not None:
        _draw(qr, [(f"{name}-{n}", link) for n, (name, link) in enumerate(rows, start=1)])


class KeptLinks:
    """The links with names of one study in an open store."""

    def __init__(self, store: Store, secret: str, study_id: int, study: Study, base: str) -> None:
        self._store = store
        self._secret = secret
        self._study_id = study_id
        self.study = study
        self._base = base

    def all(self) -> tuple[KeptLink, ...]:
        """Every link that is kept, newest first."""
        now = time.time()
        return self._store.read_now(
            lambda c: list_links(
                c, self._secret, self._study_id, self.study.name, base=self._base, now=now
            )
        ).links

    def make(self, names: Sequence[str], hours: float | None) -> tuple[KeptLink, ...]:
        """A new link for each name."""
        lasting, now = self.study.crowd.link_hours if hours is None else hours, time.time()
        return self._store.write_now(
            lambda c: make_named_links(
                c,
                self._secret,
                self._study_id,
                self.study.name,
                names,
                hours=lasting,
                base=self._base,
                actor=COMMAND,
                now=now,
            )
        ).links

    def revoke(self, link: str) -> KeptLink:
        """Revoke a link by its name or number."""
        now = time.time()
        return self._store.write_now(
            lambda c: revoke_link(
                c,
                self._secret,
                self._study_id,
                self.study.name,
                link,
                base=self._base,
                actor=COMMAND,
                now=now,
            )
        )


def _kept(
    kept: KeptLinks,
    names: Sequence[str],
    *,
    hours: float | None,
    revoke: str | None,
    lists: bool,
    qr: Path | None,
) -> None:
    if revoke is not None:
        gone = kept.revoke(revoke)
        click.echo(f"The link of '{gone.name}' is revoked. A visit that began with it goes on.")
    made: tuple[KeptLink, ...] = ()
    if names or not (lists or revoke is not None):
        made = kept.make(names, hours)
        click.echo(
            table_text([("name", "link"), *((e.name, e.address) for e in made)], whole=(0, 1))
        )
    if lists:
        made = kept.all()
        rows = [(str(e.id), e.name or "–", e.state, _day(e.made), _day(e.used)) for e in made]
        click.echo(table_text([("number", "name", "state", "made", "first used"), *rows]))
    if qr is not None:
        _draw(qr, [(f"{e.id}-{_file_name(e.name)}", e.address) for e in made if e.address])


def _one(studies: Sequence[Study], known: dict[str, int], path: Path) -> Study:
    if len(studies) != 1:
        raise InputError("Links with names belong to one study. Give the folder of that study.")
    if studies[0].name not in known:
        raise InputError(
            f"The study '{studies[0].name}' has not been served yet, so no links can be kept for "
            f"it. Serve it first: palaver serve {path}"
        )
    return studies[0]


def _draw(folder: Path, links: Sequence[tuple[str, str]]) -> None:
    """Write the QR code of each link into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, link in links:
        (folder / f"{name}.svg").write_bytes(qr_file(link, title=name))
    click.echo(f"Wrote {len(links):,} QR codes into {folder}.", err=True)


def _file_name(name: str) -> str:
    """A name as part of a file's name."""
    return "".join(each if each.isalnum() else "-" for each in name).strip("-")[:40] or "link"


def _day(moment: float | None) -> str:
    return "–" if moment is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


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
