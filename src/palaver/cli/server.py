"""What the commands that serve have in common: opening a home, and what they print."""

import io
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from palaver.accounts.passwords import OneTimePassword, one_time_password
from palaver.accounts.register import ensure_owner, has_accounts
from palaver.cli.addresses import ANY_HOST, base_url
from palaver.core.errors import StoreBusyError, StudyError
from palaver.core.logs import get_log
from palaver.evaluation.home import FILE as SETTINGS
from palaver.storage import Store
from palaver.storage.evaluation.challenges import list_challenges
from palaver.storage.evaluation.tasks import has_tasks
from palaver.studies.file.definition import Study
from palaver.studies.home import Home
from palaver.studies.notices.beside import notices_beside
from palaver.studies.recruiting.places.beside import recruit_beside
from palaver.studies.run.credits import credits_beside
from palaver.studies.run.deployment import Companion, Deployment
from palaver.studies.run.evaluation import evaluate_beside
from palaver.studies.run.letters import letters_beside
from palaver.studies.run.participation import make_links
from palaver.web.memory import limit_arenas
from palaver.web.server import serve
from palaver.web.settings import Settings
from palaver.web.socket import listen, port_of

log = get_log(__name__)


def open_deployment(home: Home, studies: Sequence[Study]) -> Deployment:
    """A deployment on its store, ready to be served."""
    home.make()
    limit_arenas()
    store = Store(home.database_url, serving=True)
    deployment = Deployment(store, studies, folder=home.folder)
    deployment.accompany(evaluate_beside)
    deployment.accompany(recruit_beside)
    deployment.accompany(credits_beside)
    try:
        deployment.prepare()
    except StudyError:
        deployment.store.close()
        raise
    return deployment


def participant_link(deployment: Deployment, study: Study, base: str) -> str:
    """An address at which somebody can take part in a study."""
    panel = study.crowd.panel
    if panel is None:
        return make_links(deployment.secret, study, count=1, base=base).links[0]
    return panel.address(base, study.name)


class OwnerPassword:
    """The one-time password of a new owner, hashed on a thread of its own while all else starts."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._password: OneTimePassword | None = None
        self._thread = threading.Thread(target=self._make, name="palaver-owner")
        if not deployment.store.read_now(has_accounts):
            self._thread.start()

    def reveal(self) -> str | None:
        """Give the password to a new owner, to be shown now; None if there was an account already."""
        if self._thread.ident is None:
            return None
        self._thread.join()
        password, now = self._password, self._deployment.clock.now()
        assert password is not None, "the thread made it"
        # Not before: whoever is not shown the password could never sign in.
        made = self._deployment.store.write_now(
            lambda c: ensure_owner(c, password_hash=password.hash, now=now)
        )
        return password.text if made else None

    def _make(self) -> None:
        self._password = one_time_password()


def serve_home(
    home: Home,
    studies: Sequence[Study],
    *,
    host: str,
    port: int | None,
    companions: Sequence[Companion] = (),
    passing: bool = False,
    studies_folder: Path | None = None,
) -> None:
    """Serve studies from a home until told to stop, and print where everything is.

    The socket comes first: where it is refused nothing has been stored. New studies are made in
    `studies_folder`, where there is one.
    """
    settings = Settings()
    if home.is_file and (known := home.addresses()):
        raise StoreBusyError(
            f"{home.describe()} is being served by another process, at {known[0]}. Open that "
            "address, or stop that process first."
        )
    with closing(listen(host, settings.port if port is None else port)) as listening:
        chosen = port_of(listening)
        base = base_url(host, chosen, settings.public_url)
        deployment = open_deployment(home, studies)
        deployment.studies_folder = studies_folder
        deployment.accompany(letters_beside(settings.mail))
        deployment.accompany(notices_beside(base))
        for companion in companions:
            deployment.accompany(companion)
        password = OwnerPassword(deployment)

        def started() -> None:
            say_where(deployment, home, base, password.reveal(), passing=passing)
            if host in ANY_HOST and studies:
                click.echo(qr_code(participant_link(deployment, studies[0], base)))

        try:
            with home.served_at(base, chosen):
                serve(deployment, listening, settings=settings, started=started)
        finally:
            deployment.store.close()


def say_where(
    deployment: Deployment, home: Home, base: str, password: str | None, *, passing: bool = False
) -> None:
    """Print where everything is."""
    for study in deployment.definitions:
        click.echo(f"\n{study.title}")
        click.echo(f"  participant  {participant_link(deployment, study, base)}")
        if study.board_path is not None:
            click.echo(f"  board        {base}{study.board_path}")
    if deployment.store.read_now(has_tasks) or (deployment.folder / SETTINGS).is_file():
        click.echo(f"\nTasks          {base}/tasks")
    if deployment.store.read_now(list_challenges):
        click.echo(f"Challenges     {base}/challenges")
    click.echo(f"\nResearcher     {base}/desk")
    if password is not None:
        click.echo(f"               name: owner   one-time password: {password}")
    click.echo(f"Stored in      {home.describe()}")
    if exposure := home.exposure():
        click.echo(f"Warning        {exposure}")
        log.warning("home_open_to_others", folder=str(home.folder))
    if passing:
        click.echo("\nPress Ctrl-C to stop and delete it; keep it with --home FOLDER.")
    else:
        click.echo("\nPress Ctrl-C to stop; nothing is lost.")


def qr_code(url: str) -> str:
    """The address as a QR code for the terminal."""
    import segno  # only for those who let a phone in: two megabytes that others need not hold

    out = io.StringIO()
    segno.make(url, error="l").terminal(out, compact=True)
    return out.getvalue()
