"""kill -9 while bonuses are paid: nobody is paid twice, and what is not known is said to be."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.money import Money
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting import payments as rows
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.submissions import news
from support.recruiting import ADA, deployed, prolific_in_reach, write_study

pytestmark = [pytest.mark.asyncio, pytest.mark.faults, pytest.mark.timeout(300)]

PAY = """
import asyncio, sys
from pathlib import Path
from palaver.core.audit import COMMAND
from palaver.storage import Store
from palaver.storage.recruiting.payments import find_order
from palaver.studies.recruiting.money import orders
from palaver.studies.run.deployment import Deployment

async def pay(folder, key):
    store = Store(f"sqlite:///{folder}/palaver.db")
    deployment = Deployment(store, [], folder=Path(folder))
    order = store.read_now(lambda c: find_order(c, key))
    print("sending", flush=True)
    await orders.pay(deployment, order, actor=COMMAND)

asyncio.run(pay(*sys.argv[1:]))
"""


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_payer_that_is_killed_leaves_an_order_that_nobody_sends_again(
    tmp_path: Path, stand_in: StandIn, when: str
) -> None:
    write_study(tmp_path)
    async with deployed(tmp_path, tmp_path, stand_in) as home:
        made = await home.published()
        (visit,) = await home.come(made)
        await home.finish(visit)
        await news.read_all(home.deployment, made)
        amounts = {visit.external_id or "": Money(40, "GBP")}
        store = home.deployment.store
        await store.write(
            lambda c: orders.intend_by_hand(
                c, made, amounts, words="thanks", subject="x", actor=ADA, now=1.0
            )
        )
        left = await store.read(lambda c: rows.unordered(c, made.id))
        chosen = [each.id for each in left]
        (order,) = await store.write(
            lambda c: orders.make_orders(c, made, chosen, actor=ADA, now=1.0)
        )
        order = await orders.set_up(home.deployment, order, actor=ADA)

    # The panel hears the request and never answers: the payer is killed while it waits.
    stand_in.switches.break_next(how="silence", when=when, on="pay")  # type: ignore[arg-type]
    before = len(stand_in.calls)
    payer = subprocess.Popen(
        [sys.executable, "-c", PAY, str(tmp_path), order.key],
        env={**os.environ},
        stdout=subprocess.PIPE,
    )
    assert payer.stdout is not None
    assert payer.stdout.readline() == b"sending\n"
    while len(stand_in.calls) == before:
        assert payer.poll() is None, "the payer ended by itself"
    payer.kill()
    payer.wait(timeout=60)
    payer.stdout.close()

    async with deployed(tmp_path, tmp_path, stand_in) as home:
        (found,) = await orders.mark_left_behind(home.deployment)
        assert (found.key, found.state) == (order.key, "unknown")
        assert await orders.mark_left_behind(home.deployment) == []
    assert len(stand_in.payments) == (when == "after")
