"""`palaver demo`: the demonstration study with a simulated crowd."""

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

import click

from palaver.cli import options
from palaver.cli.options import VERBOSE
from palaver.cli.output import log_to_stderr
from palaver.cli.server import serve_home
from palaver.studies.file.reader import load_study
from palaver.studies.file.starter import (
    LOOP_SENTENCES,
    write_demonstration,
    write_game_demonstration,
    write_loop_demonstration,
)
from palaver.studies.home import DATABASE, Home
from palaver.studies.play.players import AddressError, system_at
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.simulated_validators import SimulatedValidators
from palaver.studies.run.simulated_writers import SimulatedWriters, read_drafts
from palaver.studies.run.simulation import SimulatedCrowd, read_repertoire

# A small language model: a system to compare, and a built-in model of the round.
SMALL_LM = "smollm2"


@click.command("demo")
@options.host("Where to listen; 0.0.0.0 lets other devices connect.")
@options.port()
@options.home("Keep the demonstration, with its state, in this folder.")
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="openai:URL[#MODEL]",
    help="Also compare a system of your own, at any OpenAI-compatible address.",
)
@click.option(
    "--lm",
    is_flag=True,
    help="Also compare, and write against, a small language model (make demo-lm).",
)
@click.option("--no-crowd", is_flag=True, help="Leave out the simulated visitors.")
@VERBOSE
def command(
    host: str,
    port: int | None,
    home: Path | None,
    systems: tuple[str, ...],
    lm: bool,
    no_crowd: bool,
    verbose: bool,
) -> None:
    """Serve a blind comparison of chat systems, a game, and a round of writing against a model.

    Simulated visitors vote, write and check.
    """
    log_to_stderr(verbose=verbose)
    further = _further(systems, lm=lm)
    folder = home or Path(tempfile.mkdtemp(prefix="palaver-demo-"))
    try:
        written = [
            write_demonstration(folder / "study", further),
            write_game_demonstration(folder / "game"),
            *write_loop_demonstration(folder, [SMALL_LM] if lm else []),
        ]
        serve_home(
            Home(folder, f"sqlite:///{folder.resolve() / DATABASE}"),
            [load_study(path) for path in written if path is not None],
            host=host,
            port=port,
            companions=() if no_crowd else (_crowd, _loop_crowd),
            passing=home is None,
        )
    finally:
        if home is None:
            shutil.rmtree(folder, ignore_errors=True)


async def _crowd(deployment: Deployment) -> None:
    study = deployment.studies["demo"]
    repertoire = await asyncio.to_thread(read_repertoire, study.definition.folder / "visitors.yaml")
    await SimulatedCrowd(deployment, study, repertoire).run()


async def _loop_crowd(deployment: Deployment) -> None:
    """Writers of the round, then those who check what they wrote."""
    writing, checking = deployment.studies["write"], deployment.studies["validate"]
    drafts = await asyncio.to_thread(read_drafts, writing.definition.folder / LOOP_SENTENCES)
    await SimulatedWriters(deployment, writing, drafts).run()
    await SimulatedValidators(deployment, checking, drafts).run()


def _further(systems: tuple[str, ...], *, lm: bool) -> dict[str, dict[str, Any]]:
    further = {f"yours{n}" if n > 1 else "yours": _own(spec) for n, spec in enumerate(systems, 1)}
    if lm:
        further[SMALL_LM] = {"kind": "local_lm", "max_tokens": 80}
    return further


def _own(spec: str) -> dict[str, Any]:
    try:
        return system_at(spec)
    except AddressError as error:
        raise click.UsageError(f"--system: {error}") from error
