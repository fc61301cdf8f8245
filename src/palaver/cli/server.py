"""What the commands that serve have in common: opening a home, and what they print."""

import io
import logging
import socket
import sys
import threading
from collections.abc import Sequence

import click

from palaver.accounts.passwords import one_time_password
from palaver.accounts.register import ensure_owner, has_accounts
from palaver.core.errors import StudyError
from palaver.evaluation.home import FILE as SETTINGS
from palaver.storage import Store
from palaver.storage.evaluation.tasks import has_tasks
from palaver.studies.file.definition import Study
from palaver.studies.home import Home
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.evaluation import evaluate_beside
from palaver.studies.run.participation import make_links
from palaver.web.memory import limit_arenas

ANY_HOST = frozenset({"0.0.0.0", "::"})


def log_to_stderr(*, verbose: bool) -> None:
    """Send the log to standard error, so that standard output holds what was asked for."""
    level = logging.INFO if verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s %(message)s")


def open_deployment(home: Home, studies: Sequence[Study]) -> Deployment:
    """A deployment on its store, ready to be served."""
    home.folder.mkdir(parents=True, exist_ok=True)
    limit_arenas()
    store = Store(home.database_url, serving=True)
    deployment = Deployment(store, studies, folder=home.folder)
    deployment.accompany(evaluate_beside)
    try:
        deployment.prepare()
    except StudyError:
        deployment.store.close()
        raise
    return deployment


def participant_link(deployment: Deployment, study: Study, base: str) -> str:
    """An address at which somebody can take part in a study."""
    crowd = study.crowd
    if crowd.kind == "link":
        return make_links(deployment.secret, study, count=1, base=base).links[0]
    names = {"prolific": "PROLIFIC_PID=…&SESSION_ID=…", "chateval": "worker_id=…&assignment_id=…"}
    own = f"{crowd.participant}=…&{crowd.assignment}=…"
    return f"{base}/s/{study.name}?{names.get(crowd.kind, own)}"


class OwnerPassword:
    """The one-time password of a new owner, hashed on a thread of its own while all else starts."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._password: str | None = None
        self._thread = threading.Thread(target=self._make, name="palaver-owner")
        self._thread.start()

    def reveal(self) -> str | None:
        """The password; None if there was an account already."""
        self._thread.join()
        return self._password

    def _make(self) -> None:
        store, now = self._deployment.store, self._deployment.clock.now()
        if store.read_now(has_accounts):
            return
        password = one_time_password()
        if store.write_now(lambda c: ensure_owner(c, password_hash=password.hash, now=now)):
            self._password = password.text


def say_where(
    deployment: Deployment, home: Home, base: str, password: str | None, *, passing: bool = False
) -> None:
    """Print where everything is."""
    for study in deployment.definitions:
        click.echo(f"\n{study.title}")
        click.echo(f"  participant  {participant_link(deployment, study, base)}")
        click.echo(f"  board        {base}/boards/{study.name}")
    if deployment.store.read_now(has_tasks) or (deployment.folder / SETTINGS).is_file():
        click.echo(f"\nTasks          {base}/tasks")
    click.echo(f"\nResearcher     {base}/desk")
    if password is not None:
        click.echo(f"               name: owner   one-time password: {password}")
    click.echo(f"Stored in      {home.describe()}")
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


def local_address() -> str:
    """This machine's address in its network, as a phone beside it would use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: nothing is sent
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def base_url(host: str, port: int, public: str) -> str:
    """The address to print: the public one if it is known."""
    if public:
        return public.rstrip("/")
    shown = local_address() if host in ANY_HOST else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
