"""`palaver chat`: play a game with a system in the terminal, in words and tags."""

import asyncio
import random
import sys
from pathlib import Path

import click

from palaver.cli import options
from palaver.cli.options import IN_FILE
from palaver.cli.study.subject import GAME_OPTIONS, subject_of
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.scenario import Scenario
from palaver.games.given_scenarios import load_scenarios
from palaver.studies.play.match import Ground, open_ground
from palaver.studies.play.players import Player, find_player
from palaver.studies.play.terminal import TerminalTable

PROMPT = "> "


@click.command("chat")
@click.argument("study_or_game")
@click.option(
    "--with",
    "partner",
    required=True,
    metavar="SYSTEM",
    help="A system of the study, a bot of the game (palaver games), checkpoint:FOLDER (a trained "
    "model; options behind it, as in #rollouts=5,temperature=0.2), or openai:URL#MODEL.",
)
@click.option("--scenario", "wanted", metavar="ID", help="The scenario of this name.")
@click.option("--scenarios", type=IN_FILE, metavar="FILE", help="Draw a scenario from this file.")
@click.option(
    "--seat",
    type=click.IntRange(0, 1),
    default=0,
    show_default=True,
    help="Where you sit; 0 is the person's seat.",
)
@options.seed("The same seed draws the same scenario.")
@GAME_OPTIONS
def command(
    study_or_game: str,
    partner: str,
    wanted: str | None,
    scenarios: Path | None,
    seat: int,
    seed: int,
    given: tuple[str, ...],
) -> None:
    """Play STUDY_OR_GAME with a system: the first chat of a study, or a game by its name.

    What you write is said; a tag such as <offer> 120 makes a move. An empty line lets your partner go
    on. The end of the input, or Ctrl-C, ends the dialogue.
    """
    ground = open_ground(subject_of(study_or_game, given))
    player = find_player(partner, ground.game, ground.study)
    rng = random.Random(f"chat-{seed}:scenario")
    scenario = _scenario(ground, scenarios, wanted, rng)
    table = TerminalTable.seat(ground, scenario, seat=seat, partner=player.name, seed=seed)
    with asyncio.Runner() as runner:
        _play(table, player, runner)


def _scenario(
    ground: Ground, file: Path | None, wanted: str | None, rng: random.Random
) -> Scenario:
    if file is None and wanted is None:
        return ground.draw_scenario(rng)
    if file is not None:
        known = load_scenarios(file, game=ground.game.name)
    else:
        known = tuple(ground.rules.scenarios)
    if wanted is None:
        return rng.choice(known)
    by_id = {scenario.id: scenario for scenario in known}
    if wanted not in by_id:
        told = near(wanted, by_id) or (
            f" There are {len(by_id):,}." if by_id else " Name a file of them with --scenarios."
        )
        raise InputError(f"There is no scenario '{wanted}'.{told}")
    return by_id[wanted]


def _play(table: TerminalTable, player: Player, runner: asyncio.Runner) -> None:
    """Take turns; lines are read outside of the event loop, where Ctrl-C interrupts them."""
    _tell([*table.briefing(), ""])
    system = player.build()
    try:
        _tell(table.admit(system))
        while not table.is_over:
            if table.may_speak:
                line = _read()
                if line is None:
                    break
                _tell(table.say(line))
            if not table.is_over and not (table.was_refused and table.may_speak):
                _tell(runner.run(table.let_partner_go()))
    except KeyboardInterrupt:
        click.echo("")
    finally:
        if not table.is_over:
            _tell(table.leave())
        runner.run(table.close())
        runner.run(system.close())


def _read() -> str | None:
    """The next line that somebody writes; None at the end of the input."""
    if sys.stdin.isatty():
        sys.stdout.write(PROMPT)
        sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() if line else None


def _tell(lines: list[str]) -> None:
    for line in lines:
        click.echo(line)
