"""kill -9 while people write against a model: every try is there once, has one answer, costs one."""

import asyncio
import contextlib
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from faults.seating import Chair
from faults.talkers import Talker, until
from palaver.core.events import Event
from palaver.games.model_in_the_loop.writing import fold_writing
from palaver.storage.dialogues.dialogues import load_dialogue
from support.chains import verified
from support.databases import Postgres
from support.houses import House
from support.lengths import short_and_long
from support.loops import loop_house, loop_study
from support.participants import Participant, sqlite_url
from support.serving import free_port

pytestmark = [pytest.mark.asyncio, pytest.mark.faults, pytest.mark.timeout(300)]

WRITERS, TRIES = 4, 1_000
STUDY = loop_study(tries=TRIES, goals=["neutral"], answer_within=60)
LABEL = "neutral"


class StubbornWriter(Talker):
    """Somebody who sends one try after the other, each again until it is acknowledged."""

    def __init__(self, chair: Chair, bases: list[str], rng: random.Random) -> None:
        # A try that is refused because the model has not answered yet is sent again under its id.
        super().__init__(chair, bases, rng, window=1)

    async def _say(self, socket: Any, client_id: str, text: str) -> None:
        values = {"hypothesis": text, "label": LABEL}
        move = {"type": "move", "id": client_id, "action": "try", "data": {"values": values}}
        await socket.send_json(move)


async def seat(house: House) -> Chair:
    """Begin a visit; the seat that its page would open."""
    async with house.visitor("loop") as person:
        await person.begin()
        return chair_of(person)


def chair_of(person: Participant) -> Chair:
    path = person.sockets()[0].removeprefix(person.base)
    cookies = "; ".join(f"{each.key}={each.value}" for each in person.session.cookie_jar)
    return Chair(0, 0, person.path, path, cookies)


async def write_until(
    house: House, ports: list[int], kills: int, environment: Any
) -> list[StubbornWriter]:
    """Write while the processes are killed in turn."""
    rng = random.Random(7)
    servers = {port: house.serve(port=port, environment=environment) for port in ports}
    chairs = [await seat(house) for _ in range(WRITERS)]
    bases = [f"http://127.0.0.1:{port}" for port in ports]
    writers = [
        StubbornWriter(chair, bases[n % len(bases) :] + bases, random.Random(n))
        for n, chair in enumerate(chairs)
    ]
    async with contextlib.AsyncExitStack() as stack:
        for each in writers:
            await stack.enter_async_context(each)
        for number in range(kills):
            goal = acknowledged(writers) + 8
            await until(lambda g=goal: acknowledged(writers) >= g, "8 more are acknowledged")
            port = ports[number % len(ports)]
            await asyncio.sleep(rng.uniform(0.0, 0.2))
            servers[port].kill()
            verified(house.database_url)
            servers[port] = await asyncio.to_thread(
                house.serve, port=port, environment=environment, ready_within=60
            )
        for each in writers:
            each.talking = False
        await until(lambda: all(is_answered(each) for each in writers), "all is answered")
        for each in writers:
            each.failed()
    return writers


def acknowledged(writers: list[StubbornWriter]) -> int:
    return sum(len(each.acknowledged) for each in writers)


def is_answered(writer: Talker) -> bool:
    told = [action for _, _, action, _ in writer.seen if action in ("try", "answer")]
    return not writer.unacknowledged and told[-1:] == ["answer"]


def check(house: House, writers: list[StubbornWriter], *, kills: int) -> None:
    """What was acknowledged is stored once, and every try has exactly one answer behind it."""
    assert acknowledged(writers) >= 8 * kills
    for each in writers:
        key = each.chair.path.rpartition("/")[2]
        dialogue = house.store.read_now(lambda c, k=key: load_dialogue(c, k)).dialogue
        tries = [event for event in dialogue.events if event.action == "try"]
        assert {event.client_id for event in tries} == set(each.acknowledged)
        assert len(tries) == len(each.acknowledged)
        assert turns(dialogue.events) == ["try", "answer"] * len(tries)
        folded = fold_writing(dialogue)
        assert len(folded.answered) == len(tries) == TRIES - folded.tries_left
        assert Counter(t.values["hypothesis"] for t in folded.tries).most_common(1)[0][1] == 1


def turns(events: list[Event]) -> list[str]:
    return [event.action for event in events if event.is_turn]


@short_and_long("kills", 1, 20)
async def test_a_server_on_sqlite_that_is_killed_loses_and_counts_no_try_twice(
    tmp_path: Path, environment: dict[str, str], kills: int
) -> None:
    folder = tmp_path / "house"
    with loop_house(folder, sqlite_url(folder / "home"), {"loop": STUDY}) as (house, _):
        writers = await write_until(house, [free_port()], kills, environment)
        check(house, writers, kills=kills)


@pytest.mark.postgres
@short_and_long("kills", 1, 20)
async def test_two_servers_on_postgresql_that_are_killed_in_turn_count_no_try_twice(
    tmp_path: Path, environment: dict[str, str], postgres: Postgres, kills: int
) -> None:
    with loop_house(tmp_path, postgres.new_database(), {"loop": STUDY}) as (house, _):
        ports = [free_port(), free_port()]
        check(house, await write_until(house, ports, kills, environment), kills=kills)
