"""News of submissions: twice, late, in any order, by hooks and by lists; who is gone is freed."""

from pathlib import Path

import pytest

from palaver.core.studies.visits import ABANDONED, ACTIVE
from palaver.crowds.prolific.hooks import SUBMISSION_CHANGED
from palaver.crowds.prolific.records import HookEvent
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.people.participants import get_assignment
from palaver.storage.recruiting.deliveries import waiting_deliveries
from palaver.storage.recruiting.submissions import list_submissions
from palaver.studies.recruiting.submissions import news
from palaver.studies.run.erasure import erase_live
from support.recruiting import Recruiting, recruiting

pytestmark = pytest.mark.asyncio


def event(piece: str, status: str, happened: float, *, name: str = "") -> HookEvent:
    return HookEvent(
        id=name or f"{piece}/{status}/{happened}",
        kind=SUBMISSION_CHANGED,
        resource=piece,
        status=status,
        participant="somebody",
        happened=happened,
    )


async def states(home: Recruiting) -> list[str]:
    known = await home.deployment.store.read(lambda c: list_submissions(c, 1))
    return [each.state for each in known]


async def test_an_event_that_comes_twice_is_kept_once(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        told = event(visit.external_id or "", "awaiting_review", 10.0)
        assert await news.take_hook(home.deployment, told)
        assert not await news.take_hook(home.deployment, told)
        assert len((await news.apply_hooks(home.deployment)).moved) == 1
        assert (await news.apply_hooks(home.deployment)).moved == []


async def test_events_in_any_order_end_in_the_newest_state(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        piece = visit.external_id or ""
        for status, happened in (("approved", 30.0), ("active", 10.0), ("awaiting_review", 20.0)):
            await news.take_hook(home.deployment, event(piece, status, happened))
            await news.apply_hooks(home.deployment)
        assert await states(home) == ["approved"]
        assert await home.deployment.store.read(waiting_deliveries) == []


async def test_whoever_is_gone_over_there_frees_their_place_here(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        visits = await home.come(made, 3)
        gone = {0: "returned", 1: "timed_out"}
        for number, status in gone.items():
            piece = visits[number].external_id or ""
            await news.take_hook(home.deployment, event(piece, status, 10.0))
        await news.apply_hooks(home.deployment)
        now = [
            await home.deployment.store.read(lambda c, key=each.key: get_assignment(c, key))
            for each in visits
        ]
        assert [(each.state, each.reason) for each in now] == [
            (ABANDONED, "returned"),
            (ABANDONED, "timed_out"),
            (ACTIVE, ""),
        ]


async def test_the_list_finds_what_no_hook_told(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        done, gone, _ = await home.come(made, 3)
        await home.finish(done)
        stand_in.return_(gone.external_id or "")
        await news.read_all(home.deployment, made)
        assert await states(home) == ["awaiting_review", "returned", "active"]
        again = await home.deployment.store.read(lambda c: get_assignment(c, gone.key))
        assert again.state == ABANDONED


async def test_a_submission_that_nobody_here_knows_is_asked_for(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (there,) = stand_in.arrive(1, study=made.panel_id or "")
        await news.take_hook(home.deployment, event(there.id, "active", 10.0))
        applied = await news.apply_hooks(home.deployment)
        assert await states(home) == ["active"]
        assert applied.studies == {made.panel_id}


async def test_a_submission_of_somebody_elses_study_is_left_alone(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        await home.published()
        await news.take_hook(home.deployment, event("0" * 24, "active", 10.0))
        await news.apply_hooks(home.deployment)
        assert await states(home) == []
        assert await home.deployment.store.read(waiting_deliveries) == []


async def test_whoever_did_not_agree_is_forgotten_once_all_is_settled(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (there,) = stand_in.arrive(1, study=made.panel_id or "")
        stand_in.complete(there.id, made.codes["no_consent"])
        await news.read_all(home.deployment, made)
        (known,) = await home.deployment.store.read(lambda c: list_submissions(c, made.id))
        assert known.panel_id == there.id
        stand_in.return_(there.id)
        for _ in range(2):
            await news.read_all(home.deployment, made)
            (known,) = await home.deployment.store.read(lambda c: list_submissions(c, made.id))
            assert (known.state, known.panel_id, known.participant) == ("returned", None, None)


async def test_nothing_comes_back_of_somebody_who_was_erased(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        ended = await home.finish(visit)
        await news.read_all(home.deployment, made)
        await erase_live(
            home.deployment, home.study.id, home.study.definition, [ended], by="participant"
        )
        await news.read_all(home.deployment, made)
        (known,) = await home.deployment.store.read(lambda c: list_submissions(c, made.id))
        assert (known.panel_id, known.participant, known.code) == (None, None, None)
        assert known.state == "awaiting_review"
