"""`palaver selfplay`: let two systems play a study's chat or a game, on virtual time."""

import asyncio
import os
import sys
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

import click
import msgspec

from palaver.cli import options
from palaver.cli.options import HOME, IN_FILE, JSON, OUT_FILE, OVERWRITE
from palaver.cli.output import print_json, table_lines, with_interval, without_interval
from palaver.cli.study.subject import GAME_OPTIONS, subject_of
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate
from palaver.core.events import MESSAGE
from palaver.core.records import decode_dialogue, encode_line
from palaver.core.words import counted
from palaver.engines.registry import open_engine
from palaver.evaluation.selfplay import store_dialogue, stored_selfplay
from palaver.formats.messages import chat_row
from palaver.games.game import game_of
from palaver.storage import Store
from palaver.studies.home import Home, find_home
from palaver.studies.play.kept_file import KeptFile
from palaver.studies.play.match import Match, MatchPlan, open_ground, open_match
from palaver.studies.play.players import find_player
from palaver.studies.play.results import (
    DialogueTally,
    SelfPlayResult,
    metrics_of,
    reward_difference,
    rewards_of,
)
from palaver.studies.play.selfplay import play_lines
from palaver.studies.run.registered import register

FORMATS = ("messages", "palaver")
# Fewer dialogues than these are played before other processes have started.
WORTH_PROCESSES = 200
# So many dialogues in a row in which a system failed are enough.
FAILED_IN_A_ROW = 20

Keep = Callable[[bytes], None]


@dataclass(slots=True)
class _Run:
    """Which dialogues of a match are played, and what is counted of them."""

    match: Match
    count: int
    workers: int
    # Numbers that are there already.
    done: frozenset[int] = frozenset()
    tally: DialogueTally = field(default_factory=DialogueTally)
    resumed: int = 0

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """What is missing, as first numbers and counts."""
        found: list[tuple[int, int]] = []
        for number in range(self.count):
            if number in self.done:
                continue
            if found and sum(found[-1]) == number:
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((number, 1))
        return found


@click.command("selfplay")
@click.argument("study_or_game")
@click.option(
    "--systems",
    "names",
    nargs=2,
    required=True,
    metavar="A B",
    help="Two systems: of the study, bots of the game (palaver games), checkpoint:FOLDER (a trained "
    "model; options behind it, as in #rollouts=5,temperature=0.2), or openai:URL#MODEL.",
)
@click.option(
    "--count",
    type=click.IntRange(1, 1_000_000),
    default=10,
    show_default=True,
    help="How many dialogues.",
)
@options.seed("The same seed plays the same dialogues.")
@click.option(
    "--scenarios",
    type=IN_FILE,
    metavar="FILE",
    help="Play the scenarios of this file in order, again and again.",
)
@click.option(
    "--swap/--no-swap",
    default=None,
    help="Play each scenario twice, with seats exchanged; without, A has seat 0. Default: --swap for "
    "a game, --no-swap for a study, where A sits where the person would.",
)
@GAME_OPTIONS
@click.option(
    "--max-turns",
    type=click.IntRange(1, 10_000),
    help="End a dialogue after this many moves. Default: as long as the game says.",
)
@click.option(
    "--patience",
    type=click.FloatRange(0.01, 600),
    metavar="SECONDS",
    help="How long one answer may take, once. Default: as each system says.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help="Processes to spread dialogues over. Default: one per processor for many dialogues between "
    "bots of the game, else one, which asks language models side by side.",
)
@click.option("--store", "keep", is_flag=True, help="Keep the dialogues with the study's own.")
@options.output("Write them to this file, one dialogue per line.", OUT_FILE, metavar="FILE")
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="palaver",
    show_default=True,
    help="The form of the file.",
)
@click.option("--resume", is_flag=True, help="Go on with what --output or --store has already.")
@OVERWRITE
@HOME
@JSON
def command(
    study_or_game: str,
    names: tuple[str, str],
    count: int,
    seed: int,
    scenarios: Path | None,
    swap: bool | None,
    given: tuple[str, ...],
    max_turns: int | None,
    patience: float | None,
    workers: int | None,
    keep: bool,
    output: Path | None,
    format_: str,
    resume: bool,
    overwrite: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Let two systems play STUDY_OR_GAME: the first chat of a study, or a game by its name.

    Time is virtual: typing pauses are recorded, not waited for. Without --store and --output the
    first dialogue is shown and nothing is kept.
    """
    if keep and output is not None:
        raise click.UsageError("--store and --output were both given. Choose one.")
    if resume and not keep and output is None:
        raise click.UsageError("--resume needs --output or --store, which hold what was played.")
    if resume and (overwrite or format_ != "palaver"):
        raise click.UsageError(
            "--resume goes on with a file of --format palaver; do not overwrite."
        )
    subject = subject_of(study_or_game, given)
    ground = open_ground(subject)
    if keep and ground.study is None:
        raise click.UsageError("--store keeps dialogues with a study; for a game use --output.")
    plan = MatchPlan(
        subject=subject,
        players=(
            find_player(names[0], ground.game, ground.study, patience=patience),
            find_player(names[1], ground.game, ground.study, patience=patience),
        ),
        seed=seed,
        swap=ground.study is None if swap is None else swap,
        scenarios=scenarios,
        max_turns=max_turns,
        start=time.time() if keep else 0.0,
    )
    run = _Run(open_match(plan), count, workers or _usual_workers(plan, count))
    if output is not None:
        _to_file(run, KeptFile(output), format_, overwrite=overwrite, resume=resume)
        where = f"Written to {output}"
    elif keep:
        home_ = find_home(Path(study_or_game), home)
        _to_store(run, home_, resume=resume)
        where = f"Stored in {home_.describe()}"
    else:
        asyncio.run(_play(run, lambda line: None))
        where = "Nothing was kept. Keep them with --store, or --output FILE.jsonl."
    if as_json:
        print_json(_result(run))
        return
    if output is None and not keep:
        _show(run.tally)
    _say(_result(run))
    click.echo(where)


def _usual_workers(plan: MatchPlan, count: int) -> int:
    bots = all(player.is_bot for player in plan.players)
    return (os.cpu_count() or 1) if bots and count >= WORTH_PROCESSES else 1


async def _play(run: _Run, keep: Keep) -> None:
    engine = open_engine(f"processes://{run.workers}") if run.workers > 1 else None
    missing = sum(count for _, count in run.gaps)
    bar = click.progressbar(
        length=missing,
        label="Dialogues",
        file=sys.stderr,
        show_pos=True,
        hidden=not sys.stderr.isatty(),
    )
    try:
        with bar:
            for first, count in run.gaps:
                lines = play_lines(
                    run.match, first=first, count=count, engine=engine, workers=run.workers
                )
                async with aclosing(lines):
                    async for line in lines:
                        keep(line)
                        run.tally.add(line)
                        bar.update(1)
                        _check_alive(run)
    finally:
        if engine is not None:
            await engine.close()


def _check_alive(run: _Run) -> None:
    if run.tally.failed_in_a_row >= FAILED_IN_A_ROW:
        raise InputError(
            f"A system failed in {FAILED_IN_A_ROW} dialogues in a row, last with: "
            f"{run.tally.failures[-1]} What was played before is kept; --resume goes on."
        )


def _to_file(run: _Run, file: KeptFile, format_: str, *, overwrite: bool, resume: bool) -> None:
    if resume:
        kept = file.resume(run.match, run.count)
        if kept.torn:
            click.echo(
                "The last line was torn and is dropped; its dialogue is played anew.", err=True
            )
        for line in kept.lines:
            run.tally.add(line)
        run.resumed, run.done = len(kept.lines), frozenset(range(len(kept.lines)))
    else:
        file.check_free(overwrite=overwrite)
    with file.writing(resumed=resume) as add:
        if format_ == "palaver":
            asyncio.run(_play(run, add))
        else:
            asyncio.run(_play(run, lambda line: add(_as_messages(line))))


def _as_messages(line: bytes) -> bytes:
    return msgspec.json.encode(chat_row(decode_dialogue(line))) + b"\n"


def _to_store(run: _Run, home: Home, *, resume: bool) -> None:
    home.make()
    store = Store(home.database_url)
    ground, condition = run.match.ground, run.match.plan.condition
    study, now = ground.study, run.match.plan.start
    assert study is not None  # refused before
    assert ground.stage is not None
    stage = study.stages.index(ground.stage)
    try:
        study_id = store.write_now(lambda c: register(c, study, now=now))
        if resume:
            _count_stored(run, store)

        def keep(line: bytes) -> None:
            dialogue = decode_dialogue(line).dialogue()
            store.write_now(
                lambda c: store_dialogue(c, study_id, dialogue, stage=stage, condition=condition)
            )

        asyncio.run(_play(run, keep))
    finally:
        store.close()


def _count_stored(run: _Run, store: Store) -> None:
    """Take what is stored of this match for played."""
    plan, study = run.match.plan, run.match.ground.name
    numbers = {run.match.deal(number).dialogue: number for number in range(run.count)}
    stored = store.read_now(lambda c: list(stored_selfplay(c, study, plan.condition)))
    found = {numbers[r.source_id]: r for r in stored if r.source_id in numbers}
    if not found:
        raise InputError(
            f"There is nothing to go on with: no dialogue of {plan.condition} with --seed "
            f"{plan.seed} is stored. Leave --resume out."
        )
    for number, record in sorted(found.items()):
        if record.scenario != run.match.deal(number).scenario:
            raise InputError(
                f"The stored dialogue {number + 1} plays the scenario '{record.scenario.id}' as "
                "this run would not. Give the same --scenarios and options as before."
            )
        run.tally.add(encode_line(record))
    run.done, run.resumed = frozenset(found), len(found)


def _result(run: _Run) -> SelfPlayResult:
    ground, plan, tally = run.match.ground, run.match.plan, run.tally
    folder = ground.study.folder if ground.study is not None else Path()
    return SelfPlayResult(
        game=ground.game.name,
        study=ground.study.name if ground.study is not None else "",
        systems=plan.names,
        seed=plan.seed,
        dialogues=len(tally.dialogues),
        resumed=run.resumed,
        messages=tally.messages,
        endings=dict(tally.endings.most_common()),
        failures=len(tally.failures),
        first_failure=next(iter(tally.failures), ""),
        metrics=metrics_of(ground.game.metrics, tally.dialogues, folder=folder),
        rewards=rewards_of(plan.names, tally.dialogues),
        reward_difference=reward_difference(plan.names, tally.dialogues),
    )


def _show(tally: DialogueTally) -> None:
    if tally.first is None:
        return
    dialogue = decode_dialogue(msgspec.json.encode(tally.first)).dialogue()
    game = game_of(dialogue.scenario)
    for event in dialogue.events:
        if event.is_turn and event.seat is not None:
            said = event.text if event.action == MESSAGE else game.words(event)
            if said:
                click.echo(f"{dialogue.occupant(event.seat).occupant}: {said}")
    click.echo("")


def _say(result: SelfPlayResult) -> None:
    one, other = result.systems
    dialogues, messages = counted(result.dialogues, "dialogue"), counted(result.messages, "message")
    click.echo(f"{dialogues} between '{one}' and '{other}', {messages}.")
    if result.resumed:
        click.echo(f"  of them there before: {result.resumed:,}")
    for reason, times in result.endings.items():
        click.echo(f"  ended with '{reason}': {times}")
    if result.failures:
        click.echo(f"  failures of systems: {result.failures}; the first: {result.first_failure}")
    rows = [(each.title, each.estimate) for each in result.metrics]
    rows += [(f"Reward of {each.system}", each.reward) for each in result.rewards]
    if result.reward_difference is not None:
        rows.append((f"Reward of {one} minus that of {other}", result.reward_difference))
    if rows:
        head = ["", with_interval("value"), "n"]
        cells = [[title, _value(found), f"{found.n:,}"] for title, found in rows]
        for line in table_lines([head, *cells], indent="  "):
            click.echo(line)
        for note in without_interval(rows):
            click.echo(f"  {note}")


def _value(found: Estimate) -> str:
    return found.written() if found.is_defined else f"undefined: {found.reason}"
