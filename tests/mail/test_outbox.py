"""The outbox: letters written once, taken by one, given back when whoever held them has ended."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.letters import Letter
from palaver.storage import Store
from palaver.storage.engine.holders import new_holder
from palaver.storage.outbox import (
    claim_mail,
    count_mails,
    enqueue_mail,
    find_mail,
    has_due_mail,
    list_mails,
    mark_sent,
    postpone,
    refuse,
    release,
    revive,
)

NOW = 1_700_000_000.0


def put(store: Store, to: str = "ada@example.org", *, key: str | None = None) -> bool:
    return store.write_now(
        lambda c: enqueue_mail(
            c,
            recipient=to,
            subject="Hello",
            text="A line.",
            about="challenge/short",
            now=NOW,
            key=key,
        )
    )


def take(
    store: Store, holder: str = "me", *, now: float = NOW, lease: float = 600.0
) -> Letter | None:
    return store.write_now(lambda c: claim_mail(c, holder, now=now, lease=lease))


def test_a_key_makes_a_letter_once(store: Store) -> None:
    assert put(store, key="welcome/1")
    assert not put(store, key="welcome/1")
    assert put(store)
    assert store.read_now(count_mails) == {"waiting": 2, "sent": 0, "failed": 0}


def test_one_key_written_by_many_at_once_is_one_letter(store: Store) -> None:
    with ThreadPoolExecutor(4) as threads:
        written = list(threads.map(lambda _: put(store, key="same"), range(8)))
    assert written.count(True) == 1
    assert len(store.read_now(list_mails)) == 1


def test_a_letter_is_taken_by_one(store: Store) -> None:
    put(store, key="a")
    put(store, key="b")
    first, second, third = take(store, "one"), take(store, "other"), take(store, "one")
    assert first is not None
    assert second is not None
    assert (first.key, second.key, third) == ("a", "b", None)
    assert not store.read_now(lambda c: has_due_mail(c, now=NOW))


def test_a_lease_that_ran_out_is_taken_over_and_its_holder_notes_nothing(store: Store) -> None:
    put(store, key="a")
    slow = take(store, "slow", lease=-1.0)
    quick = take(store, "quick")
    assert slow is not None
    assert quick is not None
    store.write_now(lambda c: refuse(c, slow, "Too late."))
    assert store.read_now(lambda c: find_mail(c, "a")).state == "waiting"
    # What was sent was sent, whoever holds it now.
    store.write_now(lambda c: mark_sent(c, slow, now=NOW))
    store.write_now(lambda c: refuse(c, quick, "No."))
    assert store.read_now(lambda c: find_mail(c, "a")).state == "sent"


def test_a_process_that_has_ended_holds_nothing(store: Store) -> None:
    # A name as this process has it, with the number of one that has ended.
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(30)
    put(store, key="a")
    assert take(store, new_holder().replace(f":{os.getpid()}:", f":{ended.pid}:")) is not None
    assert store.read_now(lambda c: has_due_mail(c, now=NOW))
    again = take(store)
    assert again is not None
    assert again.key == "a"


def test_a_letter_that_is_postponed_waits_and_one_that_is_given_back_does_not(store: Store) -> None:
    put(store, key="a")
    letter = take(store)
    assert letter is not None
    store.write_now(lambda c: postpone(c, letter, "450 busy.", due=NOW + 60))
    assert take(store, now=NOW + 59) is None
    again = take(store, now=NOW + 60)
    assert again is not None
    assert (again.attempts, again.reason) == (1, "450 busy.")
    store.write_now(lambda c: release(c, again, "No server."))
    last = take(store, now=NOW + 60)
    assert last is not None
    assert (last.attempts, last.reason) == (1, "No server.")


def test_a_refused_letter_can_be_tried_again(store: Store) -> None:
    put(store, key="a")
    letter = take(store)
    assert letter is not None
    store.write_now(lambda c: refuse(c, letter, "550 nobody of that name."))
    failed = store.read_now(lambda c: list_mails(c, state="failed"))
    assert [(each.key, each.reason) for each in failed] == [("a", "550 nobody of that name.")]
    assert take(store) is None
    assert store.write_now(lambda c: revive(c, now=NOW)) == 1
    assert take(store) is not None


def test_letters_are_listed_by_what_they_are_about(store: Store) -> None:
    put(store, key="a")
    put(store, key="b")
    found = store.read_now(lambda c: list_mails(c, about="challenge/short", most=1))
    assert [letter.key for letter in found] == ["b"]
    assert store.read_now(lambda c: list_mails(c, about="challenge/other")) == []
    assert store.read_now(lambda c: count_mails(c, about="challenge/other"))["waiting"] == 0
    with pytest.raises(UnknownNameError, match="no letter 'c'"):
        store.read_now(lambda c: find_mail(c, "c"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"recipient": "ada@example.org\nBcc: eve@example.org"}, "A mail address looks like"),
        ({"recipient": "Ada <ada@example.org>"}, "A mail address looks like"),
        ({"recipient": "ada"}, "got 'ada'"),
        ({"recipient": "a" * 250 + "@b.org"}, "A mail address looks like"),
        ({"subject": "Hello\r\nBcc: eve@example.org"}, "A subject is one line"),
        ({"subject": "Hello\u2028there"}, "A subject is one line"),
        ({"subject": "  "}, "needs a subject"),
        ({"text": "\n"}, "needs a text"),
    ],
)
def test_headers_cannot_be_injected_and_nothing_is_stored(
    store: Store, wrong: dict[str, str], words: str
) -> None:
    given = {"recipient": "ada@example.org", "subject": "Hello", "text": "A line."} | wrong
    with pytest.raises(InputError, match=words):
        store.write_now(lambda c: enqueue_mail(c, **given, about="", now=NOW))
    assert store.read_now(list_mails) == []
