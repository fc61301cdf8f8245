"""Decisions: checked before anything is sent, sent once, and what came of each."""

from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.core.recruiting.submissions import Decision, KeptSubmission
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting.submissions import list_submissions
from palaver.studies.recruiting.books import read_suggestions
from palaver.studies.recruiting.submissions import news
from palaver.studies.recruiting.submissions.decisions import Ruled, Ruling, rule, write_to
from support.recruiting import ADA, Recruiting, recruiting

pytestmark = pytest.mark.asyncio
LONG = (
    "The instructions ask for four messages about birds, and every message was a single letter. "
    * 2
)


async def waiting(home: Recruiting, n: int = 1) -> tuple[Recruitment, list[str]]:
    """A recruitment in which so many submissions wait for a decision."""
    made = await home.published()
    pieces = []
    for visit in await home.come(made, n):
        await home.finish(visit)
        pieces.append(visit.external_id or "")
    await news.read_all(home.deployment, made)
    return made, pieces


async def decide(
    home: Recruiting, made: Recruitment, decision: Decision, pieces: list[str], **given: Any
) -> Ruled:
    ruling = Ruling(decision=decision, submissions=tuple(pieces), **given)
    return await rule(home.deployment, made, ruling, actor=ADA)


async def known(home: Recruiting, made: Recruitment) -> list[KeptSubmission]:
    return await home.deployment.store.read(lambda c: list_submissions(c, made.id))


async def test_whoever_did_the_work_is_suggested_and_approved(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, pieces = await waiting(home, 3)
        study = home.study.definition
        found = await home.deployment.store.read(
            lambda c: read_suggestions(c, made, study, now=9e9)
        )
        assert [each.suggested for each in found] == ["approve"] * 3
        assert "came back with the right code" in [each.words for each in found[0].evidence]
        done = await decide(home, made, "approve", pieces)
        assert (done.done, done.refused) == (3, ())
        await news.read_all(home.deployment, made)
        assert {each.state for each in await known(home, made)} == {"approved"}


async def test_many_are_approved_with_one_request(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(
        tmp_path, stand_in, recruit={"description": "Talk.", "places": 15}
    ) as home:
        made, pieces = await waiting(home, 12)
        before = len(stand_in.calls)
        assert (await decide(home, made, "approve", pieces)).done == 12
        assert len(stand_in.calls) == before + 1
        assert {each.decision_state for each in await known(home, made)} == {"sending"}
        await news.read_all(home.deployment, made)
        assert {each.decision_state for each in await known(home, made)} == {"done"}


async def test_a_rejection_needs_a_hundred_characters_and_a_category(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, pieces = await waiting(home)
        calls = len(stand_in.calls)
        with pytest.raises(InputError, match=r"has 99 characters.*Nothing was sent"):
            await decide(home, made, "reject", pieces, message="x" * 99, category="LOW_EFFORT")
        with pytest.raises(InputError, match="'LAZY' is not a category"):
            await decide(home, made, "reject", pieces, message=LONG, category="LAZY")
        assert len(stand_in.calls) == calls
        done = await decide(home, made, "reject", pieces, message=LONG, category="LOW_EFFORT")
        assert done.done == 1
        await news.read_all(home.deployment, made)
        assert [each.state for each in await known(home, made)] == ["rejected"]
        again = await decide(home, made, "take_back", pieces)
        assert again.done == 1


async def test_what_is_decided_already_is_left_alone(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, pieces = await waiting(home)
        await decide(home, made, "approve", pieces)
        await news.read_all(home.deployment, made)
        done = await decide(home, made, "reject", pieces, message=LONG, category="LOW_EFFORT")
        assert done.done == 0
        assert "It is approved already." in done.words


async def test_without_an_answer_a_decision_is_settled_by_the_list(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, pieces = await waiting(home)
        stand_in.switches.break_next(how="500", when="after", on="transition")
        done = await decide(home, made, "approve", pieces)
        assert (done.done, done.unknown) == (0, 1)
        refused = await decide(home, made, "approve", pieces)
        assert "Read the list first" in refused.words
        await news.read_all(home.deployment, made)
        (only,) = await known(home, made)
        assert (only.state, only.decision_state) == ("approved", "done")


async def test_asking_for_the_return_and_writing(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made, pieces = await waiting(home, 2)
        assert (
            await decide(home, made, "ask_return", pieces[:1], reason="Nothing came.")
        ).done == 1
        with pytest.raises(InputError, match="Say why"):
            await decide(home, made, "ask_return", pieces[1:])
        people = [each.participant or "" for each in await known(home, made)]
        assert await write_to(home.deployment, made, people, "Thank you.", actor=ADA) == 2
        assert len(stand_in.messages) == 2
        with pytest.raises(InputError, match="has not taken part"):
            await write_to(home.deployment, made, ["stranger"], "Hello", actor=ADA)


async def test_somebody_who_did_not_go_back_is_completed_from_here(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        await home.end(visit)
        await news.read_all(home.deployment, made)
        done = await decide(home, made, "complete", [visit.external_id or ""])
        assert (done.done, done.refused) == (1, ())
        await news.read_all(home.deployment, made)
        assert [each.state for each in await known(home, made)] == ["awaiting_review"]


async def test_a_paid_screen_out(tmp_path: Path, stand_in: StandIn) -> None:
    pay = {"amount": 2.0, "currency": "GBP", "practice": 0.5, "over_quota": 0.2}
    async with recruiting(tmp_path, stand_in, pay=pay) as home:
        made, pieces = await waiting(home)
        with pytest.raises(InputError, match="more than nothing"):
            await decide(home, made, "screen_out", pieces)
        done = await decide(home, made, "screen_out", pieces, pay=50)
        assert (done.done, done.refused) == (1, ())
        await news.read_all(home.deployment, made)
        assert [each.state for each in await known(home, made)] == ["screened_out"]
