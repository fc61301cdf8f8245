"""The parser: who gets what by a message, and what lies on the table after several."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.games.deal_or_no_deal.proposals import read_message
from palaver.games.deal_or_no_deal.table import DealTable

COUNTS = {"book": 1, "hat": 3, "ball": 2}


@pytest.mark.parametrize(
    ("text", "mine", "theirs", "rest"),
    [
        ("i take 2 hats and the book", {"hat": 2, "book": 1}, {}, None),
        ("i need the hats , you can have both balls", {"hat": 3}, {"ball": 2}, None),
        ("you get the book", {}, {"book": 1}, None),
        ("take the balls", {}, {"ball": 2}, None),
        ("could you give me a hat ?", {"hat": 1}, {}, None),
        ("i can give you the book for 2 hats", {"hat": 2}, {"book": 1}, None),
        ("i can offer the book", {}, {"book": 1}, None),
        ("i do n't care , the hat and a ball for me", {"hat": 1, "ball": 1}, {}, None),
        ("i don't need any hats", {"hat": 0}, {}, None),
        ("i want the ball , you can have the rest", {"ball": 1}, {}, "you"),
        ("you take the hats and i'll take everything else", {}, {"hat": 3}, "me"),
        ("i'd like one of each", {"book": 1, "hat": 1, "ball": 1}, {}, None),
        ("we split the balls and you get the book", {"ball": 1}, {"ball": 1, "book": 1}, None),
        ("my basketballs", {"ball": 2}, {}, None),
        ("is that what you want ?", {}, {}, None),
    ],
)
def test_a_message_is_read(
    text: str, mine: dict[str, int], theirs: dict[str, int], rest: str | None
) -> None:
    said = read_message(text, COUNTS)
    assert (said.mine, said.theirs, said.rest) == (mine, theirs, rest)


@pytest.mark.parametrize(
    ("text", "agrees", "refuses"),
    [
        ("deal", True, False),
        ("ok that works for me", True, False),
        ("no deal", False, True),
        ("that won't work", False, True),
        ("sorry , i can't", False, True),
        ("hello", False, False),
    ],
)
def test_yes_and_no(text: str, agrees: bool, refuses: bool) -> None:
    said = read_message(text, COUNTS)
    assert (said.agrees, said.refuses) == (agrees, refuses)


@pytest.mark.parametrize(
    ("messages", "share"),
    [
        (["i want the hats", "deal"], (0, 3, 0)),
        (["you can have the hats", "ok"], (1, 0, 2)),
        (["i'd like the balls .", "okay , i get the rest"], (0, 0, 2)),
        (["keep the book , i get the rest", "can i have 1 hat too ?", "deal"], (0, 2, 2)),
        (["i want the hats", "one hat", "ok"], (0, 1, 0)),
        (["i want 2 hats", "i need the book and a ball", "fine"], (0, 3, 1)),
        (["hi", "hello", "what do you want ?"], None),
    ],
)
def test_what_lies_on_the_table(messages: list[str], share: tuple[int, ...] | None) -> None:
    table = DealTable(COUNTS)
    for n, text in enumerate(messages):
        table.hear(n % 2, text)
    assert table.split == (None if share is None else dict(zip(COUNTS, share, strict=True)))


WORDS = re.findall(
    r"\S+",
    "i you me we take get want need the a all both each of one 2 three no not don't book hats ball "
    "rest everything else but for or split half give , . ? deal ok yours mine worth 0 too and except",
)


@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.lists(st.sampled_from(WORDS), max_size=14)), max_size=6
    )
)
def test_whatever_is_said_the_split_adds_up(said: list[tuple[int, list[str]]]) -> None:
    table = DealTable(COUNTS)
    for seat, words in said:
        table.hear(seat, " ".join(words))
        for share in filter(None, (table.share(0), table.share(1))):
            assert all(0 <= share[item] <= count for item, count in COUNTS.items())


@given(st.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    assert read_message(text, COUNTS).rest in (None, "me", "you", "both")


def test_other_items_are_understood() -> None:
    said = read_message("I get both keys, you get the umbrella", {"key": 2, "umbrella": 1})
    assert (said.mine, said.theirs) == ({"key": 2}, {"umbrella": 1})
