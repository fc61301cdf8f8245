"""What every outbox promises: written once, taken by one, given back when whoever held it has ended."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.core.studies.notices import Channel, Occasion
from palaver.storage import Store
from palaver.storage.engine.holders import new_holder
from palaver.storage.outbox.box import (
    Outbox,
    count_states,
    has_due,
    mark_sent,
    postpone,
    refuse,
    release,
    revive,
    take,
)
from palaver.storage.outbox.credits import CREDITS, enqueue_credit
from palaver.storage.outbox.letters import LETTERS, enqueue_mail
from palaver.storage.outbox.notices import HOOKS, add_notice
from palaver.storage.people.participants import enter
from palaver.storage.studies.studies import register_study

NOW = 1_700_000_000.0


def a_letter(connection: Connection, key: str) -> bool:
    return enqueue_mail(
        connection,
        recipient="ada@example.org",
        subject="Hello",
        text="A line.",
        about="",
        now=NOW,
        key=key,
    )


def a_credit(connection: Connection, key: str) -> bool:
    study_id = the_study(connection)
    visit = enter(
        connection,
        study_id=study_id,
        crowd="sona",
        person=key,
        assignment="1",
        first_step="consent",
        now=NOW,
    )
    return enqueue_credit(
        connection,
        study_id=study_id,
        assignment_id=visit.id,
        sent_values=(key, "", ""),
        now=NOW,
    )


def a_notice(connection: Connection, key: str, *, channel: Channel = "hook") -> bool:
    written = add_notice(
        connection,
        the_study(connection),
        Occasion(event="failing", subject=key, words="It fails.", path="/desk"),
        number=1,
        channel=channel,
        recipient="https://hooks.example.org/x",
        lasts=True,
        now=NOW,
    )
    return written is not None


def the_study(connection: Connection) -> int:
    return register_study(connection, name="s", title="S", digest="", definition="", now=NOW)


@dataclass
class Kind:
    """One of the outboxes, and how something is put into it."""

    store: Store
    box: Outbox[Any]
    write: Callable[[Connection, str], bool]

    def put(self, *keys: str) -> list[bool]:
        return [self.store.write_now(lambda c, key=key: self.write(c, key)) for key in keys]

    def take(self, holder: str = "me", *, now: float = NOW) -> Any:
        return self.store.write_now(lambda c: take(c, self.box, holder, now=now))

    def counts(self) -> tuple[int, ...]:
        """How many wait, were sent, failed."""
        return tuple(self.store.read_now(lambda c: count_states(c, self.box)).values())

    def is_due(self) -> bool:
        return self.store.read_now(lambda c: has_due(c, self.box, now=NOW))


KINDS = {"letter": (LETTERS, a_letter), "credit": (CREDITS, a_credit), "hook": (HOOKS, a_notice)}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, store: Store) -> Kind:
    return Kind(store, *KINDS[request.param])


def test_a_key_is_written_once(kind: Kind) -> None:
    assert kind.put("a", "a", "b") == [True, False, True]
    assert kind.counts() == (2, 0, 0)


def test_one_key_written_by_many_at_once_is_there_once(kind: Kind) -> None:
    kind.put("other")
    with ThreadPoolExecutor(4) as threads:
        written = list(threads.map(lambda _: kind.put("same"), range(8)))
    assert written.count([True]) == 1
    assert kind.counts() == (2, 0, 0)


def test_what_is_due_for_longest_is_taken_first_and_by_one(kind: Kind) -> None:
    kind.put("a", "b")
    assert kind.is_due()
    first, second, third = kind.take("one"), kind.take("other"), kind.take("one")
    assert first.id < second.id
    assert (first.holder, second.holder, third) == ("one", "other", None)
    assert not kind.is_due()


def test_many_takers_share_what_waits(kind: Kind) -> None:
    kind.put(*"abcdef")
    with ThreadPoolExecutor(3) as threads:
        taken = list(threads.map(lambda n: kind.take(f"taker {n}"), range(6)))
    assert len({item.id for item in taken}) == 6


def test_a_lease_that_ran_out_is_taken_over_and_its_holder_notes_nothing(kind: Kind) -> None:
    kind.put("a")
    kept, kind.box = kind.box, replace(kind.box, lease_seconds=-1.0)
    slow = kind.take("slow")
    quick = kind.take("quick")
    kind.store.write_now(lambda c: refuse(c, kept, slow, "Too late."))
    kind.store.write_now(lambda c: postpone(c, kept, slow, "Too late.", due=NOW + 60))
    assert kind.counts() == (1, 0, 0)
    # What was sent was sent, whoever holds it now.
    kind.store.write_now(lambda c: mark_sent(c, kept, slow, now=NOW))
    kind.store.write_now(lambda c: refuse(c, kept, quick, "No."))
    assert kind.counts() == (0, 1, 0)
    assert not kind.is_due()


def test_a_process_that_has_ended_holds_nothing(kind: Kind) -> None:
    # A name as this process has it, with the number of one that has ended.
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(30)
    kind.put("a")
    held = kind.take(new_holder().replace(f":{os.getpid()}:", f":{ended.pid}:"))
    assert kind.is_due()
    assert kind.take().id == held.id


def test_what_is_postponed_waits_and_what_is_given_back_does_not(kind: Kind) -> None:
    kind.put("a")
    item = kind.take()
    kind.store.write_now(lambda c: postpone(c, kind.box, item, "Busy.", due=NOW + 60))
    assert kind.take(now=NOW + 59) is None
    again = kind.take(now=NOW + 60)
    assert (again.attempts, again.reason) == (1, "Busy.")
    kind.store.write_now(
        lambda c: postpone(c, kind.box, again, "Not its fault.", due=NOW + 90, counts=False)
    )
    assert kind.take(now=NOW + 89) is None
    third = kind.take(now=NOW + 90)
    assert (third.attempts, third.reason) == (1, "Not its fault.")
    kind.store.write_now(lambda c: release(c, kind.box, third, "No server."))
    last = kind.take(now=NOW + 90)
    assert (last.attempts, last.reason) == (1, "No server.")


def test_what_was_refused_can_be_tried_again(kind: Kind) -> None:
    kind.put("a")
    item = kind.take()
    kind.store.write_now(lambda c: refuse(c, kind.box, item, "Nobody of that name."))
    assert kind.counts() == (0, 0, 1)
    assert kind.take() is None
    assert kind.store.write_now(lambda c: revive(c, kind.box, now=NOW)) == 1
    again = kind.take()
    assert (again.attempts, again.reason) == (0, "Nobody of that name.")


def test_notices_by_mail_are_for_the_outbox_of_letters(store: Store) -> None:
    hooks = Kind(store, HOOKS, lambda c, key: a_notice(c, key, channel="mail"))
    assert hooks.put("a") == [True]
    assert not hooks.is_due()
    assert hooks.take() is None
    assert hooks.counts() == (0, 0, 0)
