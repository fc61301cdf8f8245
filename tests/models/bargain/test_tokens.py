"""Words in the way of NLTK: what people type comes apart and together again, and makes no marks."""

import pytest

from palaver.models.bargain.marks import MARKS
from palaver.models.bargain.pricing import UNKNOWN_PRICE, price_word
from palaver.models.bargain.tokens import as_sentence, listing_words, tokenise


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I can't, OK?", ["i", "ca", "n't", ",", "ok", "?"]),
        ("It’s Bob's; we'll see", ["it", "'s", "bob", "'s", ";", "we", "'ll", "see"]),
        ("well....no", ["well", "...", "no"]),
        ("new/used \\ fine", ["new", "used", "fine"]),
        ("$5 off, 3.5 GB, 16gb", ["$5", "off", ",", "3.5", "gb", ",", "16gb"]),
        ("like-new :) 😀", ["like-new", ":", ")", "😀"]),
        ('"Quoted" `code`', ["quoted", "code"]),
        ("  \n\t ", []),
    ],
)
def test_words_come_apart(text: str, words: list[str]) -> None:
    assert tokenise(text) == words


@pytest.mark.parametrize("mark", [*MARKS, price_word(-0.25), UNKNOWN_PRICE])
def test_nobody_types_a_mark(mark: str) -> None:
    assert mark not in tokenise(f"ok {mark}{mark} ok")


@pytest.mark.parametrize(
    "text",
    [
        "i can't go there, it's new.",
        "is it (still) here? great... no!",
        "50% off :) we'll see",
        "unit #4 costs $1,250: ok",
    ],
)
def test_words_come_together_again(text: str) -> None:
    assert as_sentence(tokenise(text)) == text


def test_listings_have_words_alone() -> None:
    assert listing_words(['27" iMac (2015), i5', "no_scratches!"]) == [
        "27",
        "imac",
        "2015",
        "i5",
        "no",
        "scratches",
    ]
