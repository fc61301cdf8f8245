"""`palaver open`: look at an exported bundle, read-only, with nothing but the file."""

import tempfile
import time
from contextlib import closing
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.addresses import base_url
from palaver.cli.options import IN_FILE, VERBOSE
from palaver.cli.output import log_to_stderr
from palaver.core.errors import StudyError
from palaver.reports.manifest import Manifest
from palaver.reports.opened_bundle import open_bundle, read_bundle_manifest
from palaver.storage import Store
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study
from palaver.studies.run.deployment import Deployment
from palaver.web.server import serve
from palaver.web.settings import Settings
from palaver.web.socket import listen, port_of


@click.command("open")
@click.argument("file", type=IN_FILE)
@options.host("Where to listen; 0.0.0.0 lets others connect.")
@options.port()
@VERBOSE
def command(file: Path, host: str, port: int | None, verbose: bool) -> None:
    """Serve the bundle FILE for reading: its dialogues, labels and board.

    FILE itself is not changed, and nothing is kept when the command ends.
    """
    log_to_stderr(verbose=verbose)
    settings = Settings()
    described = read_bundle_manifest(file)
    with (
        closing(listen(host, settings.port if port is None else port)) as listening,
        tempfile.TemporaryDirectory(prefix="palaver-open-") as folder,
    ):
        base = base_url(host, port_of(listening), settings.public_url)
        database = open_bundle(file, Path(folder) / "bundle")
        store = Store(f"sqlite:///{database}", read_only=True)
        try:
            exhibit = Deployment(store, _studies(store, database.parent))
            serve(
                exhibit,
                listening,
                settings=settings,
                started=lambda: _say(exhibit, file, described, base),
            )
        finally:
            store.close()


def _studies(store: Store, folder: Path) -> list[Study]:
    """The studies of a bundle, as far as this Palaver can read them."""
    stored = {study.name for study in store.read_now(list_studies)}
    studies = []
    for path in sorted((folder / "studies").glob("*/study.yaml")):
        try:
            study = load_study(path)
        except StudyError as error:
            name, message = path.parent.name, error.problems[0].message
            click.echo(f"Note: the study '{name}' has no pages of its own: {message}", err=True)
            continue
        if study.name in stored:
            studies.append(study)
    return studies


def _say(exhibit: Deployment, file: Path, described: Manifest, base: str) -> None:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(described.exported))
    counts = ", ".join(
        f"{count} {name.replace('_', ' ')}" for name, count in described.counts.items()
    )
    masked = ", masked" if described.masked else ""
    click.echo(f"{file}: {counts}, exported {when} by Palaver {described.palaver}{masked}")
    for study in exhibit.definitions:
        click.echo(f"\n{study.title}")
        click.echo(f"  study        {base}/desk/studies/{study.name}")
        if study.board_path is not None:
            click.echo(f"  board        {base}{study.board_path}")
    click.echo(f"\nEverything     {base}/desk")
    click.echo("\nPress Ctrl-C to stop; the file is not changed.")
