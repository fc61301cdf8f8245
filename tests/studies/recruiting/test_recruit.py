"""Recruiting at a panel: created with what it costs, published, paused, enlarged, stopped."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.offering.offers import make_offer
from palaver.studies.recruiting.places import recruit
from support.recruiting import ADA, BASE, recruiting

pytestmark = pytest.mark.asyncio


async def test_an_offer_says_what_it_costs_before_anything_is_created(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        offer = await make_offer(home.deployment, home.study, base=BASE)
    assert offer.problems == ()
    # Ten people at 2.00, a third of it for the panel, and a fifth of that for taxes.
    assert (offer.places, offer.reward, offer.cost) == (10, 200, 2800)
    assert offer.meter.promised == 1200
    assert stand_in.studies == []


async def test_from_a_draft_to_people_and_back(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        made = await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
        assert (made.state, made.published) == ("unpublished", None)
        assert home.study.definition.crowd.codes["completed"] == made.codes["completed"]
        there = await recruit.publish(home.deployment, made, actor=ADA)
        assert (there.wanted, there.places) == ("running", 10)
        paused = await recruit.pause(home.deployment, there, actor=ADA)
        assert (paused.state, paused.wanted) == ("paused", "paused")
        more = await recruit.set_places(home.deployment, paused, 12, actor=ADA)
        assert more.places == 12
        with pytest.raises(InputError, match="takes no fewer; got 3"):
            await recruit.set_places(home.deployment, more, 3, actor=ADA)
        running = await recruit.resume(home.deployment, more, actor=ADA)
        assert running.state == "active"
        stopped = await recruit.stop(home.deployment, running, actor=ADA)
        assert stopped.state == "awaiting_review"
