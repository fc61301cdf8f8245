"""A save of a page and the sending of its screen meet, in two processes on one PostgreSQL."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import Connection, select

from palaver.annotation import kept_answers
from palaver.annotation.assignment import Handed, hand_out, in_turn
from palaver.annotation.kept_answers import Save, ScreenPlace
from palaver.annotation.sent_sheets import SentSheet
from palaver.annotation.submission import Submission
from palaver.core.errors import ConflictError
from palaver.core.units import event_unit
from palaver.storage import Store
from palaver.storage.judging.tidy import label_records
from palaver.storage.schema import drafts
from support.databases import Postgres
from support.sheets import STAGE, YES_NO, Visitor, add_known, add_study, rate_plan, visitor

pytestmark = pytest.mark.postgres

PATIENCE = 30.0
KEPT = {"answer-apt": {"": ["yes"]}}


@dataclass
class Desk:
    """A screen that somebody has before them, and the processes that its page may reach."""

    stores: tuple[Store, Store]
    ann: Visitor
    slot_id: int
    dialogue: str

    def save(self, connection: Connection) -> bool:
        """The page keeps an answer."""
        place = ScreenPlace(
            *(self.ann.rater.assignment_id, self.ann.rater.participant_id, f"stage:{STAGE}"),
            "screen",
            self.slot_id,
        )
        save = Save(page="page", number=1, sent=0, fields=KEPT)
        return kept_answers.keep(connection, place, save, now=5.0)

    def send(self, connection: Connection) -> None:
        """The page sends another answer, and the work is done."""
        rater = self.ann.rater
        answer = Submission(
            study_id=self.ann.study_id,
            question=YES_NO,
            unit=event_unit(self.dialogue, 2),
            rater=rater.alias,
            rater_kind="person",
            participant_id=rater.participant_id,
            assignment_id=rater.assignment_id,
            slot_id=self.slot_id,
            answer="no",
            time=6.0,
        )
        sent = SentSheet(rate_plan(self.ann.study_id), rater, self.slot_id, (answer,), 6.0)
        sent.together(connection, [sent])

    def screens_kept(self) -> int:
        store = self.stores[0]
        return len(store.read_now(lambda c: c.execute(select(drafts.c.screen)).all()))

    def labels(self) -> list[Any]:
        store = self.stores[0]
        return [label.value for label in store.read_now(lambda c: list(label_records(c)))]


@pytest.fixture
def desk(postgres: Postgres) -> Iterator[Desk]:
    address = postgres.new_database()
    stores = (Store(address), Store(address))
    study_id = add_study(stores[0])
    dialogue = add_known(stores[0], study_id, "real", "1", turns=1)
    ann = visitor(stores[0], study_id, "ann")
    handed = stores[0].write_now(lambda c: hand_out(c, rate_plan(study_id), ann.rater, now=1.0))
    assert isinstance(handed, Handed)
    yield Desk(stores, ann, handed.slot_id, dialogue)
    for store in stores:
        store.close()


def meet(
    desk: Desk, first: Callable[[Connection], Any], second: Callable[[Connection], Any]
) -> Any:
    """One process has done the first and not committed it when another begins the second.

    The first is committed once the second has met it. What the second is answered, when its turn
    has come.
    """
    done, met = threading.Event(), threading.Event()

    def held(connection: Connection) -> None:
        first(connection)
        done.set()
        assert met.wait(PATIENCE), "the other process did not come"

    def meeting(connection: Connection) -> Any:
        try:
            return second(connection)
        except ConflictError:
            met.set()
            raise

    one, other = desk.stores
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(one.write_now, held)
        assert done.wait(PATIENCE)
        answered = asyncio.run(in_turn(other, meeting))
        running.result(PATIENCE)
    assert met.is_set(), "they did not meet"
    return answered


def test_a_save_under_way_is_gone_once_the_screen_is_sent(desk: Desk) -> None:
    meet(desk, desk.save, desk.send)
    assert desk.screens_kept() == 0
    assert desk.labels() == ["no"]


def test_a_save_that_comes_during_the_sending_is_refused(desk: Desk) -> None:
    assert meet(desk, desk.send, desk.save) is False
    assert desk.screens_kept() == 0
    assert desk.labels() == ["no"]
