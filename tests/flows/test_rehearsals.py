"""A study tried as a participant, from the desk: the whole visit, and nothing of it is stored."""

import asyncio
import re
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.web.participant.rooms.routes import OUT_OF_DATE
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
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        await ruth.rehearse("judging")
        assert "There is nothing to rehearse in &#39;judging&#39; yet" in ruth.page
    async with stage.visitor("whole") as ann:
        await ann.begin()
        room = await ann.chat("I have something to say", "Goodbye")
        assert await room.ends() == "complete"
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        before = contents(stage.store)
        await ruth.rehearse("judging")
        assert "It shows 1 conversation of the study &#39;whole&#39;" in ruth.page
        await ruth.begin()
        assert "I have something to say" in ruth.page
        await ruth.send("rate", **{"answer-kind": "5"})
        after = contents(stage.store)
        # Its own sheets the study takes in by itself, whoever rehearses.
        for name in ("assignments", "participants", "labels", "events", "raters"):
            assert after[name] == before[name]


async def test_an_open_page_ends_with_the_rehearsal(stage: House) -> None:
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        await ruth.rehearse("whole")
        await ruth.begin()
        room = await ruth.room()
        await ruth.send("rehearsal/end")
        await room.closed.wait()
        assert room.socket.close_code == OUT_OF_DATE


async def test_a_rehearsal_goes_on_while_the_study_is_changed(stage: House) -> None:
    async with Rehearser.at(stage) as ruth:
        await ruth.sign_in()
        await ruth.open(f"{ruth.base}/desk/studies/whole/edit")
        [base] = re.findall(r'name="base" value="(\d+)"', ruth.page)
        text = stage.studies.joinpath("whole", "study.yaml").read_text(encoding="utf-8")
        await ruth.rehearse("whole")
        await ruth.begin()
        room = await ruth.chat("Hello")
        visit = ruth.path
        await ruth.open(f"{ruth.base}/desk/studies/whole/edit")
        changed = text.replace("tern three", "tern four")
        await ruth.post("/desk/studies/whole/edit", act="save", base=base, text=changed)
        assert "Saved and served" in ruth.page
        await room.say("Still there?")
        await room.hears("tern two", count=1)
        await ruth.open(visit)
        await ruth.send("rehearsal/end")


async def test_the_home_holds_together_afterwards(stage: House) -> None:
    done = await asyncio.to_thread(CliRunner().invoke, palaver, ["verify", str(stage.home)])
    assert done.exit_code == 0, done.output
