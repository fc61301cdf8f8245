"""`palaver selfplay`: let two systems of a study talk with each other, on virtual time."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from palaver.cli import options
from palaver.cli.options import HOME, OUT_FILE, OVERWRITE, STUDY_PATH
from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError
from palaver.core.events import FAILURE, MESSAGE, Move
from palaver.core.protocols import Rules, System
from palaver.core.records import DialogueRecord
from palaver.core.registry import near
from palaver.evaluation.selfplay import play_many, store_dialogue
from palaver.formats.messages import write_messages
from palaver.formats.palaver import write_records
from palaver.games.game import game_of
from palaver.metrics import find_metric
from palaver.storage import Store
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_only_study
from palaver.studies.home import Home, find_home
from palaver.studies.run.deployment import register
from palaver.studies.stages import ChatStage
from palaver.systems.build import build_system

WRITERS = {"palaver": write_records, "messages": write_messages}

Keep = Callable[[Dialogue], None]


@dataclass(slots=True)
class _Summary:
    """What came of the dialogues, counted as they end."""

    dialogues: int = 0
    messages: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    first: Dialogue | None = None
    # Every dialogue as its line of JSON has it, where the game has metrics to compute of them.
    lines: list[Any] = field(default_factory=list)

    def add(self, dialogue: Dialogue) -> None:
        self.first = self.first or dialogue
        self.dialogues += 1
        self.messages += dialogue.message_count
        self.reasons[dialogue.reason] += 1
        self.failures += [
            str((event.data or {}).get("detail", ""))
            for event in dialogue.events
            if event.action == FAILURE
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Game:
    """Who plays, what, and how often."""

    study: Study
    stage: ChatStage
    rules: Rules
    names: tuple[str, str]
    count: int
    seed: int
    max_turns: int

    @property
    def condition(self) -> str:
        """What these dialogues are called in tables; never the name of a study's condition."""
        return f"selfplay:{'|'.join(self.names)}"


@click.command("selfplay")
@STUDY_PATH
@click.option(
    "--systems",
    "names",
    nargs=2,
    required=True,
    metavar="A B",
    help="Two systems of the study. A sits where the person would sit.",
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
    "--max-turns",
    type=click.IntRange(1, 10_000),
    help="End a dialogue after this many messages. Default: as long as the study says.",
)
@click.option("--store", "keep", is_flag=True, help="Keep the dialogues with the study's own.")
@options.output("Write them to this file, one dialogue per line.", OUT_FILE, metavar="FILE")
@click.option(
    "--format",
    "format_",
    type=click.Choice(sorted(WRITERS)),
    default="palaver",
    show_default=True,
    help="The form of the file.",
)
@OVERWRITE
@HOME
def command(
    path: Path,
    names: tuple[str, str],
    count: int,
    seed: int,
    max_turns: int | None,
    keep: bool,
    output: Path | None,
    format_: str,
    overwrite: bool,
    home: Path | None,
) -> None:
    """Let two systems of the study at PATH talk to each other.

    They follow the rules of the study's first chat. Time is virtual: typing pauses are recorded,
    not waited for. Without --store and --output the first dialogue is shown and nothing is
    kept.
    """
    if keep and output is not None:
        raise click.UsageError("--store and --output were both given. Choose one.")
    study = load_only_study(path)
    _check_names(study, names)
    assert study.chat is not None  # a study without a chat does not load
    rules = study.chat.game_rules(study.folder)
    game = _Game(
        study=study,
        stage=study.chat,
        rules=rules,
        names=names,
        count=count,
        seed=seed,
        max_turns=max_turns or rules.usual_turns,
    )
    if output is not None:
        summary = _to_file(game, output, format_, overwrite=overwrite)
        _say(game, summary, f"Written to {output}")
    elif keep:
        where = find_home(path, home)
        summary = _to_store(game, where)
        _say(game, summary, f"Stored in {where.describe()}")
    else:
        summary = asyncio.run(_play(game, lambda dialogue: None, start=0.0))
        _show(summary)
        _say(game, summary, "Nothing was kept. Keep them with --store, or --output FILE.jsonl.")


def _check_names(study: Study, names: tuple[str, str]) -> None:
    for name in names:
        if name not in study.systems:
            known = f" Known: {', '.join(study.systems) or 'none'}."
            hint = near(name, study.systems) or known
            raise InputError(f"The study '{study.name}' has no system '{name}'.{hint}")


async def _play(game: _Game, keep: Keep, *, start: float) -> _Summary:
    summary = _Summary()
    metrics = game.stage.game.declaration.metrics
    async with AsyncExitStack() as stack:
        systems: list[System] = []
        for name in game.names:
            options = game.study.systems[name].options
            system = build_system(name, options, folder=game.study.folder)
            stack.push_async_callback(system.close)
            systems.append(system)
        dialogues = play_many(
            game.rules,
            systems,
            names=game.names,
            seed=game.seed,
            count=game.count,
            max_turns=game.max_turns,
            draw_scenario=partial(game.stage.draw_scenario, game.rules),
            start=start,
            pause=_pause(game.stage),
        )
        async for dialogue in dialogues:
            keep(dialogue)
            summary.add(dialogue)
            if metrics:
                summary.lines.append(msgspec.to_builtins(_record(game, dialogue)))
            _tell_progress(summary.dialogues, game.count)
    return summary


def _tell_progress(done: int, count: int) -> None:
    # For somebody who watches; a log or a pipe is spared.
    if sys.stderr.isatty():
        click.echo(f"\r{done} of {count}", nl=done == count, err=True)


def _pause(stage: ChatStage) -> Callable[[Move], float] | None:
    pace = stage.pace
    if pace is None:
        return None
    return lambda move: pace.seconds(str((move.data or {}).get("text", "")))


def _to_file(game: _Game, output: Path, format_: str, *, overwrite: bool) -> _Summary:
    if output.exists() and not overwrite:
        raise InputError(f"{output} already exists. Choose another name, or add --overwrite.")
    partial = output.with_name(f".{output.name}.partial")
    try:
        with partial.open("wb") as stream:
            # From time 0, so that the same seed writes the same file.
            summary = asyncio.run(_play(game, _writing(game, stream, format_), start=0.0))
        partial.replace(output)
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
    return summary


def _writing(game: _Game, stream: BinaryIO, format_: str) -> Keep:
    def keep(dialogue: Dialogue) -> None:
        WRITERS[format_]([_record(game, dialogue)], stream)

    return keep


def _record(game: _Game, dialogue: Dialogue) -> DialogueRecord:
    return DialogueRecord(
        id=dialogue.id,
        study=game.study.name,
        condition=game.condition,
        scenario=dialogue.scenario,
        seats=dialogue.seats,
        events=dialogue.events,
        created=dialogue.events[0].time,
        status="ended",
        reason=dialogue.reason,
    )


def _to_store(game: _Game, home: Home) -> _Summary:
    home.make()
    store = Store(home.database_url)
    now = time.time()
    study = game.study
    try:
        study_id = store.write_now(lambda c: register(c, study, now=now))
        stage = study.stages.index(game.stage)

        def keep(dialogue: Dialogue) -> None:
            store.write_now(
                lambda c: store_dialogue(
                    c, study_id, dialogue, stage=stage, condition=game.condition
                )
            )

        return asyncio.run(_play(game, keep, start=now))
    finally:
        store.close()


def _show(summary: _Summary) -> None:
    if summary.first is None:
        return
    game = game_of(summary.first.scenario)
    for event in summary.first.events:
        if event.is_turn and event.seat is not None:
            said = event.text if event.action == MESSAGE else game.words(event)
            if said:
                click.echo(f"{summary.first.occupant(event.seat).occupant}: {said}")
    click.echo("")


def _say(game: _Game, summary: _Summary, where: str) -> None:
    one, other = game.names
    dialogues = "1 dialogue" if summary.dialogues == 1 else f"{summary.dialogues} dialogues"
    messages = "1 message" if summary.messages == 1 else f"{summary.messages} messages"
    click.echo(f"{dialogues} between '{one}' and '{other}', {messages}.")
    for reason, times in summary.reasons.most_common():
        click.echo(f"  ended with '{reason}': {times}")
    for name in game.stage.game.declaration.metrics if summary.lines else ():
        metric = find_metric(name, folder=game.study.folder)
        click.echo(f"  {metric.title}: {metric.compute(summary.lines)}")
    if summary.failures:
        click.echo(f"  failures of systems: {len(summary.failures)}; the first: ", nl=False)
        click.echo(summary.failures[0])
    click.echo(where)
