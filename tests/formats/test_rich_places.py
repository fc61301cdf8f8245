"""Places of what a message shows: every piece is where it says, whatever the Markdown."""

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from palaver.formats.rich_places import placed_tree
from palaver.formats.rich_text import rich_tree


def pieces(nodes: list) -> list[tuple[str, int, int]]:  # type: ignore[type-arg]
    """The texts of a tree with their places, in the order of the page."""
    found = []
    for node in nodes:
        found += [(node[1], node[2], node[3])] if node[0] == "" else pieces(node[1])
    return found


def texts(nodes: list) -> str:  # type: ignore[type-arg]
    return "".join(node if isinstance(node, str) else texts(node[1]) for node in nodes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Take **Ghent** now.", ["Take ", "Ghent", " now."]),
        ("a **b *c* d** `x  y` ~~z~~", ["a ", "b ", "c", " d", " ", "x  y", " ", "z"]),
        ("- one\n- two\n  1. 1 apple", ["one", "two", "1 apple"]),
        ("1. 1 | 2\n   --|--\n   1 | 1", ["1. 1", "2", "1", "1"]),
        ("- x\n\n  1 | 2\n  --|--\n  3 | 1", ["x", "1", "2", "3", "1"]),
        ("|b|b|\n|-|-|\n|b \\| c| **b** |", ["b", "b", "b \\| c", "b"]),
        ("[w](https://w.example) w", ["w", "](https://w.example)", " w"]),
        ('[w](https://w.example "w") w', ["w", '](https://w.example "w")', " w"]),
        ("<https://w.example> *w*", ["https://w.example", " ", "w"]),
        ("# # Plan #\nGo", ["# Plan", "Go"]),
        ("> a *b*\n> `c\n> d`", ["a ", "b", "c\n> d"]),
        ("- x\n\n  ```py\n  if x:\n    x\n  ```", ["x", "if x:\n", "  x"]),
        (
            "🦆 **👩‍👩‍👧 Straße** \\*x\\* &amp;",
            ["🦆 ", "👩‍👩‍👧 Straße", " ", "*", "x", "*", " &amp;"],
        ),
        ("one  \ntwo\\\n*x*", ["one", "two", "x"]),
        ("![alt](https://a.example)", ["alt", "](https://a.example)"]),
    ],
)
def test_each_piece_is_where_it_says(text: str, expected: list[str]) -> None:
    tree = placed_tree(text)
    assert tree is not None
    assert [text[start:end] for _, start, end in pieces(tree)] == expected


@pytest.mark.parametrize("text", ["Hello.", "a *b*\r\nc", "*" * 2999 + "a" + "*" * 2999])
def test_what_is_shown_or_placed_as_sent_has_no_tree(text: str) -> None:
    assert placed_tree(text) is None


SIGNS = st.text(alphabet="**__~``[]()!<>|-+#1. \\\n\taé🦆", max_size=60)
WORDS = st.lists(
    st.sampled_from(
        [
            *("**b**", "*i*", "`c`", "~~s~~", "[w](https://a.b)", "<https://a.b>", "word ", "🦆"),
            *("![](https://a.b)", "![i](https://a.b)", "[*w* `c`](https://é.b/ü)"),
            *("\n", "\n\n", "- ", "> ", "1. ", "# h\n", "\\*", "b", "```\nx\n```\n"),
            "| a | b |\n|-|-|\n| c | d |\n",
        ]
    ),
    max_size=14,
).map("".join)


@given(SIGNS | WORDS)
def test_places_are_true_and_in_order_and_nothing_is_lost(text: str) -> None:
    tree = placed_tree(text)
    note(repr(text))
    if tree is None:
        return
    shown = rich_tree(text)
    assert shown is not None
    found = pieces(tree)
    assert "".join(piece for piece, _, _ in found) == texts(shown)
    starts = [start for _, start, _ in found]
    assert starts == sorted(starts)
    for piece, start, end in found:
        assert 0 <= start < end <= len(text)
        sent = text[start:end]
        if len(piece) == len(sent) and not sent.startswith("]("):
            assert piece.replace("\n", " ") == sent.replace("\n", " ")


@given(WORDS)
def test_ordinary_markdown_can_be_placed(text: str) -> None:
    if rich_tree(text) is not None and "\t" not in text:
        assert placed_tree(text) is not None
