"""Letters: listed by what they are about, and what may not stand in one."""

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.storage import Store
from palaver.storage.outbox.letters import count_mails, enqueue_mail, find_mail, list_mails

NOW = 1_700_000_000.0


def put(store: Store, key: str | None = None) -> bool:
    return store.write_now(
        lambda c: enqueue_mail(
            c,
            recipient="ada@example.org",
            subject="Hello",
            text="A line.",
            about="challenge/short",
            now=NOW,
            key=key,
        )
    )


def test_a_letter_without_a_key_is_one_of_its_own(store: Store) -> None:
    assert put(store)
    assert put(store)
    assert store.read_now(count_mails) == {"waiting": 2, "sent": 0, "failed": 0}


def test_letters_are_listed_by_what_they_are_about(store: Store) -> None:
    put(store, "a")
    put(store, "b")
    found = store.read_now(lambda c: list_mails(c, about="challenge/short", most=1))
    assert [letter.key for letter in found] == ["b"]
    assert store.read_now(lambda c: list_mails(c, about="challenge/other")) == []
    assert store.read_now(lambda c: list_mails(c, state="failed")) == []
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
