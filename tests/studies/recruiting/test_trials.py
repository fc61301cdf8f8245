"""A draft is tried with test participants, and with nobody else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import InputError, PanelRefusedError
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.offering.trials import try_out
from palaver.studies.recruiting.places import recruit
from support.recruiting import ADA, BASE, prolific_in_reach, recruiting

pytestmark = pytest.mark.asyncio


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def test_a_draft_is_opened_once_there_is_somebody_to_try_it(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        draft = await recruit.create(home.deployment, "birds", base=BASE, actor=ADA)
        with pytest.raises(PanelRefusedError, match="test participant"):
            await try_out(home.deployment, draft, actor=ADA)
        with pytest.raises(InputError, match="needs an e-mail address; got 'nobody'"):
            await try_out(home.deployment, draft, actor=ADA, email="nobody")
        opened = await try_out(home.deployment, draft, actor=ADA, email="ada@example.org")
        assert opened.study == draft.panel_id
        assert stand_in.submissions == []


async def test_what_is_published_is_not_tried(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        there = await home.published()
        with pytest.raises(InputError, match="tries out drafts alone"):
            await try_out(home.deployment, there, actor=ADA)


async def test_a_trial_is_never_published(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        draft = await recruit.create(home.deployment, "birds", base=BASE, actor=ADA, is_trial=True)
        with pytest.raises(InputError, match="for test participants alone"):
            await recruit.publish(home.deployment, draft, actor=ADA)
