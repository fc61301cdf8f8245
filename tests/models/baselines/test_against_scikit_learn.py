"""The linear classifier beside scikit-learn's: the same features, the same penalty, the same answers."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from palaver.evaluation.tasks import builtin_task
from palaver.models.baselines.bags import WeighedWords
from palaver.models.baselines.features import FeatureRow, Question
from palaver.models.baselines.network import LinearScores
from palaver.models.baselines.parts import QuestionPart
from palaver.models.baselines.responders import TextResponder
from palaver.models.baselines.text_learner import TextLearner, divided
from palaver.models.baselines.text_model import TextModel
from palaver.models.baselines.tokens import lower_words

from .made import gold_examples, made, statements, written

STRENGTH = 3.0


def fitted(learner: TextLearner) -> None:
    """Find the least loss over all examples, without the noise of batches."""
    everything = np.arange(len(learner.data.learnt))
    optimizer = torch.optim.LBFGS(
        learner.network.parameters(),
        max_iter=80,
        tolerance_grad=1e-8,
        tolerance_change=1e-12,
        line_search_fn="strong_wolfe",
    )

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = learner.loss(everything)
        loss.backward()
        return loss

    optimizer.step(closure)


class WordsAlone(QuestionPart):
    """Without how long a statement is, which scikit-learn's features do not say."""

    def rows(self, question: Question) -> list[FeatureRow]:
        return [row[:1] for row in super().rows(question)]


def test_tf_idf_is_that_of_scikit_learn() -> None:
    texts = [each["statement"] for each in statements(60)]
    theirs = TfidfVectorizer(analyzer=_runs, sublinear_tf=True, min_df=2)
    table = theirs.fit_transform(texts).toarray()

    ours = WeighedWords.of(([_runs(text)] for text in texts), least=2, most=10_000, plain=False)

    assert sorted(ours.words) == sorted(theirs.vocabulary_)
    for row, text in zip(table, texts, strict=True):
        numbers, weights = ours.bag([_runs(text)])
        for number, weight in zip(numbers, weights, strict=True):
            assert abs(row[theirs.vocabulary_[ours.words[number]]] - weight) < 1e-12
        assert np.count_nonzero(row) == len(numbers)


def test_the_same_loss_is_lowest_at_the_same_weights() -> None:
    task = builtin_task("sentiment")
    data = divided(gold_examples(task, statements(120)), 0)
    part = WordsAlone(data.layout, data.layout.goals, longest=2)
    rows = [row for each in data.learnt for row in part.rows(each.question)]
    bagger = WeighedWords.of(rows, least=2, most=10_000, plain=False)
    layer = LinearScores(bagger.size, part.outputs)
    model = TextModel(data.layout, [part], [bagger], [layer], torch.device("cpu"))
    learner = TextLearner(model, data, words=dict, strength=STRENGTH, batch=32)

    fitted(learner)

    labels = data.layout.goals[0].labels
    theirs = TfidfVectorizer(analyzer=_runs, sublinear_tf=True, min_df=2)
    x = theirs.fit_transform([each.question["statement"] for each in data.learnt])
    y = [labels.index(each.gold["label"]) for each in data.learnt]
    reference = LogisticRegression(C=STRENGTH, tol=1e-8, max_iter=800).fit(x, y)
    order = [theirs.vocabulary_[word.partition("|")[2]] for word in bagger.words]
    weights = layer.weight.detach().numpy()
    # One number may be added to all classes of a feature without changing an answer.
    centred = weights - weights.mean(axis=1, keepdims=True)
    wanted = reference.coef_.T[order]
    assert np.abs(centred - (wanted - wanted.mean(axis=1, keepdims=True))).max() < 5e-3

    fresh = [
        {"uid": each["uid"], "statement": each["statement"]} for each in statements(80, seed=2)
    ]
    known = reference.predict_proba(theirs.transform([each["statement"] for each in fresh]))
    ours = np.array([chances[0] for chances in model.chances(fresh)])
    assert np.abs(ours - known).max() < 2e-3
    assert (ours.argmax(axis=1) == known.argmax(axis=1)).all()


def test_the_trainer_comes_to_the_same_answers(tmp_path: Path) -> None:
    """Batches by chance and an early stop, as `palaver model baseline` trains: as good on new texts."""
    learnt, new = statements(300), statements(150, seed=2)
    theirs = TfidfVectorizer(analyzer=_runs, sublinear_tf=True, min_df=2)
    x = theirs.fit_transform([each["statement"] for each in learnt])
    reference = LogisticRegression(C=4.0, max_iter=800).fit(x, [each["label"] for each in learnt])
    labels = [each["label"] for each in new]
    known = reference.score(theirs.transform([each["statement"] for each in new]), labels)

    checkpoint = made(
        "ngrams", written(tmp_path / "train.jsonl", "sentiment", learnt), tmp_path / "n"
    )
    answers = TextResponder([checkpoint], torch.device("cpu")).answer(new)

    ours = np.mean([a["label"] == label for a, label in zip(answers, labels, strict=True)])
    assert known > 0.9
    assert ours >= known - 0.03


def _runs(text: str) -> list[str]:
    words = lower_words(text)
    return [*words, *(" ".join(pair) for pair in pairwise(words))]
