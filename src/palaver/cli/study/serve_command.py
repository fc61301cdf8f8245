"""`palaver serve`: run a study, or a folder of studies."""

from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import HOME, STUDY_PATH, VERBOSE
from palaver.cli.server import (
    ANY_HOST,
    OwnerPassword,
    base_url,
    log_to_stderr,
    open_deployment,
    participant_link,
    qr_code,
    say_where,
)
from palaver.studies.file.definition import load_studies
from palaver.studies.home import find_home, is_bare_home
from palaver.web.server import serve
from palaver.web.settings import Settings


@click.command("serve")
@STUDY_PATH
@HOME
@options.host("Where to listen; 0.0.0.0 lets others connect.")
@options.port()
@VERBOSE
def command(path: Path, home: Path | None, host: str, port: int | None, verbose: bool) -> None:
    """Serve the study at PATH, or every study in the folder PATH, or the tasks of a home."""
    log_to_stderr(verbose=verbose)
    settings = Settings()
    studies = [] if is_bare_home(path) else load_studies(path)
    where = find_home(path, home)
    deployment = open_deployment(where, studies)
    base = base_url(host, port or settings.port, settings.public_url)
    password = OwnerPassword(deployment)

    def started() -> None:
        say_where(deployment, where, base, password.reveal())
        if host in ANY_HOST and studies:
            click.echo(qr_code(participant_link(deployment, studies[0], base)))

    try:
        serve(deployment, host=host, port=port, settings=settings, started=started)
    finally:
        deployment.store.close()
