"""Two processes on one PostgreSQL: both follow, both spend, both send, and it happens once."""

import asyncio
from pathlib import Path

import pytest

from palaver.core.errors import ConflictError, InputError
from palaver.core.money import Money
from palaver.crowds.prolific.hooks import SUBMISSION_CHANGED
from palaver.crowds.prolific.records import HookEvent
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting import payments as rows
from palaver.storage.recruiting.submissions import list_submissions
from palaver.studies.recruiting.money import orders
from palaver.studies.recruiting.money.budget import read_budget
from palaver.studies.recruiting.places import recruit
from palaver.studies.recruiting.places.recruiter import Recruiter
from palaver.studies.recruiting.submissions import news
from support.databases import Postgres
from support.recruiting import ADA, deployed, recruiting

pytestmark = [pytest.mark.asyncio, pytest.mark.postgres]


async def test_both_do_it_and_it_happens_once(
    tmp_path: Path, stand_in: StandIn, postgres: Postgres
) -> None:
    url = postgres.new_database()
    pay = {"amount": 2.0, "currency": "GBP", "budget": 30}
    async with (
        recruiting(tmp_path, stand_in, database_url=url, pay=pay) as one,
        deployed(tmp_path, tmp_path, stand_in, database_url=url) as two,
    ):
        made = await one.published()
        visits = await one.come(made, 3)
        for visit in visits:
            await one.finish(visit)
        pieces = [visit.external_id or "" for visit in visits]

        # The same hooks reach both, and both apply them and read the list.
        told = [
            HookEvent(
                id=f"e{n}",
                kind=SUBMISSION_CHANGED,
                resource=piece,
                status="awaiting_review",
                happened=one.deployment.clock.now(),
            )
            for n, piece in enumerate(pieces)
        ]
        kept = await asyncio.gather(
            *(news.take_hook(each.deployment, event) for each in (one, two) for event in told)
        )
        assert sum(kept) == 3
        await asyncio.gather(*(Recruiter.of(each.deployment).look() for each in (one, two)))
        known = await two.deployment.store.read(lambda c: list_submissions(c, made.id))
        assert [each.state for each in known] == ["awaiting_review"] * 3

        # Both intend the same bonuses, and one of each is kept.
        amounts = {piece: Money(60, "GBP") for piece in pieces}
        new = await asyncio.gather(
            *(
                each.deployment.store.write(
                    lambda c: orders.intend_by_hand(
                        c, made, amounts, words="thanks", subject="x", actor=ADA, now=1.0
                    )
                )
                for each in (one, two)
            )
        )
        assert sorted(new) == [0, 3]
        left = await one.deployment.store.read(lambda c: rows.unordered(c, made.id))
        waiting = [
            (
                await one.deployment.store.write(
                    lambda c, each=each: orders.make_orders(c, made, [each.id], actor=ADA, now=2.0)
                )
            )[0]
            for each in left
        ]

        # 28.00 are spoken for by the places; each bonus costs 0.84: two of three fit into 30.00.
        ready = await asyncio.gather(
            *(
                orders.set_up(home.deployment, order, actor=ADA)
                for home, order in zip((one, two, one), waiting, strict=True)
            ),
            return_exceptions=True,
        )
        fit = [each for each in ready if not isinstance(each, BaseException)]
        assert len(fit) == 2
        assert sum(isinstance(each, InputError) for each in ready) == 1
        spent = await one.deployment.store.read(
            lambda c: read_budget(c, one.study.id, one.study.definition)
        )
        assert spent.spoken_for == 2800 + 2 * 84

        # Both send each order, and each is paid once.
        ended = await asyncio.gather(
            *(
                orders.pay(home.deployment, order, actor=ADA)
                for home in (one, two, one)
                for order in fit
            ),
            return_exceptions=True,
        )
        assert sum(isinstance(each, ConflictError) for each in ended) == 4
        assert [each.amount for each in stand_in.payments] == [60, 60]

        await recruit.pause(one.deployment, made, actor=ADA)
        await asyncio.gather(*(Recruiter.of(each.deployment).look() for each in (one, two)))
        assert (await recruit.find(two.deployment, made.key)).state == "paused"
