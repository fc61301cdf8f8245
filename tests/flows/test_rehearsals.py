"""A study tried as a participant, from the desk: the whole visit, and nothing of it is stored."""

import asyncio
from collections.abc import Iterator

import pytest

from support.flow_studies import people, system
from support.houses import House
from support.houses import study as a_study
from support.rehearsing import Rehearser, contents

pytestmark = pytest.mark.asyncio

KIND = {"kind": {"kind": "likert", "text": "How kind?", "points": [1, 2, 3, 4, 5]}}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house whose studies are rehearsed."""
    folder = tmp_path_factory.mktemp("rehearsed")
    whole = system(
        questions=KIND,
        crowd={
            "kind": "prolific",
            "completion_code": "C0DE1234",
            "completion_url": "https://app.prolific.com/submissions/complete?cc={code}",
        },
    )
    whole["stages"].append({"rate": {"ask": ["kind"]}})
    judging = {
        **a_study({}),
        "questions": KIND,
        "stages": [{"rate": {"ask": ["kind"], "from": "whole", "per_visit": 2}}],
    }
    built = House.build(
        folder,
        {"whole": whole, "people": people(limits={}), "judging": judging},
        f"sqlite:///{folder / 'home' / 'palaver.db'}",
    )
    built.serve()
    yield built
    built.close()


async def test_a_whole_visit_is_rehearsed_and_the_home_stays_as_it_was(stage: House) -> None:
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        before = contents(stage.store)
        await ruth.rehearse("whole")
        assert "nothing is stored" in ruth.page
        assert "Do you agree?" in ruth.page

        await ruth.begin()
        room = await ruth.chat("Hello", "How are you?")
        assert room.heard() == ["tern one", "tern two"]
        assert await room.ends() == "complete"
        await ruth.reload()
        await ruth.send("rate", **{"answer-kind": "4"})

        assert ruth.heading == "Thank you. You have finished."
        assert ruth.code == "C0DE1234"
        assert "In a rehearsal this is an example" in ruth.page
        assert "app.prolific.com" not in ruth.page
        assert contents(stage.store) == before
        await ruth.send("rehearsal/end")
        assert "Try it as a participant" in ruth.page


async def test_one_person_is_both_who_meet(stage: House) -> None:
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        await ruth.rehearse("people")
        await ruth.begin()
        assert "/waiting/" in ruth.page
        other = await ruth.second_seat()
        assert "You are person 2 of 2" in other.page
        assert set(
            await asyncio.gather(
                *(p.wait_for_partner() for p in (ruth, other) if "/waiting/" in p.page)
            )
        ) == {"seated"}
        for person in (ruth, other):
            await person.reload()
        hers, his = await ruth.room(), await other.room()
        await hers.say("Hello from one tab")
        await his.hears("Hello from one tab")
        assert stage.dialogues("people") == []
        for room in (hers, his):
            await room.close()


async def test_a_rehearsal_begins_anew_at_a_step(stage: House) -> None:
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        await ruth.rehearse("whole")
        assert ruth.steps() == ["Consent", "Instructions", "Conversation", "The end"]
        first = ruth.path
        await ruth.send("rehearsal/again", step="stage:0")
        assert ruth.path != first
        assert ruth.sockets()
        await ruth.send("rehearsal/again", step="done")
        assert ruth.heading == "Thank you. You have finished."
        await ruth.open(first)
        assert ruth.status == 410
        assert ruth.heading == "The rehearsal is over"


async def test_what_another_study_collected_is_shown_to_judge(stage: House) -> None:
    async with stage.visitor("whole", "real") as ann:
        await ann.begin()
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        await ruth.rehearse("judging")
        assert "There is nothing to rehearse in &#39;judging&#39; yet" in ruth.page
