"""Sheets that are sent at the same moment: stored together, and taken apart where one is wrong."""

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy import Connection

from palaver.annotation.assignment import Handed, hand_out, held
from palaver.annotation.plan import RatePlan
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import Submission
from palaver.core.errors import AccessError, InputError
from palaver.core.units import Unit
from palaver.storage import Store
from palaver.storage.judging import slot_counts
from palaver.storage.judging.tidy import label_records
from support.sheets import STAGE, YES_NO, Visitor, add_real, add_study, rate_plan, visitor

NOW = 10.0


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


def take(who: Visitor, plan: RatePlan) -> Handed:
    handed = who.store.write_now(lambda c: hand_out(c, plan, who.rater, now=1.0))
    assert isinstance(handed, Handed)
    return handed


def sent(who: Visitor, plan: RatePlan, handed: Handed) -> SentSheet:
    """A sheet with one answer, about an item of its name."""
    answer = Submission(
        study_id=who.study_id,
        question=YES_NO,
        unit=Unit(key=f"item:{handed.sheet.name}", kind="item", item=handed.sheet.name),
        rater=who.rater.alias,
        rater_kind="person",
        participant_id=who.rater.participant_id,
        assignment_id=who.rater.assignment_id,
        slot_id=handed.slot_id,
        answer="yes",
        time=NOW,
    )
    return SentSheet(plan, who.rater, handed.slot_id, (answer,), NOW)


def send_at_once(store: Store, sheets: Sequence[SentSheet]) -> list[BaseException | None]:
    """Queue sheets behind a slow transaction, so that one commit finds all of them."""

    async def send() -> list[BaseException | None]:
        started, go = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def wait(connection: Connection) -> None:
            loop.call_soon_threadsafe(started.set)
            asyncio.run_coroutine_threadsafe(go.wait(), loop).result()

        waiting = asyncio.create_task(store.write(wait))
        await started.wait()
        sending = [asyncio.create_task(store.write(sheet)) for sheet in sheets]
        await asyncio.sleep(0)
        go.set()
        await waiting
        return await asyncio.gather(*sending, return_exceptions=True)

    return asyncio.run(send())


def test_raters_who_send_at_once_are_stored_and_handed_on(store: Store, study_id: int) -> None:
    add_real(store, study_id, 12, needed=2)
    plan = rate_plan(study_id)
    raters = [visitor(store, study_id, f"r{n}") for n in range(7)]
    first = [take(who, plan) for who in raters]

    outcome = send_at_once(store, [sent(w, plan, h) for w, h in zip(raters, first, strict=True)])

    assert outcome == [None] * 7
    progress = store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE))
    assert (progress.done, progress.held) == (7, 7)
    assert len(store.read_now(lambda c: list(label_records(c)))) == 7
    following = [store.read_now(lambda c, w=w: held(c, plan, w.rater)) for w in raters]
    assert all(found is not None for found in following)


def test_a_sheet_of_somebody_else_fails_alone(store: Store, study_id: int) -> None:
    add_real(store, study_id, 4)
    plan = rate_plan(study_id)
    ann, ben, eve = (visitor(store, study_id, name) for name in ("ann", "ben", "eve"))
    by_ann, by_ben = take(ann, plan), take(ben, plan)

    outcome = send_at_once(
        store,
        [sent(ann, plan, by_ann), sent(eve, plan, by_ben), sent(ben, plan, by_ben)],
    )

    assert [type(each) for each in outcome] == [type(None), AccessError, type(None)]
    labels = store.read_now(lambda c: list(label_records(c)))
    assert {label.rater for label in labels} == {ann.rater.alias, ben.rater.alias}


def test_the_same_sheet_twice_counts_once(store: Store, study_id: int) -> None:
    add_real(store, study_id, 4, needed=2)
    plan = rate_plan(study_id)
    ann, ben = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")
    by_ann, by_ben = take(ann, plan), take(ben, plan)

    outcome = send_at_once(
        store, [sent(ann, plan, by_ann), sent(ann, plan, by_ann), sent(ben, plan, by_ben)]
    )

    assert [type(each) for each in outcome] == [type(None), InputError, type(None)]
    progress = store.read_now(lambda c: slot_counts.progress(c, study_id, STAGE))
    assert (progress.done, progress.held) == (2, 2)
