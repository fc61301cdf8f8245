"""Pieces of words: how they are learnt, that nothing is unknown, and what a checkpoint may hold."""

import itertools
import random
from collections import Counter

import pytest

from palaver.core.errors import InputError
from palaver.models.advice.joining import learnt_merges
from palaver.models.advice.pieces import BYTES, MARKS, WORD, WordPieces, joined_pieces, shown

TEXTS = ["the lower the newer", "low lower lowest", "newest and widest, and the wider"]


def merges_by_hand(texts: list[str], count: int) -> list[tuple[str, str]]:
    """All pairs counted anew before each join."""
    words = [list(shown(word)) for text in texts for word in WORD.findall(text)]
    merges: list[tuple[str, str]] = []
    for _ in range(count):
        pairs = Counter(pair for word in words for pair in itertools.pairwise(word))
        ranked = sorted(pairs, key=lambda pair: (-pairs[pair], pair))
        if not ranked or pairs[ranked[0]] < 2:
            break
        merges.append(ranked[0])
        words = [joined_pieces(word, ranked[0]) for word in words]
    return merges


@pytest.mark.parametrize("seed", range(3))
def test_the_commonest_pair_is_joined_first(seed: int) -> None:
    dice = random.Random(seed)
    texts = [*TEXTS, *("".join(dice.choices("aab ", k=60)) for _ in range(5))]
    found = learnt_merges(texts, 60)
    assert found == merges_by_hand(texts, 60)
    assert len(found) > 30
    assert learnt_merges(texts, 7) == found[:7]


def test_the_order_of_texts_makes_no_difference() -> None:
    assert learnt_merges(TEXTS[::-1], 20) == learnt_merges(TEXTS, 20)


def test_every_text_comes_back() -> None:
    pieces = WordPieces(learnt_merges(TEXTS, 20))
    for text in (
        *TEXTS,
        "ümlaut 日本語 🙂 don't 1234567 _x_ !!?!",
        "a" * 500,
        "",
        "  two  spaces ",
    ):
        assert pieces.text(pieces.numbers(text)) == text
    assert len(pieces.numbers("lower")) < len(pieces.numbers("zyxwv")) == 5
    assert pieces.size("the lower") == len(pieces.numbers("the lower"))


def test_nobody_can_type_a_mark() -> None:
    pieces = WordPieces([])
    for mark in MARKS:
        assert min(pieces.numbers(mark)) >= len(MARKS)
    assert pieces.text([0, 1, 2]) == ""


def test_bytes_that_make_no_character_are_left_out() -> None:
    pieces = WordPieces([])
    half = len(MARKS) + BYTES.index(BYTES[0xE6])
    assert pieces.text([half, *pieces.numbers("a")]) == "a"


def test_a_checkpoint_gives_the_same_pieces_again() -> None:
    pieces = WordPieces(learnt_merges(TEXTS, 20))
    again = WordPieces.from_words(pieces.as_words(), where="here")
    assert again.numbers(" ".join(TEXTS)) == pieces.numbers(" ".join(TEXTS))


def test_a_vocabulary_of_something_else_is_refused() -> None:
    words = WordPieces(learnt_merges(TEXTS, 5)).as_words()
    for wrong in (
        {},
        {**words, "words": words["words"][:-1]},
        {**words, "merges": words["merges"][:-1]},
        {**words, "merges": [*words["merges"][:-1], "one"]},
    ):
        with pytest.raises(InputError, match="here: its vocabulary is none of pieces"):
            WordPieces.from_words(wrong, where="here")
