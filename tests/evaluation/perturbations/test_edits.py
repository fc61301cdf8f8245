"""Edits on a whole corpus against the same edits made on each text by hand."""

from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.numeric import np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.edits import changed_texts, exchanged, together, written

letters = st.text("abcä жé\n", max_size=12)


@st.composite
def edited(draw: st.DrawFn) -> tuple[list[str], list[list[tuple[int, int, str]]]]:
    """Texts, and for each some edits that do not overlap."""
    texts = draw(st.lists(letters, min_size=1, max_size=6))
    edits = []
    for text in texts:
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
        edits.append([(a, b, draw(st.text("xyz𝐪", max_size=3))) for a, b in pairs])
    return texts, edits


@settings(max_examples=50, deadline=None)
@given(edited())
def test_the_same_as_by_hand(given_: tuple[list[str], list[list[tuple[int, int, str]]]]) -> None:
    texts, edits = given_
    corpus = Corpus(texts)
    flat = [
        (start + a, start + b, new)
        for start, several in zip(corpus.starts.tolist(), edits, strict=True)
        for a, b, new in several
    ]
    table = [new for _, _, new in flat]
    starts, stops = (np.array([each[n] for each in flat], dtype=np.int64) for n in (0, 1))
    every = written(starts, stops, np.arange(len(table)), table)

    assert changed_texts(corpus, every) == [
        _by_hand(t, e) for t, e in zip(texts, edits, strict=True)
    ]
    halves = [_part(starts, stops, table, n) for n in (1, 0)]
    assert changed_texts(corpus, together(*halves)) == changed_texts(corpus, every)


def _part(starts: object, stops: object, table: list[str], n: int):  # type: ignore[no-untyped-def]
    chosen = np.arange(n, len(table), 2)
    return written(starts[chosen], stops[chosen], chosen, table)  # type: ignore[index]


def _by_hand(text: str, edits: list[tuple[int, int, str]]) -> str:
    for a, b, new in reversed(edits):
        text = text[:a] + new + text[b:]
    return text


def _edit(start: int, stop: int, corpus: Corpus) -> list[str]:
    at = np.array([start]), np.array([stop])
    return changed_texts(corpus, written(*at, np.array([0]), ["#"]))


def test_what_may_not_change_does_not() -> None:
    corpus = Corpus(["one two", "e\u0301a"], [[(0, 3)], []])

    assert _edit(1, 2, corpus) == ["one two", "e\u0301a"]  # protected
    assert _edit(2, 2, corpus) == ["one two", "e\u0301a"]  # inside what is protected
    assert _edit(3, 3, corpus) == ["one# two", "e\u0301a"]  # beside it
    assert _edit(6, 9, corpus) == ["one two", "e\u0301a"]  # over the end of a text
    assert _edit(9, 9, corpus) == ["one two", "e\u0301a"]  # between a letter and its mark
    assert _edit(8, 9, corpus) == ["one two", "e\u0301a"]  # the letter of a mark
    assert _edit(8, 10, corpus) == ["one two", "#a"]  # both
    shouted = exchanged(corpus.mapped(str.upper))
    assert changed_texts(corpus, shouted) == ["one TWO", "E\u0301A"]


def test_of_two_edits_in_one_place_the_first_is_made() -> None:
    corpus = Corpus(["abcdef"])
    starts, stops = np.array([0, 1, 4]), np.array([3, 2, 5])

    made = changed_texts(corpus, written(starts, stops, np.array([0, 1, 1]), ["X", "Y"]))
    assert made == ["XdYf"]


def test_words_are_found_with_marks_and_apostrophes() -> None:
    corpus = Corpus(["Don't “go”, e\u0301te\u0301 👨‍👩‍👧 3.14", "rock-'n'-roll"])

    assert [corpus.vocabulary.words[n] for n in corpus.vocabulary.ids] == [
        *("Don't", "go", "e\u0301te\u0301", "3", "14"),
        *("rock", "n", "roll"),
    ]
    assert corpus.words.rows.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
