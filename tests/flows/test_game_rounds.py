"""A game in a study: quotas per scenario, too little to count, another partner, practice."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from palaver.studies.review.progress import read_progress
from palaver.web.participant.rooms.routes import OUT_OF_DATE
from support.flow_studies import TIMELESS
from support.games import offer_games
from support.houses import House, study
from support.participants import Participant, Room

pytestmark = pytest.mark.asyncio

PAIRS = {"low": [111, 222], "high": [888, 999]}
BOTS = {
    "teller": {"kind": "python", "class": "number_guess.bots:Teller"},
    "mute": {"kind": "python", "class": "number_guess.bots:Mute"},
}


def guessing(chat: dict[str, Any], *before: dict[str, Any], **game: Any) -> dict[str, Any]:
    """A study of the game with its survey; `before` come first."""
    whole = {"game": {"name": "number_guess", **game}, "limits": TIMELESS, "pace": None, **chat}
    stages = [*before, {"chat": whole}, {"rate": {}}]
    return study({}, systems=BOTS, stages=stages)


WITH_BOT = {"conditions": [{"systems": ["teller"], "needed": 9}]}
STUDIES = {
    "cells": guessing(
        {
            "arrangement": "people",
            "conditions": [
                {"people": True, "per_scenario": 1},
                {"systems": ["teller"], "per_scenario": 2},
            ],
        },
        pairs=PAIRS,
    ),
    "crowded": guessing({"conditions": [{"systems": ["mute"], "per_scenario": 3}]}, pairs=PAIRS),
    "wordy": guessing({**WITH_BOT, "retries": 1}, least_messages=1),
    "wordy-pair": guessing(
        {"arrangement": "people", "conditions": [{"people": True}]}, least_messages=1
    ),
    "again": guessing(
        {
            "arrangement": "people",
            "conditions": [{"people": True, "needed": 1}],
            "partner_leaves": "again",
            "retries": 1,
            "limits": {**TIMELESS, "waiting": 1.0},
        }
    ),
    "practised": guessing(
        WITH_BOT,
        {
            "chat": {
                "practice": True,
                "game": {"name": "number_guess", "least_messages": 1},
                "conditions": "teller",
                "limits": TIMELESS,
            }
        },
    ),
}


@pytest.fixture(scope="module")
def house(busy_ground: Any) -> Iterator[House]:
    """The studies of these stories, on each kind of database."""
    built = House.build(busy_ground.folder, STUDIES, busy_ground.database_url)
    with pytest.MonkeyPatch.context() as monkeypatch:
        offer_games(monkeypatch)
        built.serve()
    yield built
    built.close()


async def guess(room: Room, number: int = 1) -> dict[str, Any]:
    return await room.answer_to(await room.post("guess", {"number": number}))


async def play(person: Participant, *, words: str = "") -> Room:
    """Play with a bot to the end."""
    room = await person.room()
    if words:
        await room.say(words)
        await room.hears(count=1)
    await guess(room)
    await room.ends()
    await person.reload()
    return room


async def finish(person: Participant) -> None:
    await person.send("rate", **{"answer-attentive": "4"})
    assert person.code


async def meet(*people: Participant) -> None:
    for person in people:
        await person.begin()
    await asyncio.gather(*(p.wait_for_partner() for p in people if "/waiting/" in p.page))


def cells(house: House, name: str) -> Counter[tuple[str, str, str]]:
    rows = house.rows(
        "SELECT p.condition, p.scenario, p.state FROM places p JOIN studies s ON s.id = p.study_id "
        "WHERE s.name = :name",
        name=name,
    )
    return Counter((row.condition, row.scenario, row.state) for row in rows)


def reason(house: House, person: str) -> str:
    [row] = house.rows(
        "SELECT a.reason FROM assignments a JOIN participants p ON p.id = a.participant_id "
        "WHERE p.external_id = :person",
        person=person,
    )
    return row.reason


# Quotas per scenario


async def test_every_scenario_gets_its_dialogues_with_each_kind_of_partner(house: House) -> None:
    people = [house.visitor("cells", f"cell-{n}") for n in range(9)]
    try:
        for person in people:
            await person.open(person.link)
            await person.begin()
        waiting = [person for person in people if "/waiting/" in person.page]
        await asyncio.gather(*(person.wait_for_partner() for person in waiting))
        seated = [
            person for person in people if person.sockets() and "/room/" in person.sockets()[0]
        ]
        assert len(seated) == 8
        [outside] = [person for person in people if person not in seated]
        assert outside.heading == "All places are taken right now"
        assert sum(cells(house, "cells").values()) == 6
        assert {state for _, _, state in cells(house, "cells")} == {"held"}
        shown = house.store.read_now(lambda c: read_progress(c, {}, "cells"))[0].conditions
        assert {(c.condition, c.needed, c.scenarios) for c in shown} == {
            ("people", 2, 2),
            ("teller", 4, 2),
        }

        # One who is left by their partner for good gives the scenario back, and nothing else.
        lonely = next(person for person in seated if person not in waiting)
        room = await lonely.room()
        await room.post("quit", {})
        await room.ends()
        await lonely.reload()
    finally:
        for person in people:
            await person.__aexit__()
    held = Counter(
        (record.condition, record.scenario.id, tuple(kb["number"] for kb in record.scenario.kbs))
        for record in house.dialogues("cells")
    )
    assert held == {
        ("people", "low", (111, 222)): 1,
        ("people", "high", (888, 999)): 1,
        ("teller", "low", (111, 222)): 2,
        ("teller", "high", (888, 999)): 2,
    }


async def test_many_at_once_overrun_no_scenario_and_sit_on_both_sides(house: House) -> None:
    async def come(n: int) -> Participant:
        person = house.visitor("crowded", f"crowd-{n}")
        await person.open(person.link)
        await person.begin()
        return person

    people = await asyncio.gather(*(come(n) for n in range(12)))
    for person in people:
        await person.__aexit__()
    assert cells(house, "crowded") == {("mute", "low", "held"): 3, ("mute", "high", "held"): 3}
    records = house.dialogues("crowded")
    assert Counter(record.scenario.id for record in records) == {"low": 3, "high": 3}


# Too little to count


async def test_too_little_is_told_kindly_and_played_again(house: House) -> None:
    async with house.visitor("wordy", "terse") as ann:
        await ann.begin()
        room = await play(ann)
        [end] = [event for event in room.events if event["action"] == "end"]
        assert end["data"]["reason"] == "insufficient"
        assert "You wrote 0 messages; at least 1 were asked for." in ann.page
        assert not ann.code
        await ann.send("again")
        await play(ann, words="Hello")
        assert "How attentive was your partner?" in ann.page
        await finish(ann)
    first, second = house.dialogues("wordy")
    assert (first.reason, second.reason) == ("insufficient", "complete")
    words = first.events[-1].data["shortcomings"].values()
    assert list(words) == ["You wrote 0 messages; at least 1 were asked for."]
    assert [label.dialogue for label in house.labels("wordy")] == [second.id]
    assert [state for _, _, state in cells(house, "wordy").elements()].count("done") == 1


async def test_there_is_an_end_to_trying(house: House) -> None:
    async with house.visitor("wordy", "mute-person") as ann:
        await ann.begin()
        await play(ann)
        await ann.send("again")
        await play(ann)
        assert ann.heading == "Thank you. We stop here."
    assert reason(house, "mute-person") == "insufficient"


async def test_whoever_did_enough_goes_on_and_is_paid(house: House) -> None:
    async with house.visitor("wordy-pair", "talks") as ann, house.visitor("wordy-pair") as ben:
        await meet(ann, ben)
        hers, his = await ann.room(), await ben.room()
        await hers.say("Mine is odd.")
        await guess(hers)
        await guess(his)
        assert await hers.ends() == "complete"
        assert await his.ends() == "insufficient"
        # Nothing of what the other is told reaches her.
        assert "shortcomings" not in "".join(ann.received)
        await ben.reload()
        assert ben.heading == "Your conversation has ended"
        await ann.reload()
        await finish(ann)
    assert reason(house, "talks") == "complete"
    assert {state for _, _, state in cells(house, "wordy-pair")} == {"free"}


# Another partner


async def test_whoever_is_left_is_given_another_partner_and_in_the_end_paid(house: House) -> None:
    async with house.visitor("again", "stays") as ann:
        async with house.visitor("again") as ben:
            await meet(ann, ben)
            his = await ben.room()
            await his.post("quit", {})
            await his.ends()
        await ann.reload()
        assert "Your partner has left. We find you another one." in ann.page
        assert "/waiting/" in ann.page
        async with house.visitor("again") as cleo:
            await meet(cleo, ann)
            hers, cleos = await ann.room(), await cleo.room()
            await cleos.post("quit", {})
            await hers.ends()
        await ann.reload()
        assert ann.heading == "Your partner has left"
        assert ann.code
    assert reason(house, "stays") == "partner_left"


async def test_nobody_else_comes_for_one_who_was_left(house: House) -> None:
    async with house.visitor("again", "alone") as ann:
        async with house.visitor("again") as ben:
            await meet(ann, ben)
            his = await ben.room()
            await his.post("quit", {})
            await his.ends()
        await ann.reload()
        assert await ann.wait_for_partner() == "over"
        assert ann.heading == "Your partner has left"
        assert ann.code
    assert reason(house, "alone") == "partner_left"


# Practice


async def test_practice_is_announced_repeated_and_never_counted(house: House) -> None:
    async with house.visitor("practised", "learner") as ann:
        await ann.begin()
        assert "Practice round: your partner is a program" in ann.page
        await play(ann)
        assert ann.heading == "The practice round is over"
        assert "You wrote 0 messages; at least 1 were asked for." in ann.page
        await ann.send("practised", more="yes")
        await play(ann, words="Hello")
        assert ann.heading == "You have finished the practice round"
        await ann.send("practised")
        assert "Practice round" not in ann.page
        await play(ann)
        assert "How attentive was your partner?" in ann.page
        await finish(ann)
    records = house.dialogues("practised")
    assert [record.purpose for record in records] == ["training", "training", "real"]
    assert [label.dialogue for label in house.labels("practised")] == [records[-1].id]
    assert cells(house, "practised")["teller", None, "done"] == 1
    assert {
        stage
        for [stage] in house.rows(
            "SELECT stage FROM places p JOIN studies s ON "
            "s.id = p.study_id WHERE s.name = 'practised'"
        )
    } == {1}


async def test_a_stranger_moves_in_no_room_that_is_not_theirs(house: House) -> None:
    async with house.visitor("practised") as ann, house.visitor("practised") as eve:
        for person in (ann, eve):
            await person.begin()
        hers = re.search(r"/room/([\w-]+)", ann.sockets()[0])[1]
        stolen = re.sub(r"/room/[\w-]+", f"/room/{hers}", eve.sockets()[0])
        room = await ann.room()
        async with eve.session.ws_connect(stolen) as socket:
            await socket.send_json({"type": "hello", "after": 0})
            move = {"type": "move", "id": "x", "action": "guess", "data": {"number": 1}}
            await socket.send_json(move)
            assert [frame async for frame in socket] == []
            assert socket.close_code == OUT_OF_DATE
        # Nor does a form move somebody on who is in the middle of a round.
        await ann.open(f"{ann.path}/problem")
        await ann.send("practised")
        assert "Practice round: your partner is a program" in ann.page
        assert [event for event in room.events if event["action"] == "guess"] == []
