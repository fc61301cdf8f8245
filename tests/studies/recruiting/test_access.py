"""A token is stored, noted in the trail without itself, tried, and forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.accounts.trail import asked_filter, read_page
from palaver.core.errors import InputError, PanelTokenError
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.access import forget_token, read_access, store_token, try_token
from support.recruiting import ADA, prolific_in_reach, recruiting

pytestmark = pytest.mark.asyncio


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        monkeypatch.delenv("PALAVER_PROLIFIC_TOKEN")
        monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
        yield found


async def test_from_none_to_one_and_back(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path / "birds", stand_in) as home:
        assert read_access().token is None
        with pytest.raises(InputError, match="There is no token for Prolific"):
            await try_token(home.deployment)
        await store_token(home.deployment, "not-this-one", actor=ADA)
        with pytest.raises(PanelTokenError):
            await try_token(home.deployment)
        # The next call uses the new token; nothing has to be started again.
        found = await store_token(home.deployment, stand_in.token, actor=ADA)
        assert found.token is not None
        assert found.token.source == "file"
        known = await try_token(home.deployment)
        assert (known.account.currency, len(known.workspaces)) == ("GBP", 1)
        assert await forget_token(home.deployment, actor=ADA)
        assert not await forget_token(home.deployment, actor=ADA)
        wanted = asked_filter(
            act="recruiting.token", account=None, study=None, since=None, until=None
        )
        trail = await home.deployment.store.read(lambda c: read_page(c, wanted, after=0, limit=10))
        assert [each.detail for each in trail.entries] == [
            {"token": "stored"},
            {"token": "stored"},
            {"token": "removed"},
        ]
        assert "not-this-one" not in str(trail)


async def test_a_token_is_tried_where_there_is_no_home_yet(stand_in: StandIn) -> None:
    await store_token(None, stand_in.token, actor=ADA)
    assert (await try_token(None)).account.name == "Stand-in researcher"
