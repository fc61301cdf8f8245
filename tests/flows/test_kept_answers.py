"""Answers are kept through the address of the visit, for its own screens and nobody else's."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from palaver.web.participant.rating.routes import NOT_KEPT
from support.houses import House
from support.judging_studies import build_judging_house
from support.participants import Participant

from .conftest import Ground

pytestmark = pytest.mark.asyncio

NOT_KEPT_ANSWER = (200, {"kept": False, "error": NOT_KEPT})


@pytest.fixture(scope="module")
def judging_house(light_ground: Ground) -> Iterator[House]:
    """The studies in which people judge, served by one process."""
    built = build_judging_house(light_ground.folder, light_ground.database_url)
    built.serve()
    yield built
    built.close()


def field(page: str) -> str:
    """The first question about a turn."""
    return page.partition('name="answer-empathy-')[2].partition(":")[0]


async def save(ann: Participant, number: int = 1, **form: Any) -> tuple[int, dict[str, Any]]:
    """Save some fields of the page, as its script would; the status and what is answered."""
    data = [*ann.hidden().items(), ("kept", form.pop("kept", "0")), ("number", str(number))]
    for name, value in form.items():
        values = value if isinstance(value, list) else [value]
        data = [pair for pair in data if pair[0] != name]
        data += [(name, each) for each in values]
    headers = {"accept": "application/json"}
    async with ann.session.post(f"{ann.path}/keep", data=data, headers=headers) as response:
        found = await response.json() if "json" in response.content_type else {}
        return response.status, found


def drafts(house: House) -> int:
    return house.store.read_now(
        lambda c: c.execute(text("SELECT count(*) FROM drafts")).scalar_one()
    )


async def test_a_kept_answer_is_on_the_page_again_and_goes_when_it_is_sent(
    judging_house: House,
) -> None:
    async with judging_house.visitor("two-questions", "ann") as ann:
        await ann.begin()
        name = f"answer-empathy-{field(ann.page)}"
        stale = ann.hidden()
        status, said = await save(ann, changed=name, **{f"{name}:empathy": "empathetic"})
        assert (status, said) == (200, {"kept": True})
        assert judging_house.labels("two-questions") == []
        await ann.reload()
        assert 'value="empathetic" checked' in ann.page

        await ann.send("rate", **{f"{name}:empathy": "not_empathetic"})
        late = await save(ann, 2, **{**stale, "changed": name, f"{name}:empathy": "empathetic"})
        assert late == NOT_KEPT_ANSWER
        await ann.open(f"{ann.path}?screen=1")
        assert 'value="not_empathetic" checked' in ann.page
        assert 'value="empathetic" checked' not in ann.page

        await ann.open(f"{ann.path}?screen=2")
        await save(ann, changed="answer-quality_likert", **{"answer-quality_likert": "4"})
        await ann.send("rate", **{"answer-quality_likert": "4", "answer-grammatical_likert": "5"})
        assert ann.code
        after = await save(ann, 3, **{**stale, "changed": name, f"{name}:empathy": "empathetic"})
        assert after == NOT_KEPT_ANSWER
    assert drafts(judging_house) == 0


async def test_strange_saves_are_refused_in_words(judging_house: House) -> None:
    async with judging_house.visitor("judged-twice", "mallory") as ann:
        await ann.begin()
        name = f"answer-empathy-{field(ann.page)}"
        answer = {f"{name}:empathy": "empathetic"}
        assert (await save(ann, changed=name, **answer, work="sheet-999")) == NOT_KEPT_ANSWER
        assert (await save(ann, changed=name, **answer, screen="7")) == NOT_KEPT_ANSWER
        assert (await save(ann, changed=name, **answer, csrf="forged"))[0] == 403
        status, said = await save(ann, changed="answer-other", **answer)
        assert (status, said["error"]) == (
            422,
            "This screen has no question 'answer-other'. Reload it.",
        )
        status, said = await save(ann, changed=name, **answer, number="many")
        assert status == 422
        assert "got 'many'" in said["error"]
        status, said = await save(ann, changed=name, **{name: "x" * 210_000})
        assert status == 422
        assert "at most 200,000 can be kept" in said["error"]
        assert drafts(judging_house) == 0

        async with judging_house.visitor("judged-twice", "ben") as ben:
            await ben.begin()
            other = ben.path
            data = {**ann.hidden(), "kept": "0", "number": "1", "changed": name, **answer}
            async with ann.session.post(f"{other}/keep", data=data) as response:
                assert response.status == 403
    assert drafts(judging_house) == 0


async def test_practice_and_own_chats_are_kept_as_well(judging_house: House) -> None:
    async with judging_house.visitor("screened", "ann") as ann:
        await ann.begin()
        await ann.send("practice")
        name = f"answer-empathy-{field(ann.page)}"
        assert (await save(ann, changed=name, **{f"{name}:empathy": "empathetic"}))[0] == 200
        await ann.reload()
        assert 'value="empathetic" checked' in ann.page

    async with judging_house.visitor("own-questions", "ann") as ann:
        await ann.begin()
        room = await ann.chat("Hello.")
        await room.close()
        await ann.reload()
        while "answer-quality_likert" not in ann.page:
            name = ann.page.partition('name="answer-thumbs-')[2].partition('"')[0]
            await ann.send("rate", **{f"answer-thumbs-{name}": "up"})
        assert "Judge conversation A" in ann.heading
        await save(ann, changed="answer-quality_likert", **{"answer-quality_likert": "2"})
        await ann.reload()
        assert 'name="answer-quality_likert" value="2" checked' in ann.page


async def test_a_form_on_which_nothing_was_ticked_is_no_answer(judging_house: House) -> None:
    async with judging_house.visitor("two-questions", "bob") as ann:
        await ann.begin()
        await ann.send("rate")
        assert ann.status == 422
        assert "Please answer this question." in ann.page
