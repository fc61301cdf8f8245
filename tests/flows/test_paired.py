"""One person compares two systems, one after the other or side by side, and stays blind."""

import pytest

from support.houses import House
from support.participants import Participant

pytestmark = pytest.mark.asyncio

# What the systems are called in the study; what they say ("tern one") is theirs to say.
NAMES = ("plover", "tern")


def blinded(ann: Participant) -> str:
    """Everything the browser was sent, without the words of the dialogues."""
    text = "\n".join(ann.received)
    for name in NAMES:
        for number in ("one", "two", "three"):
            text = text.replace(f"{name} {number}", "…")
    return text


async def in_turn(ann: Participant) -> list[str]:
    """Hold both conversations one after the other; the first reply of each."""
    first_replies = []
    for _ in range(2):
        room = await ann.chat("Hello", "Go on")
        assert await room.ends() == "complete"
        first_replies.append(room.heard()[0])
        await ann.reload()
    return first_replies


async def side_by_side(ann: Participant) -> list[str]:
    """Hold both conversations at once; the first reply of each."""
    rooms = [await ann.room(url) for url in ann.sockets()]
    for count, text in enumerate(("Hello", "Go on"), start=1):
        for room in rooms:
            await room.say(text)
        for room in rooms:
            await room.hears(count=count)
    for room in rooms:
        assert await room.ends() == "complete"
    await ann.reload()
    return [room.heard()[0] for room in rooms]


@pytest.mark.parametrize("display", ["in-turn", "side-by-side"])
async def test_an_answer_names_the_side_of_the_unit_and_the_browser_learns_no_name(
    house: House, display: str
) -> None:
    for n in range(3):
        async with house.visitor(display, f"{display}-{n}") as ann:
            await ann.begin()
            met = await (in_turn if display == "in-turn" else side_by_side)(ann)
            assert ann.heading.startswith("Compare the two conversations")
            assert ann.page.index(met[0]) < ann.page.index(met[1])
            await ann.send("rate", **{"answer-better": "a"})
            assert ann.code
            for name in NAMES:
                assert name not in blinded(ann)
        label = house.labels(display)[-1]
        preferred = label.unit.removeprefix("pair:").split("|")[
            ["first", "second"].index(label.value)
        ]
        record = next(d for d in house.dialogues(display) if f"dialogue:{d.id}" == preferred)
        assert f"{record.seats[1].occupant} one" == met[0]
        assert record.position == 0
        assert label.shown_order[0] == label.value
        assert sorted(label.shown_order) == ["first", "second"]
    assert house.places(display)["done"] == 3


async def test_a_wrong_or_missing_answer_is_asked_again_and_nothing_is_stored(house: House) -> None:
    async with house.visitor("in-turn", "careless") as ann:
        await ann.begin()
        await in_turn(ann)
        stored = len(house.labels("in-turn"))
        for answer in ({}, {"answer-better": "plover"}, {"answer-better": ""}):
            await ann.send("rate", **answer)
            assert ann.status == 422
            assert (
                "Please look again." if answer.get("answer-better") else "Please answer"
            ) in ann.page
        assert len(house.labels("in-turn")) == stored
        await ann.send("rate", **{"answer-better": "tie"})
        assert ann.code
    assert house.labels("in-turn")[-1].value == "tie"


async def test_a_form_that_is_sent_twice_counts_once(house: House) -> None:
    async with house.visitor("in-turn", "twice") as ann:
        await ann.begin()
        await in_turn(ann)
        page = ann.page
        stored = len(house.labels("in-turn"))
        await ann.send("rate", **{"answer-better": "b"})
        ann.page = page
        await ann.send("rate", **{"answer-better": "a"})
        assert ann.code
    assert len(house.labels("in-turn")) == stored + 1


async def test_quitting_the_second_of_two_ends_the_visit_as_quit(house: House) -> None:
    async with house.visitor("side-by-side", "quitter") as ann:
        await ann.begin()
        first, second = [await ann.room(url) for url in ann.sockets()]
        await second.post("quit")
        assert await second.ends() == "quit"
        assert await first.ends() == "abandoned"
        await ann.reload()
        assert ann.heading == "You ended the conversation early"


async def test_somebody_busy_in_one_conversation_is_not_late_in_the_other(house: House) -> None:
    async with house.visitor("side-by-side-hurry") as ann:
        await ann.begin()
        first, second = [await ann.room(url) for url in ann.sockets()]
        await first.say("Hello")
        await first.hears(count=1)
        with pytest.raises(TimeoutError):
            await second.ends(seconds=2.5)
        await first.say("Bye")
        await first.ends()
        with pytest.raises(TimeoutError):
            await second.ends(seconds=2.5)
        await second.say("Hello")
        await second.hears(count=1)
        await second.say("Bye")
        assert await second.ends() == "complete"


async def test_a_study_that_stopped_lets_nobody_in_and_whoever_is_inside_finish(
    house: House,
) -> None:
    async with house.visitor("stopping") as ann, house.visitor("stopping") as bob:
        await ann.begin()
        house.stop("stopping")
        await bob.reload()
        assert bob.heading == "This study has all the votes it needs"
        assert "Nothing was asked of you" in bob.page
        async with house.visitor("stopping") as eve:
            assert eve.heading == "This study has all the votes it needs"
            assert "Do you agree?" not in eve.page

        await in_turn(ann)
        await ann.send("rate", **{"answer-better": "a"})
        assert ann.code
        assert "all steps done" in ann.page
