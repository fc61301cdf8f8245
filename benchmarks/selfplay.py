"""Self-play of every game that has a rule bot, against a bare loop that calls the same two sessions.

The loop is told who moved when: it makes the two sessions of each dialogue, asks the one that is next
and hands every event to both. It knows no rules, checks nothing, writes nothing, and has no event loop
to speak of. On two cores it runs as two processes. Dialogues per second of one core are of its
processor time, so that other work on the machine does not matter; of two cores they are of the clock.
"""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.table import Figure
from palaver.core.clock import VirtualClock
from palaver.core.events import Event, Move
from palaver.core.protocols import Place
from palaver.core.records import DialogueRecord, decode_dialogue
from palaver.engines.registry import open_engine
from palaver.games.game import GAMES
from palaver.studies.play.match import Match, MatchPlan, Playable, open_ground, open_match
from palaver.studies.play.players import find_player
from palaver.studies.play.selfplay import play_lines
from palaver.systems.options import load_class

BOT = "rule"
_HERE = Path()
SEED = 1
# The share of the bare loop's speed that is aimed for.
SHARE = 0.7


def run(*, dialogues: int, rounds: int) -> tuple[list[Figure], dict[str, Any]]:
    """Dialogues per second of each game on one core and on two."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for name in [name for name in GAMES.names() if BOT in GAMES.get(name).bots]:
        played = _played(name, dialogues)
        details[name] = {"dialogues": dialogues, "events": sum(len(each.events) for each in played)}
        for cores, ours, bare in ((1, _one_core, _bare_core), (2, _two_cores, _two_bare)):
            speeds = [
                (dialogues / bare(name, played), dialogues / ours(name, dialogues))
                for _ in range(rounds)
            ]
            floor, own = (median(column) for column in zip(*speeds, strict=True))
            details[name][f"{cores} cores"] = speeds
            figures.append(_figure(f"{name}, {cores} core{'s'[: cores - 1]}", own, floor))
    return figures, details


def _figure(name: str, ours: float, floor: float) -> Figure:
    return Figure(
        name,
        ours,
        floor,
        "dialogues/s",
        goal=f"≥ {SHARE:.0%}",
        met=lambda figure: (figure.ratio or 0.0) >= SHARE,
    )


def _plan(name: str) -> MatchPlan:
    subject = Playable(study=None, game=name)
    bot = find_player(BOT, open_ground(subject).game)
    return MatchPlan(subject=subject, players=(bot, bot), seed=SEED, swap=True)


def _played(name: str, count: int) -> list[DialogueRecord]:
    lines = asyncio.run(_lines(open_match(_plan(name)), count))
    return [decode_dialogue(line) for line in lines]


async def _lines(match: Match, count: int) -> list[bytes]:
    return [line async for line in play_lines(match, first=0, count=count)]


def _one_core(name: str, count: int) -> float:
    match = open_match(_plan(name))
    match.build()
    began = time.process_time()
    asyncio.run(_lines(match, count))
    return time.process_time() - began


def _two_cores(name: str, count: int) -> float:
    """The time for so many dialogues once the processes are up."""
    return asyncio.run(_spread(name, count))


async def _spread(name: str, count: int) -> float:
    match, engine = open_match(_plan(name)), open_engine("processes://2")

    async def play(count: int) -> None:
        lines = play_lines(match, first=0, count=count, engine=engine, workers=2)
        _ = [line async for line in lines]

    try:
        await play(count // 4)
        began = time.perf_counter()
        await play(count)
        return time.perf_counter() - began
    finally:
        await engine.close()


def _bare_core(name: str, played: Sequence[DialogueRecord]) -> float:
    target = GAMES.get(name).bots[BOT]
    replay(target, played[:2])
    began = time.process_time()
    replay(target, played)
    return time.process_time() - began


def _two_bare(name: str, played: Sequence[DialogueRecord]) -> float:
    target, half = GAMES.get(name).bots[BOT], len(played) // 2
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(replay, [target] * 2, [played[:2]] * 2))  # they are up
        took = list(pool.map(_timed, [target] * 2, [played[:half], played[half:]]))
    return max(took)


def _timed(target: str, played: Sequence[DialogueRecord]) -> float:
    began = time.perf_counter()
    replay(target, played)
    return time.perf_counter() - began


def replay(target: str, played: Sequence[DialogueRecord]) -> int:
    """Hold dialogues again with the two sessions alone; how many moves they made."""
    system = load_class(target, folder=_HERE)()
    return sum(_hold(system.new_session, record) for record in played)


def _hold(new_session: Callable[[Place], Any], record: DialogueRecord) -> int:
    clock = VirtualClock()
    sessions = [
        new_session(
            Place(
                dialogue=record.id,
                seat=seat,
                scenario=record.scenario.seen_by(seat),
                clock=clock,
                rng=random.Random(f"{SEED}:{record.id}:{seat}"),
            )
        )
        for seat in range(2)
    ]
    seq = made = 0
    turns = [event for event in record.events if event.is_turn]
    while made < len(turns):
        seat = turns[made].seat or 0
        for move in _answer(sessions[seat]):
            seq, made = seq + 1, made + 1
            event = _event(seq, seat, move)
            for session in sessions:
                session.receive(event)
    return made


def _answer(session: Any) -> Sequence[Move]:
    """What a session answers at once: a rule bot waits for nothing."""
    asked = session.send()
    try:
        asked.send(None)
    except StopIteration as done:
        answer: Sequence[Move] = done.value
        return answer
    raise RuntimeError("A rule bot waits for something; it cannot be measured so.")


def _event(seq: int, seat: int, move: Move) -> Event:
    return Event(
        seq=seq, seat=seat, action=move.action, data=move.data, time=0.0, audience=move.audience
    )
