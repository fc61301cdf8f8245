"""Signed times: what clocks may differ by, what has expired, and what was forged."""

import pytest

from palaver.core.timed import SignedContent, read_timed, sign_timed


@pytest.mark.parametrize(
    ("age", "good", "early"),
    [
        (0, True, False),
        (3600, True, False),
        (3601, False, False),
        (-2, True, False),
        (-300, True, False),
        (-301, False, True),
    ],
)
def test_five_minutes_of_the_future_are_forgiven(age: float, good: bool, early: bool) -> None:
    signed = SignedContent("ann", age)

    assert (signed.is_good(3600), signed.is_early) == (good, early)


def test_the_age_is_counted_from_the_time_that_was_signed() -> None:
    text = sign_timed("secret", "salt", ["ann"])
    first = read_timed("secret", "salt", text, now=2_000_000_000)
    later = read_timed("secret", "salt", text, now=2_000_000_090.9)

    assert first is not None
    assert later is not None
    assert first.content == ["ann"]
    assert later.age - first.age == 90


def test_what_another_secret_or_salt_signed_is_nothing() -> None:
    text = sign_timed("secret", "salt", "ann")
    for secret, salt, given in (
        ("other", "salt", text),
        ("secret", "other", text),
        ("secret", "salt", text[:-1]),
        ("secret", "salt", ""),
        ("secret", "salt", "\0"),
    ):
        assert read_timed(secret, salt, given) is None
