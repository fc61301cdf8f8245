"""What gives a system away is found, and what anybody may say is left alone."""

import pytest

from palaver.core.disguise import Disguise
from palaver.core.model_names import names_of
from support.disguises import CASES, FRESH_CAUGHT, FRESH_KEPT, STUDY, Case, measured, shown

TUNED = [case for case in CASES if case not in FRESH_CAUGHT and case not in FRESH_KEPT]


@pytest.mark.parametrize("case", TUNED, ids=lambda case: case.text[:40])
def test_a_sentence_is_shown_as_written_here(case: Case) -> None:
    assert shown(case) == case.shown


def test_most_sentences_that_the_rules_were_not_made_for_come_out_right() -> None:
    counts = measured()
    assert counts["fresh: names"] == (20, 25)
    assert counts["fresh: ordinary"] == (24, 25)


def test_masking_twice_changes_nothing() -> None:
    for case in CASES:
        assert STUDY.mask(STUDY.mask(case.text)) == STUDY.mask(case.text)


def test_what_was_matched_is_told_as_it_was_written() -> None:
    assert STUDY.named("I am Echo, and gpt 4o is by OpenAI.") == ["Echo", "gpt 4o", "OpenAI"]


def test_being_a_machine_is_no_secret_where_everybody_talks_with_one() -> None:
    text = "As an AI language model, I cannot eat."
    assert STUDY.find(text) == []
    assert Disguise(as_people=True).mask(text) == "As an …, I cannot eat."


@pytest.mark.parametrize(
    ("kind", "options", "names"),
    [
        (
            "openai",
            [("model", "gpt-4o-2024-08-06")],
            ("openai", "gpt-4o-2024-08-06", "gpt-4o"),
        ),
        (
            "local_lm",
            [("model", "meta-llama/Llama-3.1-8B-Instruct")],
            ("meta-llama/Llama-3.1-8B-Instruct", "Llama-3.1-8B-Instruct"),
        ),
        ("http", [("url", "https://example.org"), ("model", "plover:7b")], ("plover:7b", "plover")),
        ("scripted", [("lines", "I am gpt-4")], ()),
    ],
)
def test_the_names_in_a_systems_settings(
    kind: str, options: list[tuple[str, str]], names: tuple[str, ...]
) -> None:
    assert names_of(kind, options) == names


def test_a_long_reply_takes_no_longer_for_being_odd() -> None:
    """Each of these made a first version of the rules look at every word from every other word."""
    for text in ("large " * 2000 + "AI", "my name is the " * 800, "I am a " * 1500 + "model"):
        assert STUDY.mask(text)
