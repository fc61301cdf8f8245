"""Raising pay afterwards: the same for all who did the work, once for each line."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.books import read_meter, read_payments
from palaver.studies.recruiting.money.due_payments import choose_due, take_back, take_back_named
from palaver.studies.recruiting.money.top_ups import TopUp, intend_adjustment, read_top_ups
from palaver.studies.recruiting.submissions import news
from support.recruiting import ADA, Recruiting, prolific_in_reach, recruiting

pytestmark = pytest.mark.asyncio


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def worked(home: Recruiting, n: int, *, minutes: float) -> Recruitment:
    """A recruitment in which so many did all steps, and took so long as the panel tells."""
    recruitment = await home.published()
    for visit in await home.come(recruitment, n):
        await home.finish(visit)
    for known in home.stand_in.submissions:
        known.started = (known.completed or 0.0) - minutes * 60
    await news.read_all(home.deployment, recruitment)
    return recruitment


async def top_ups(home: Recruiting, recruitment: Recruitment) -> dict[str, TopUp]:
    now = home.deployment.clock.now()
    found = await home.deployment.store.read(lambda c: read_top_ups(c, recruitment, now=now))
    return {each.line: each for each in found}


async def adjust(home: Recruiting, recruitment: Recruitment, line: str) -> int:
    now = home.deployment.clock.now()
    return await home.deployment.store.write(
        lambda c: intend_adjustment(c, recruitment, line, actor=ADA, now=now)  # type: ignore[arg-type]
    )


async def test_a_longer_median_is_corrected_once_for_all_who_did_the_work(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await worked(home, 6, minutes=20)
        meter = await home.deployment.store.read(lambda c: read_meter(c, recruitment))
        # 2.00 for ten minutes was promised, so that twenty of them are worth 4.00.
        assert meter.promised == 1200
        found = await top_ups(home, recruitment)
        assert set(found) == {"promised", "recommended"}
        assert found["promised"].people == 6
        assert found["promised"].each == pytest.approx(200, abs=1)
        assert found["promised"].words.endswith("brings it to what was promised.")
        assert await adjust(home, recruitment, "promised") == 6
        assert await adjust(home, recruitment, "promised") == 0
        assert "promised" not in await top_ups(home, recruitment)
        # What is promised is more than what is recommended: nobody lacks anything to that any more.
        assert await adjust(home, recruitment, "recommended") == 0
        books = await home.deployment.store.read(lambda c: read_payments(c, recruitment))
        assert {each.rule for each in books.payments} == {"adjustment"}


async def test_a_line_that_nobody_knows_is_refused(tmp_path: Path, stand_in: StandIn) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await worked(home, 1, minutes=20)
        with pytest.raises(InputError, match="There is no line 'gold'"):
            await adjust(home, recruitment, "gold")


async def test_what_is_due_is_chosen_by_rule_and_taken_back_by_name(
    tmp_path: Path, stand_in: StandIn
) -> None:
    async with recruiting(tmp_path, stand_in) as home:
        recruitment = await worked(home, 2, minutes=20)
        await adjust(home, recruitment, "promised")
        store = home.deployment.store
        chosen = await store.read(lambda c: choose_due(c, recruitment, rules=["adjustment"]))
        assert len(chosen) == 2
        with pytest.raises(InputError, match="Nothing is due under 'waiting'"):
            await store.read(lambda c: choose_due(c, recruitment, rules=["waiting"]))
        first, second = chosen
        await store.write(
            lambda c: take_back_named(c, recruitment, rule=first.rule, subject=first.subject)
        )
        await store.write(lambda c: take_back(c, recruitment, second.id))
        with pytest.raises(InputError, match="ordered meanwhile"):
            await store.write(lambda c: take_back(c, recruitment, second.id))
        with pytest.raises(InputError, match="Nothing is due"):
            await store.read(lambda c: choose_due(c, recruitment))
