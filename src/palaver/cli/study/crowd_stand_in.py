"""`palaver crowd stand-in`: a service that speaks as a real one does, to try a study on."""

from contextlib import closing, suppress
from pathlib import Path

import click
import uvicorn

from palaver.cli import options
from palaver.cli.addresses import base_url
from palaver.cli.options import OUT_FILE
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.crowds.prolific.stand_in.app import stand_in_app
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.web.socket import TellingServer, listen, port_of

SERVICES = ("prolific",)


@click.command("stand-in")
@click.argument("service", type=click.Choice(SERVICES))
@options.host("Where to listen.")
@options.port(usual=8010)
@click.option(
    "--workspace-currency",
    default="GBP",
    show_default=True,
    metavar="CODE",
    help="The currency of its workspace: GBP, USD, EUR, JPY and so on.",
)
@click.option(
    "--study-server",
    default="",
    metavar="ADDRESS",
    help="Send people to this server in place of the one that a study names.",
)
@click.option(
    "--file",
    type=OUT_FILE,
    metavar="FILE",
    help="Keep its state here over a restart. Default: it forgets.",
)
@options.seed("The same seed gives the same ids.")
def command(
    service: str,
    host: str,
    port: int,
    workspace_currency: str,
    study_server: str,
    file: Path | None,
    seed: int,
) -> None:
    """Serve a stand-in for SERVICE: its API, and pages on which you take part as anybody.

    Nobody is recruited and nothing is paid. Stop it with Ctrl-C or SIGTERM.
    """
    if study_server and not study_server.startswith(("http://", "https://")):
        raise InputError(f"--study-server takes an address, http://…; got '{study_server[:80]}'.")
    currency = Money(0, workspace_currency).currency
    stand_in = StandIn(currency=currency, seed=seed, file=file, study_server=study_server)
    with closing(listen(host, port, choose="--port")) as listening:
        base = base_url(host, port_of(listening), "").rstrip("/")
        stand_in.base = base

        def say() -> None:
            click.echo(f"A stand-in for Prolific, in {stand_in.currency}")
            click.echo(f"  {base}/  to take part in its studies")
            click.echo(f"  API        {base}")
            click.echo(f"  token      {stand_in.token}")
            click.echo(f"  workspace  {stand_in.workspace}")
            click.echo("\nPress Ctrl-C to stop.")

        app = stand_in_app(stand_in, delivers=True)
        config = uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=5)
        # Uvicorn raises the signal again once it has ended in good order.
        with suppress(KeyboardInterrupt):
            TellingServer(config, say).run(sockets=[listening])
