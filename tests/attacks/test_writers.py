"""A writer who reads the source, sends moves by hand, and looks for what others wrote."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.houses import House
from support.loops import Writer, loop_house, loop_study
from support.participants import Participant

pytestmark = pytest.mark.asyncio

STUDIES = {
    "loop": loop_study(tries=2, per_visit=1, per_context=9),
    "hurtful": loop_study(task="hs", sessions=9, per_visit=1),
    "mild": {
        **loop_study(task="sentiment", sessions=9, per_visit=1),
        "consent": {"version": "1", "text": "Do you agree?"},
    },
}
del STUDIES["hurtful"]["stages"][0]["write"]["contexts"]
del STUDIES["mild"]["stages"][0]["write"]["contexts"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder: Path = tmp_path_factory.mktemp("writers")
    url = f"sqlite:///{folder / 'home' / 'palaver.db'}"
    with loop_house(folder, url, STUDIES) as (built, _):
        built.serve()
        yield built


async def sends(person: Participant, path: str, **form: str) -> None:
    """Send a form by hand, with the token that another page of the visit has."""
    await person.open(person.link)
    await person.open(f"{person.path}/problem")
    await person.send(path, **form)


async def test_what_a_writer_is_sent_names_no_model_and_tells_no_answer_early(house: House) -> None:
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        sent = "".join(person.received) + str(writer.room.events)
        assert "bag" not in sent
        assert not writer.answers
        await writer.tries("Somebody overslept.")
        [asked, answered] = [e for e in writer.room.events if e["action"] in ("try", "answer")]
        assert asked["data"].keys() == {"values"}
        assert "bag" not in str(answered)


async def test_an_answer_of_ones_own_making_is_refused(house: House) -> None:
    async with house.visitor("loop") as person:
        writer = await Writer.begin(person)
        forged: dict[str, Any] = {"values": {"label": "neutral"}, "wrong": True}
        assert (await writer.does("answer", **forged))["code"] == "unknown_action"
        # What else a try says of itself makes it no other one.
        values = {"hypothesis": "It is so.", "label": "neutral"}
        await writer.does("try", values=values, wrong=True, model="mine")
        await writer.room.until(lambda _: writer.answers)
        assert writer.answers[-1]["data"]["wrong"] is False
        refused = await writer.does("keep")
        assert refused["code"] == "not_fooled"
        assert (await writer.does("judge", wrong=True))["code"] == "not_asked"
        assert (await writer.does("keep", number=2))["code"] == "bad_keep"
        assert (await writer.does("retract", seq=1))["code"] == "unknown_action"
        assert (await writer.does("verdict", seq=1, verdict="correct"))["code"] == "unknown_action"


async def test_somebody_elses_list_is_closed_and_theirs_cannot_be_taken_back(house: House) -> None:
    async with house.visitor("loop") as ann, house.visitor("loop") as ben:
        writer = await Writer.begin(ann)
        await writer.tries("A very private remark.")
        await writer.keeps(why="It says so.")
        await ann.reload()
        assert "1 text" in ann.page or "Your text fooled" in ann.page
        await ann.open(f"{ann.path}/examples")
        assert "A very private remark." in ann.page
        [uid] = {each.split('"')[0] for each in ann.page.split("?back=")[1:]}

        await ben.begin()
        await ben.open(f"{ann.path}/examples")
        assert ben.status == 403
        assert "private" not in ben.page
        await ben.open(ben.link)
        await ben.open(f"{ben.path}/examples?back={uid}")
        assert "private" not in ben.page
        for asked, status, words in ((uid, 403, "Only whoever wrote"), ("d-7", 404, "no example")):
            await sends(ben, "examples", uid=asked)
            assert (ben.status, words in ben.page) == (status, True)

        # Her own she takes back without a script, and only with the token of the page.
        await ann.open(f"{ann.path}/examples?back={uid}")
        await ann.send("examples", csrf="forged")
        assert ann.status != 200
        await ann.open(f"{ann.path}/examples?back={uid}")
        await ann.send("examples")
        assert "taken back" in ann.page


async def test_the_first_text_comes_after_its_warning(house: House) -> None:
    async with house.visitor("hurtful") as person:
        await person.begin()
        assert person.heading == "Before you read on"
        assert "may be hateful" in person.page
        assert not person.sockets()
        before = house.places("hurtful").get("free")
        await person.send("warned", go="no")
        assert "not taking part" in person.heading
        assert house.places("hurtful").get("free") == before
    async with house.visitor("hurtful") as person:
        await person.begin()
        await person.send("warned", go="yes")
        assert person.heading == "Write a statement the model gets wrong"
        await sends(person, "warned", go="no")
        assert person.sockets()


async def test_a_task_without_a_warning_shows_its_first_text_at_once(house: House) -> None:
    async with house.visitor("mild") as person:
        await person.begin()
        assert person.heading == "Write a statement the model gets wrong"
        await sends(person, "warned", go="no")
        assert person.sockets()
