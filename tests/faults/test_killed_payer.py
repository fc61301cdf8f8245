"""kill -9 while bonuses are paid: nobody is paid twice, and what is not known is said to be."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.recruiting.payments import PayOrder
from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting import payments as rows
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.submissions import news
from support.recruiting import ADA, Recruiting, deployed, prolific_in_reach, write_study

pytestmark = [pytest.mark.asyncio, pytest.mark.faults, pytest.mark.timeout(300)]

PAY = """
import asyncio, sys
from pathlib import Path
from palaver.core.audit import COMMAND
from palaver.storage import Store
from palaver.storage.recruiting.payments import find_order
from palaver.studies.recruiting.money import orders
from palaver.studies.run.deployment import Deployment

async def pay(folder, *keys):
    store = Store(f"sqlite:///{folder}/palaver.db")
    deployment = Deployment(store, [], folder=Path(folder))
    known = [store.read_now(lambda c: find_order(c, key)) for key in keys]
    print("sending", flush=True)
    await asyncio.gather(*(orders.pay(deployment, each, actor=COMMAND) for each in known))

asyncio.run(pay(*sys.argv[1:]))
"""


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def test_a_payer_that_is_killed_leaves_orders_that_nobody_sends_again(
    tmp_path: Path, stand_in: StandIn
) -> None:
    write_study(tmp_path)
    async with deployed(tmp_path, tmp_path, stand_in) as home:
        made = await home.published()
        visits = [await home.finish(visit) for visit in await home.come(made, 2)]
        await news.read_all(home.deployment, made)
        ready = [await order_of(home, made, visit.external_id or "") for visit in visits]

    # The panel hears both requests and never answers, and pays one of them all the same: the payer is
    # killed while it waits.
    stand_in.switches.break_next(how="silence", when="before", on="pay")
    stand_in.switches.break_next(how="silence", when="after", on="pay")
    keys = [order.key for order in ready]
    payer = subprocess.Popen(
        [sys.executable, "-c", PAY, str(tmp_path), *keys], stdout=subprocess.PIPE
    )
    assert payer.stdout is not None
    assert payer.stdout.readline() == b"sending\n"
    while sum("/pay" in each.path for each in stand_in.calls) < 2 or not stand_in.payments:
        assert payer.poll() is None, "the payer ended by itself"
        await asyncio.sleep(0.01)
    payer.kill()
    payer.wait(timeout=60)
    payer.stdout.close()

    async with deployed(tmp_path, tmp_path, stand_in) as home:
        left = await orders.mark_left_behind(home.deployment)
        assert {each.key: each.state for each in left} == dict.fromkeys(keys, "unknown")
        assert await orders.mark_left_behind(home.deployment) == []
        for order in left:
            with pytest.raises(InputError, match="look at the panel"):
                await orders.pay(home.deployment, order, actor=ADA)
    assert len(stand_in.payments) == 1


async def order_of(home: Recruiting, made: Recruitment, piece: str) -> PayOrder:
    """An order of a bonus for one person, set up over there."""
    store, amounts = home.deployment.store, {piece: Money(40, "GBP")}
    await store.write(
        lambda c: orders.intend_by_hand(
            c, made, amounts, words="thanks", subject="x", actor=ADA, now=1.0
        )
    )
    left = await store.read(lambda c: rows.unordered(c, made.id))
    chosen = [each.id for each in left]
    (order,) = await store.write(lambda c: orders.make_orders(c, made, chosen, actor=ADA, now=1.0))
    return await orders.set_up(home.deployment, order, actor=ADA)
