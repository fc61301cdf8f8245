"""The pattern bot: reflections, groups, and files that are wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.systems.connectors.pattern import Reflections

SWAP = {"i": "you", "you": "i", "my": "your", "your": "my", "am": "are", "are": "am"}


def test_reflections_replace_whole_words_once() -> None:
    table = Reflections({"I": "you", "my": "your", "i am": "you are", "i'm": "you're", "me": "you"})
    assert table.reflect("my dog and I.") == "your dog and you"
    assert table.reflect("I  am some myth of mine") == "you are some myth of mine"
    assert table.reflect("I’m sure it's me!") == "you're sure it's you"
    assert Reflections({}).reflect(" as it was? ") == "as it was"


@given(st.lists(st.sampled_from(["i", "you", "my", "your", "am", "are", "dog", "mine", "it's"])))
def test_swapping_twice_changes_nothing(words: list[str]) -> None:
    text = " ".join(words)
    table = Reflections(SWAP)
    assert table.reflect(table.reflect(text)) == text


@given(st.text())
def test_any_text_can_be_reflected(text: str) -> None:
    assert isinstance(Reflections(SWAP).reflect(text), str)


@pytest.mark.asyncio
async def test_first_match_wins_groups_are_filled_and_nothing_is_said_twice(
    table: Any, write: Any
) -> None:
    write(
        "p.yaml",
        r"""
reflections: {my: your, i: you}
patterns:
  - match: i (?:need|want) (.*)
    say: ["Why do you want {1}?", "What if you got {1}?"]
  - match: (\w+)?, (yes|no)
    say: ["{2}, {1}, {curly}"]
fallbacks: [Go on.]
""",
    )
    system = table.build(kind="pattern", file="p.yaml")
    both = {"Why do you want your mother?", "What if you got your mother?"}
    first = await table.answer(system, "Well, I need my mother!")
    assert first in both
    second = await table.answer(system, "x", first, "I WANT my mother...")
    assert {first, second} == both
    assert await table.answer(system, ", no") == "no,, {curly}"
    assert await table.answer(system, "42") == "Go on."


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("patterns:\n  - match: ok\n    say: [a]\n  - match: (\n    say: [b]\n", "p.yaml:4: '('"),
        ("patterns:\n  - match: a\n    say: ['{1}']\n", "p.yaml:2: '{1}' uses {1}, but 'a' has 0"),
        ("pattern: []\n", "Known keys: reflections, openers, patterns, fallbacks"),
        ("patterns: [", "not YAML"),
        ("- a\n", "p.yaml"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(
    text: str, message: str, table: Any, write: Any
) -> None:
    write("p.yaml", text)
    with pytest.raises(InputError) as error:
        table.build(kind="pattern", file="p.yaml")
    assert message in str(error.value)


def test_a_missing_file_is_named(table: Any) -> None:
    with pytest.raises(InputError, match=r"System 'bot': Option 'file' names 'p\.yaml'"):
        table.build(kind="pattern", file="p.yaml")
