"""Spans: what competes with what, where right answers stand, and that questions are read."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from palaver.core.errors import InputError
from palaver.evaluation.tasks import builtin_task
from palaver.metrics.qa import SQUAD_F1
from palaver.models.baselines.fitting import layout_of
from palaver.models.baselines.responders import (
    MajorityResponder,
    ReturnContextResponder,
    TextResponder,
)
from palaver.models.baselines.spans import SpanPart, runs_of, word_features
from palaver.models.baselines.tokens import placed_words

from .made import made, material, passages, recipe, written

LAYOUT = layout_of(builtin_task("qa"))
CPU = torch.device("cpu")


def part(most_words: int = 3) -> SpanPart:
    return SpanPart(LAYOUT, LAYOUT.goals[0], most_words=most_words)


def test_the_chances_are_a_softmax_over_every_run() -> None:
    """Beside a sum that is written out run by run, for two texts of different lengths."""
    scores = torch.randn(9, 3, generator=torch.Generator().manual_seed(1))

    found = part().chances(scores, [5, 4])

    for rows, chances in zip((scores[:5], scores[5:]), found, strict=True):
        start, inside, end = rows.unbind(1)
        worth = {
            (first, last): math.exp(start[first] + end[last] + inside[first : last + 1].sum())
            for first in range(len(rows))
            for last in range(first, min(first + 3, len(rows)))
        }
        for first, more in np.ndindex(*chances.shape):
            wanted = worth.get((first, first + more), 0.0) / sum(worth.values())
            assert chances[first, more] == pytest.approx(wanted, abs=1e-6)


def test_the_loss_counts_every_right_run() -> None:
    scores = torch.randn(9, 3, generator=torch.Generator().manual_seed(1))
    first, second = part().chances(scores, [5, 4])

    loss = part().loss(scores, [5, 4], [[(0, 1), (3, 3)], [(2, 2)]])

    both = [-math.log(first[0, 1] + first[3, 0]), -math.log(second[2, 0])]
    assert float(loss) == pytest.approx(sum(both) / 2, abs=1e-5)


def test_what_cannot_be_learnt_is_passed_over() -> None:
    """A text whose answer is too long, and one without words, add nothing to the loss."""
    scores = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    question = {"context": "one two three four five", "question": "what?"}

    assert part().target(question, {"answer": "one two three four"}) is None
    alone = part().loss(scores, [5], [[(0, 1)]])
    beside = part().loss(torch.cat([scores, scores]), [5, 5, 0], [[(0, 1)], None, None])
    assert float(alone) == pytest.approx(float(beside))


def test_an_answer_stands_at_every_place_of_it() -> None:
    text = "Ann met Anna, and Ann left."
    words = placed_words(text)

    assert runs_of("Ann", text, words) == [(0, 0), (2, 2), (5, 5)]
    assert runs_of("met Anna", text, words) == [(1, 2)]
    assert runs_of("", text, words) == []
    assert part().target({"context": text, "question": ""}, {"answer": ["met", "Ann left"]}) == [
        (1, 1),
        (5, 6),
    ]


def test_words_know_how_the_question_looks_at_them() -> None:
    text = "It rained. The mill was founded in 1871 by Ada."
    words = [word.text for word in placed_words(text)]
    features = dict(zip(words, word_features(placed_words(text), ["who", "founded"]), strict=True))

    assert "who? Xx" in features["Ada"]
    assert "who? d4" in features["1871"]
    assert "sentence 0" in features["1871"]
    assert "asked" in features["founded"]
    assert "after asked rare" in features["in"]


def test_a_span_is_copied_letter_by_letter(tmp_path: Path) -> None:
    checkpoint = made(
        "ngrams", written(tmp_path / "train.jsonl", "qa", passages(40)), tmp_path / "n"
    )
    texts = ["  The “mill”\n—1871—\tis  gone…", "", "   ", "灯が 点いた。"]
    questions = [
        {"uid": str(n), "context": text, "question": "When?"} for n, text in enumerate(texts)
    ]

    answers = TextResponder([checkpoint], CPU).answer(questions)

    assert all(each["answer"] in text for each, text in zip(answers, texts, strict=True))
    assert [bool(each["answer"]) for each in answers] == [True, False, False, True]


def test_a_learner_of_spans_beats_the_context_given_back(tmp_path: Path) -> None:
    train = written(tmp_path / "train.jsonl", "qa", passages(110))
    new = passages(40, seed=2)
    scores = {}
    for kind, responder in (
        ("majority", MajorityResponder),
        ("return-context", ReturnContextResponder),
        ("ngrams", TextResponder),
    ):
        answers = responder([made(kind, train, tmp_path / kind)], CPU).answer(new)
        given = [each["answer"] for each in answers]
        scores[kind] = SQUAD_F1.compute(given, [[each["answer"]] for each in new]).value

    assert scores["return-context"] < 0.15
    assert scores["majority"] < 0.3
    assert scores["ngrams"] > 0.7


def test_spans_that_are_all_too_long_are_told(tmp_path: Path) -> None:
    records = [{**each, "answer": each["context"]} for each in passages(20)]
    chosen = recipe("ngrams")
    train = written(tmp_path / "train.jsonl", "qa", records)

    with pytest.raises(InputError, match=r"no right span .* in 20 words or fewer"):
        chosen.kind().learner(chosen.settings, material(train))
