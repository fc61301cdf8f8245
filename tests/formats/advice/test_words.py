"""Tokens as spaCy's tokenizer cuts them, lemmas by rules of our own."""

import pytest

from palaver.formats.advice import words
from palaver.formats.advice.word_forms import lemma_of
from palaver.formats.advice.words import own_lemmas, own_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("I don't.", ["I", "do", "n't", "."]),
        ("it’s", ["it", "’s"]),
        ("I cannot, I'm gonna", ["I", "can", "not", ",", "I", "'m", "gon", "na"]),
        ("well-known/liked", ["well", "-", "known", "/", "liked"]),
        ("(25M) and 23f, 5kg", ["(", "25", "M", ")", "and", "23f", ",", "5", "kg"]),
        ("$1,200.50 at 10:30!", ["$", "1,200.50", "at", "10:30", "!"]),
        ("Dr. No, e.g. U.S.A.", ["Dr.", "No", ",", "e.g.", "U.S.A."]),
        ("see https://a.org/b?c=1, ok", ["see", "https://a.org/b?c=1", ",", "ok"]),
        ("so... :) <3", ["so", "...", ":)", "<3"]),
        # A space belongs to the word before it; every other gap is one token.
        ("a b", ["a", "b"]),
        ("a  b", ["a", " ", "b"]),
        ("a     b ", ["a", " ", "b"]),
        ("one\n\ntwo", ["one", "\n\n", "two"]),
        ("🙂ok", ["🙂", "ok"]),
    ],
)
def test_texts_are_cut_as_spacy_cuts_them(text: str, tokens: list[str]) -> None:
    assert own_tokens(text) == tokens


@pytest.mark.parametrize(
    ("lemma", "forms"),
    {
        "be": "was were is been 'm",
        "child": "Children child",
        "party": "parties PARTIES party",
        "stop": "stopped stopping stops",
        "call": "called calling",
        "make": "making made makes",
        "look": "looked looking",
        "decide": "decided deciding",
        "visit": "visited visiting visits",
        "relationship": "relationships",
        "argue": "arguing argued",
        "watch": "watches watched",
        "house": "houses",
        "not": "n't n’t",
        "business": "business",
        "need": "need needed",
    }.items(),
)
def test_forms_of_a_word_share_a_lemma(lemma: str, forms: str) -> None:
    assert {lemma_of(form) for form in forms.split()} == {lemma}


def test_lemmas_are_as_many_as_tokens() -> None:
    text = "She wasn't listening,\n\nso I've left  her 3 notes."
    assert len(own_lemmas(text)) == len(own_tokens(text))
    assert own_lemmas("They weren't listening") == ["they", "be", "not", "listen"]


def test_pieces_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_PIECES", 10)
    words._cut.clear()
    own_tokens(" ".join(f"w{n}" for n in range(1_000)))
    assert len(words._cut) <= 10


def test_it_says_who_made_the_words() -> None:
    assert words.word_engine() in ("spacy_model", "spacy_tokenizer", "own")
