"""What is told of a study, and that each thing is told once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.core.money import Money
from palaver.core.studies.stops import StudyStop
from palaver.storage import Store
from palaver.storage.outbox.letters import list_mails
from palaver.storage.outbox.notices import list_notices
from palaver.storage.people.participants import report_problem
from palaver.storage.recruiting import payments
from palaver.storage.recruiting.payments import Intent
from palaver.storage.recruiting.recruitments import note_trouble, recruitment_by_id
from palaver.storage.recruiting.submissions import list_submissions
from palaver.storage.studies import quotas
from palaver.storage.studies.stops import keep_stop
from palaver.studies.notices.notice_watch import NoticeWatch
from palaver.studies.notices.occasions import occasions_of
from palaver.studies.recruiting.money.budget import speak_for
from palaver.studies.recruiting.submissions import news
from palaver.studies.run.versions import change_study
from support.noticing import BASE, HOUR, Noticing, noticing
from support.recruiting import ADA, Recruiting, prolific_in_reach, recruiting
from support.seeding import NOW

pytestmark = pytest.mark.asyncio
ONE = [
    {"chat": {"turns": {"exactly": 4}, "conditions": [{"systems": ["tern"], "needed": 1}]}},
]


def fill(home: Noticing, group: str = "g1") -> None:
    home.store.write_now(
        lambda c: quotas.take_place(c, home.study.id, 0, "tern", group=group),
    )


async def test_full_quotas_are_told_once_and_again_when_more_was_wanted(
    store: Store, tmp_path: Path
) -> None:
    async with noticing(store, tmp_path, stages=ONE) as home:
        assert await home.watch.look() == 0
        fill(home)
        assert await home.watch.look() == 1
        assert await home.watch.look() == 0
        # A restart knows what was told.
        assert await NoticeWatch(home.deployment, base=BASE).look() == 0
        assert home.told() == [("finished", "mail", "waiting")]
        (letter,) = store.read_now(list_mails)
        assert letter.recipient == "ada@example.org"
        assert letter.subject == "Talk with a bird: the study is finished"
        assert "1 of 1 dialogue done" in letter.text
        assert f"{BASE}/desk/studies/birds" in letter.text

        text = home.study.definition.file.read_text(encoding="utf-8")
        more = text.replace("needed: 1", "needed: 2")
        await change_study(home.deployment, "birds", more, actor=ADA)
        assert await home.watch.look() == 0
        await home.clock.sleep(2 * HOUR)
        fill(home, "g2")
        assert await home.watch.look() == 1
        assert [event for event, _, _ in home.told()] == ["finished", "finished"]


async def test_a_rule_and_a_date_finish_a_study(store: Store, tmp_path: Path) -> None:
    dates = {"closes": "2026-09-21 15:00"}
    async with noticing(store, tmp_path, dates=dates) as home:
        assert await home.watch.look() == 0
        await home.clock.sleep(30 * 24 * HOUR)
        assert await home.watch.look() == 1
        assert "as its dates say" in home.words()[0]
        stop = StudyStop(
            time=NOW, reason="decided", votes=4, raters=4, answer="", until="order", within=0.05
        )
        store.write_now(lambda c: keep_stop(c, home.study.id, stop))
        # It is finished still: the rule adds nothing that somebody has to know twice.
        assert await home.watch.look() == 0


async def test_a_failing_system_is_told_again_only_after_it_was_well_for_a_while(
    store: Store, tmp_path: Path
) -> None:
    async with noticing(store, tmp_path) as home:
        _fail(home, "a")
        assert await home.watch.look() == 1
        assert home.told() == [("failing", "mail", "waiting")]
        await home.clock.sleep(1900.0)
        assert await home.watch.look() == 0
        _fail(home, "b")
        # Within the hour it is the same trouble.
        assert await home.watch.look() == 0
        await home.clock.sleep(3 * HOUR)
        assert await home.watch.look() == 0
        await home.clock.sleep(2 * HOUR)
        _fail(home, "c")
        assert await home.watch.look() == 1
        assert len(home.told()) == 2


def _fail(home: Noticing, name: str) -> None:
    """Three conversations that ended because a system failed."""
    for number in range(3):
        visit = home.seeder.visit(f"{name}{number}")
        home.seeder.dialogue(visit, "hello", system="tern", reason="system_failed", ago=60.0)


async def test_problems_come_together_and_not_one_by_one(store: Store, tmp_path: Path) -> None:
    async with noticing(store, tmp_path) as home:

        def report(text: str) -> None:
            store.write_now(
                lambda c: report_problem(
                    c, study_id=home.study.id, assignment_id=None, text=text, now=NOW
                )
            )

        report("My name is Grace Hopper and the page is white")
        assert await home.watch.look() == 1
        for number in range(4):
            report(f"again {number}")
        assert await home.watch.look() == 0
        await home.clock.sleep(601.0)
        assert await home.watch.look() == 1
        assert home.words() == [
            "Participants have reported 1 problem. They are on the study's page, with who wrote them.",
            "Participants have reported 4 more problems, 5 in all. They are on the study's page, "
            "with who wrote them.",
        ]
        assert "Grace" not in "".join(each.text for each in store.read_now(list_mails))
        await home.clock.sleep(601.0)
        assert await home.watch.look() == 0


async def test_a_quota_is_stuck_when_people_may_come_and_nobody_finishes(
    store: Store, tmp_path: Path
) -> None:
    notify = {"mail": ["ada@example.org"], "stuck_hours": 6}
    async with noticing(store, tmp_path, notify=notify) as home:
        await home.clock.sleep(30 * HOUR)
        # Nobody was ever asked to come.
        assert await home.watch.look() == 0
        home.seeder.visit("ann", state=None)
        assert await home.watch.look() == 1
        assert home.words()[0].startswith("Nobody has finished in the last 6 hours")
        assert await home.watch.look() == 0


async def test_only_what_is_named_is_told_and_everybody_is(store: Store, tmp_path: Path) -> None:
    notify = {"mail": ["ada@example.org", "bob@example.org"], "of": ["stuck"]}
    async with noticing(store, tmp_path, notify=notify, stages=ONE) as home:
        home.seeder.visit("ann")
        await home.clock.sleep(30 * HOUR)
        assert await home.watch.look() == 2
        fill(home)
        assert await home.watch.look() == 0
        letters = store.read_now(list_mails)
        assert {each.recipient for each in letters} == {"ada@example.org", "bob@example.org"}


async def test_two_processes_that_notice_the_same_write_one_letter(
    store: Store, tmp_path: Path
) -> None:
    async with noticing(store, tmp_path, stages=ONE) as home:
        fill(home)
        first, second = home.watch, NoticeWatch(home.deployment, base=BASE)
        assert sorted(await asyncio.gather(first.look(), second.look())) == [0, 1]
        assert len(store.read_now(list_mails)) == 1


async def test_money_is_told_at_most_of_it_and_at_all_of_it(store: Store, tmp_path: Path) -> None:
    async with noticing(store, tmp_path) as home:

        def spoken(amount: int) -> None:
            store.write_now(
                lambda c: speak_for(
                    c,
                    home.study.id,
                    home.study.definition,
                    kind="bonus",
                    subject="all",
                    amount=Money(amount, "GBP"),
                    what="This",
                    now=NOW,
                )
            )

        spoken(15900)
        assert await home.watch.look() == 0
        spoken(16000)
        assert await home.watch.look() == 1
        spoken(20000)
        assert await home.watch.look() == 1
        assert await home.watch.look() == 0
        assert home.words()[0] == "80 % of the budget is spoken for: 160.00 GBP of 200.00 GBP."
        assert home.words()[1].startswith("100 % of the budget is spoken for")


async def test_a_payment_nobody_knows_of_and_trouble_with_a_panel_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify = {"mail": ["ada@example.org"], "of": ["payment", "money"]}
    with prolific_in_reach(monkeypatch) as stand_in:
        async with recruiting(tmp_path, stand_in, notify=notify) as home:
            recruitment = await home.published()
            watch = NoticeWatch(home.deployment, base=BASE)
            assert await watch.look() == 0
            order = await _order(home, recruitment.id)
            await home.deployment.store.write(
                lambda c: payments.move_order(c, order, "unknown", before=["intended"])
            )
            told = "No answer about 5f8d0c1e2a3b4c5d6e7f8a9b"
            await home.deployment.store.write(lambda c: note_trouble(c, recruitment, told))
            assert await watch.look() == 2
            assert await watch.look() == 0
            letters = await home.deployment.store.read(list_mails)
            texts = "".join(each.text + each.subject for each in letters)
            assert "A payment of 1.00 GBP was sent, and no answer came" in texts
            # A panel's words may name somebody.
            assert "5f8d0c1e" not in texts
            await home.deployment.store.write(
                lambda c: payments.move_order(c, order, "paid", before=["unknown"])
            )
            assert await watch.look() == 0
            found = await home.deployment.store.read(lambda c: list_notices(c, home.study.id))
            assert [each.over is None for each in found.notices] == [False, True]


async def _order(home: Recruiting, recruitment_id: int) -> Any:
    store = home.deployment.store
    recruitment = await store.read(lambda c: recruitment_by_id(c, recruitment_id))
    await home.come(recruitment)
    await news.read_all(home.deployment, recruitment)

    def write(connection: Connection) -> Any:
        (piece,) = list_submissions(connection, recruitment_id)
        payments.intend(
            connection,
            recruitment_id,
            [Intent(submission_id=piece.id, rule="by_hand", subject="x", amount=100)],
            currency="GBP",
            account="ada",
            now=NOW,
        )
        (due,) = payments.unordered(connection, recruitment_id)
        return payments.make_order(
            connection, recruitment_id, [due.id], currency="GBP", account="ada", now=NOW
        )

    return await store.write(write)


async def test_a_panel_with_less_money_than_the_places_cost_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify = {"mail": ["ada@example.org"], "of": ["money"]}
    with prolific_in_reach(monkeypatch) as stand_in:
        async with recruiting(tmp_path, stand_in, notify=notify) as home:
            await home.published()
            told = home.study.definition.notify
            assert told is not None

            def found(connection: Connection, balance: Money) -> list[str]:
                occasions = occasions_of(
                    connection, home.study, told, now=home.deployment.clock.now(), balance=balance
                )
                return [each.subject for each in occasions]

            store = home.deployment.store
            # Ten people at 2.80 with fees.
            assert await store.read(lambda c: found(c, Money(2799, "GBP"))) == ["balance"]
            assert await store.read(lambda c: found(c, Money(2800, "GBP"))) == []
            # Another currency says nothing of it.
            assert await store.read(lambda c: found(c, Money(1, "USD"))) == []
