"""A game of another package in a live room: two people, their pages, their moves, their survey."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from support.games import GUESSING, offer_games, write_guessing
from support.houses import House
from support.participants import Participant, Room

pytestmark = pytest.mark.asyncio


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The guessing study, served by a process that finds the game by its entry point."""
    folder: Path = tmp_path_factory.mktemp("house")
    built = House.build(folder, {}, f"sqlite:///{folder / 'home' / 'palaver.db'}")
    write_guessing(built.studies / "guessing")
    silent = GUESSING.replace("digits: 9}", "digits: 9, talk: false}")
    write_guessing(built.studies / "silent", silent)
    worded = GUESSING.replace(
        '{kind: python, class: "number_guess.bots:Mute"}',
        '{kind: scripted, lines: ["I say nothing.", "Let me see.\\n<guess> 7"], then: silence}',
    )
    for old, new in (
        ("arrangement: people", "arrangement: system"),
        ("{people: true}", "{systems: [mute]}"),
        ("      partner_leaves: teller\n      nobody_comes: mute\n", ""),
    ):
        worded = worded.replace(old, new)
    write_guessing(built.studies / "worded", worded)
    with pytest.MonkeyPatch.context() as monkeypatch:
        offer_games(monkeypatch)
        built.serve()
    yield built
    built.close()


@pytest_asyncio.fixture
async def pair(house: House) -> AsyncIterator[list[Participant]]:
    """Two people who sit at seats 0 and 1."""
    async with house.visitor("guessing") as one, house.visitor("guessing") as other:
        yield await seated(one, other)


async def seated(*people: Participant) -> list[Participant]:
    for person in people:
        await person.begin()
    await asyncio.gather(*(p.wait_for_partner() for p in people if "/waiting/" in p.page))
    return sorted(people, key=lambda p: re.search(r'data-seat="(\d)"', p.page).group(1))


def number(person: Participant) -> int:
    """The number on a person's page."""
    return int(re.search(r"Only you see it: <strong>(\d+)</strong>", person.page).group(1))


def reached(person: Participant, secret: int) -> bool:
    """Whether a number came to a browser in any page, header or frame."""
    told = "\n".join(person.received)
    return re.search(rf"(?<!\d){secret}(?!\d)", told) is not None


async def guess(room: Room, value: object) -> dict:
    return await room.answer_to(await room.post("guess", {"number": value}))


async def test_two_people_play_and_neither_sees_what_is_the_others(
    house: House, pair: list[Participant]
) -> None:
    ann, ben = pair
    hers, his = await ann.room(), await ben.room()
    await hers.say("Hello")
    await his.until(lambda room: room.said() == ["Hello"])
    secrets = [number(person) for person in pair]
    assert secrets[0] != secrets[1]

    refused = await guess(hers, "seven")
    assert (refused["code"], refused["type"]) == ("bad_guess", "error")
    mine = await guess(hers, 1)
    assert mine["words"] == "You guessed 1."
    assert mine["composer"] == {
        "shown": True,
        "closed": "You have guessed. Your partner has not yet.",
    }
    # He learns whose turn it is, and nothing of the guess.
    await his.until(lambda room: room.movers == [1])
    assert his.frames[-1] == {"type": "state", "movers": [1]}
    refused = await hers.say("And another thing")
    assert refused["code"] == "closed"

    assert not reached(ann, secrets[1])
    assert not reached(ben, secrets[0])
    await guess(his, secrets[0])
    for room, points in ((hers, 0), (his, 10)):
        assert await room.ends() == "complete"
        [end] = [event for event in room.events if event["action"] == "end"]
        assert end["words"] == f"You earned {points} points."
    ended = [event["data"] for event in hers.events if event["action"] == "end"]
    assert ended == [{"reason": "complete", "outcome": {"success": False, "reward": {"0": 0.0}}}]
    assert all(event["action"] != "guess" or event["seat"] == 0 for event in hers.events)
    assert not reached(ann, secrets[1])

    # The survey is the game's, and its transcript has each seat's own guess in words.
    await ann.reload()
    assert "How attentive was your partner?" in ann.page
    assert "You guessed 1." in ann.page
    await ann.send("rate", **{"answer-attentive": "4"})
    assert ann.code
    assert not reached(ann, secrets[1])
    [label] = house.labels("guessing")
    assert (label.question, label.value) == ("attentive", 4)
    record = next(d for d in house.dialogues("guessing") if d.id == label.dialogue)
    assert record.scenario.game == "number_guess"
    assert [kb["number"] for kb in record.scenario.kbs] == secrets


async def test_a_page_that_comes_back_has_the_state_again(pair: list[Participant]) -> None:
    ann, ben = pair
    hers, his = await ann.room(), await ben.room()
    await guess(hers, 1)
    await hers.close()
    await ann.reload()
    again = await ann.room()
    ready = next(frame for frame in again.frames if frame["type"] == "ready")
    assert ready["composer"]["closed"].startswith("You have guessed")
    assert [e["words"] for e in again.events if e["action"] == "guess"] == ["You guessed 1."]
    fresh = await ben.room(his.url)
    assert "composer" not in next(f for f in fresh.frames if f["type"] == "ready")
    assert [e for e in fresh.events if e["action"] == "guess"] == []


async def test_the_page_holds_the_parts_of_the_game(house: House, pair: list[Participant]) -> None:
    page = pair[0].page
    assert '<number-guess data-room="room-only">' in page
    assert 'data-part="finish"' not in page
    assert 'data-part="composer">' in page
    scripts = re.findall(r'<script type="module" src="([^"]+)"', page)
    assert [s.split("/")[-1].split("?")[0] for s in scripts[-2:]] == [
        "number-guess.js",
        "chat-room.js",
    ]
    for path in (scripts[-2], re.search(r'href="(/static/games/[^"]+\.css\?v=[^"]+)"', page)[1]):
        async with pair[0].session.get(house.server.base + path) as response:
            assert response.status == 200
            assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
            assert "script-src 'self'" in response.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", ["number_guess/game.py", "number_guess/../game.py", "number_guess", "nowhere/x.js"]
)
async def test_nothing_else_of_a_game_is_served(house: House, path: str) -> None:
    async with (
        house.visitor("guessing") as ann,
        ann.session.get(f"{house.server.base}/static/games/{path}") as response,
    ):
        assert response.status == 404


async def test_a_game_without_words_has_no_composer(house: House) -> None:
    async with house.visitor("silent") as one, house.visitor("silent") as other:
        ann, _ = await seated(one, other)
        assert 'data-part="composer" hidden>' in ann.page
        room = await ann.room()
        ready = next(frame for frame in room.frames if frame["type"] == "ready")
        assert ready["composer"] == {"shown": False, "closed": ""}
        assert (await room.say("Hello"))["code"] == "closed"
        assert json.dumps(room.events).count("Hello") == 0


async def test_a_system_of_words_plays_with_tags(house: House) -> None:
    async with house.visitor("worded") as ann:
        await ann.begin()
        room = await ann.room()
        await room.say("What is your number?")
        await room.until(lambda room: room.said() == ["What is your number?", "I say nothing."])
        await guess(room, 1)
        assert await room.ends() == "complete"
        assert room.said()[-1] == "Let me see."
        [record] = house.dialogues("worded")
        assert [(e.seat, e.data) for e in record.events if e.action == "guess"] == [
            (room.seat, {"number": 1}),
            (1 - room.seat, {"number": 7}),
        ]
