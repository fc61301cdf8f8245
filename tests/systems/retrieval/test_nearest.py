"""The fast search against plain dense arithmetic, and the weights against their formulas."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.systems.retrieval import nearest
from palaver.systems.retrieval.nearest import NearestTexts
from palaver.systems.retrieval.weighting import NOISE, Method, question_weights, weigh
from palaver.systems.retrieval.word_counts import UNKNOWN, WordCounter, WordCounts

WORDS = ["the", "of", "cat", "dog", "rent", "loan", "wifi", "é", "漢", "🙂"]
Text = st.lists(st.sampled_from([*WORDS, "the", "the", "of"]), max_size=12)


def counted(texts: list[list[str]], least: int = 1) -> WordCounts:
    counter = WordCounter()
    for text in texts:
        counter.add(text)
    return counter.counts(least=least)


def published_scores(
    texts: list[list[str]], question: list[str], *, least: int, seed: int
) -> list[float]:
    """The published baseline, word by word: the formulas with nothing clever in them."""
    totals = Counter(word for text in texts for word in text)
    known = [word for word, total in totals.most_common() if total >= least]
    with_word = Counter(word for text in texts for word in set(text))
    idf = {word: math.log(len(texts) / (1 + with_word[word])) for word in known}
    idf[UNKNOWN] = math.log(1.01)

    def vector(text: list[str]) -> dict[str, float]:
        counts = Counter(word if word in known else UNKNOWN for word in text)
        return {w: float(np.float16(c / len(text) * idf[w])) for w, c in counts.items()}

    asked, noise = vector(question), np.random.default_rng(seed).random(len(texts))
    scores = []
    for text, more in zip(map(vector, texts), noise, strict=True):
        dot = sum(weight * asked.get(word, 0.0) for word, weight in text.items())
        norm = math.sqrt(sum(weight**2 for weight in text.values())) or 1.0
        scores.append((dot + 1e-5 * more) / norm)
    return scores


def asked(counts: WordCounts, method: Method, factors: Any, question: list[str]) -> Any:
    numbers = {word: number for number, word in enumerate(counts.words)}
    found = Counter(numbers.get(word, 0) for word in question)
    words = np.array(sorted(found), dtype=np.int64)
    times = np.array([found[word] for word in sorted(found)], dtype=np.int64)
    return words, question_weights(method, factors[words], times)


def searched(
    texts: list[list[str]], question: list[str], *, method: Method, least: int = 1, seed: int = 3
) -> tuple[int, float]:
    counts = counted(texts, least)
    weighting = weigh(counts, method)
    index = NearestTexts.of(counts.table, weighting.values, weighting.divisors)
    if method == "tfidf":
        index.add_noise(NOISE, seed)
    found = index.find(*asked(counts, method, weighting.factors, question))
    assert found is not None
    return found.row, found.score


@given(st.lists(Text, min_size=1, max_size=15), Text, st.integers(1, 3), st.integers(0, 9))
def test_tfidf_is_the_published_formula(
    texts: list[list[str]], question: list[str], least: int, seed: int
) -> None:
    expected = published_scores(texts, question, least=least, seed=seed)

    row, score = searched(texts, question, method="tfidf", least=least, seed=seed)

    assert score == pytest.approx(max(expected), rel=1e-9, abs=1e-15)
    assert expected[row] == pytest.approx(max(expected), rel=1e-9, abs=1e-15)


@given(st.lists(Text.filter(bool), min_size=1, max_size=15), Text)
def test_bm25_is_that_of_bm25s(texts: list[list[str]], question: list[str]) -> None:
    bm25s = pytest.importorskip("bm25s")
    theirs = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    theirs.index(texts, show_progress=False)
    known = [word for word in question if any(word in text for text in texts)]
    expected = theirs.get_scores(known) if known else np.zeros(len(texts))

    row, score = searched(texts, question, method="bm25")

    assert score == pytest.approx(expected.max(), rel=1e-5, abs=1e-6)
    assert expected[row] == pytest.approx(expected.max(), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("method", ["tfidf", "bm25"])
@pytest.mark.parametrize("many", [0.0, 1.0])
def test_no_text_is_passed_over(
    method: Method, many: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a thousand texts few are scored, by loose bounds or by close ones; none that matters."""
    monkeypatch.setattr(nearest, "FIRST", 4)
    monkeypatch.setattr(nearest, "BLOCK", 16)
    monkeypatch.setattr(nearest, "MANY", many)
    dice = np.random.default_rng(5)
    shares = np.arange(1.0, 401) ** -1.1
    shares /= shares.sum()
    texts = [
        [f"w{n}" for n in dice.choice(400, p=shares, size=dice.integers(5, 80))]
        for _ in range(1000)
    ]
    counts = counted(texts, least=3)
    weighting = weigh(counts, method)
    index = NearestTexts.of(counts.table, weighting.values, weighting.divisors)
    if method == "tfidf":
        index.add_noise(NOISE, 1)
    everything = np.arange(len(texts))

    for text in texts[:40]:
        words, weights = asked(counts, method, weighting.factors, text[: len(text) // 2])
        question = np.zeros(len(counts.words))
        question[words] = weights
        scores = index.scores(everything, question)
        best = int(np.argmax(scores))
        scores[best] = -np.inf
        found = index.find(words, weights)
        second = index.find(words, weights, without=np.array([best]))

        assert found is not None
        assert second is not None
        assert found.row == best
        assert second.row == int(np.argmax(scores))


def test_equals_go_to_the_first_under_bm25_and_by_seed_under_tfidf() -> None:
    texts = [["rent", "the"], *[["cat", "dog"]] * 30, *[["loan"]] * 3]

    assert searched(texts, ["cat"], method="bm25")[0] == 1
    drawn = {searched(texts, ["cat"], method="tfidf", seed=seed)[0] for seed in range(20)}
    assert len(drawn) > 5
    assert drawn <= set(range(1, 31))
    assert searched(texts, ["cat"], method="tfidf", seed=4) == searched(
        texts, ["cat"], method="tfidf", seed=4
    )


@pytest.mark.parametrize("method", ["tfidf", "bm25"])
@pytest.mark.parametrize("question", [[], ["nobody", "knows"]])
def test_a_question_of_no_known_word_still_has_a_nearest_text(
    method: Method, question: list[str]
) -> None:
    row, score = searched([["cat"], ["dog"], []], question, method=method)

    assert 0 <= row < 3
    assert math.isfinite(score)


def test_where_every_text_is_left_out_none_is_found() -> None:
    counts = counted([["cat"]])
    weighting = weigh(counts, "tfidf")
    index = NearestTexts.of(counts.table, weighting.values, weighting.divisors)
    words, weights = asked(counts, "tfidf", weighting.factors, ["cat"])

    assert index.find(words, weights, without=np.array([0])) is None
    assert index.find(words, weights) is not None


def test_the_last_text_is_found_when_all_others_are_left_out() -> None:
    counts = counted([["cat", "dog"]] * 300 + [["rent"]])
    weighting = weigh(counts, "tfidf")
    index = NearestTexts.of(counts.table, weighting.values, weighting.divisors)
    words, weights = asked(counts, "tfidf", weighting.factors, ["cat"])

    found = index.find(words, weights, without=np.arange(300))

    assert found is not None
    assert found.row == 300


def test_words_are_numbered_by_how_often_they_occur() -> None:
    counts = counted([["b", "a", "a", "rare"], ["a", "b", "c", "c"], []], least=2)

    assert counts.words == (UNKNOWN, "a", "b", "c")
    assert counts.table.toarray().tolist() == [[1, 2, 1, 0], [0, 1, 1, 2], [0, 0, 0, 0]]
    assert counts.lengths.tolist() == [4, 4, 0]


def test_nothing_counted_is_an_empty_table() -> None:
    counts = counted([[]])

    assert counts.words == (UNKNOWN,)
    assert counts.table.toarray().tolist() == [[0]]
