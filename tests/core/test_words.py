"""Sentences of ours with names that are written from right to left."""

import pytest

from palaver.core.words import unturned

BIRD, TERN = "\u0639\u0635\u0641\u0648\u0631-3", "\u05e0\u05d7\u05dc.2"


def alone(words: str) -> str:
    """Words as they are set apart from what is around them."""
    return f"\u2068{words}\u2069"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (f"{BIRD}, {TERN} and plain", f"{alone(BIRD)}, {alone(TERN)} and plain"),
        (f"{BIRD}|{TERN}", f"{alone(BIRD)}|{alone(TERN)}"),
        (f"{TERN}: 24 % (n = 3)", f"{alone(TERN)}: 24 % (n = 3)"),
        (f"plain is above {TERN}.", f"plain is above {alone(TERN)}."),
        (f"“{BIRD} {TERN}” is a phrase", f"“{alone(f'{BIRD} {TERN}')}” is a phrase"),
        ("α = 0.36 – “naïve”", "α = 0.36 – “naïve”"),
    ],
)
def test_a_name_turns_nothing_round_it(given: str, shown: str) -> None:
    assert unturned(given) == shown


def test_what_is_set_apart_already_stays_so() -> None:
    once = unturned(f"{BIRD} leads")
    assert unturned(once) == once
