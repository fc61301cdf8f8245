"""Draws of many models at once, against a loop that draws the items themselves."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from palaver.core.evaluation.runs import RunScore
from palaver.evaluation.dynaboards import draws
from palaver.evaluation.dynaboards.draws import ItemSamples, redraw
from support.dynaboards import bare, labels, mean

GOLD = list("aabbbccabcabccabbaabcbacbacbab")


def answers(seed: int, gold: list[str] = GOLD) -> list[str]:
    dice = np.random.default_rng(seed)
    return [each if dice.random() < 0.6 else str(dice.choice(["a", "b", "c"])) for each in gold]


def counts_of(samples: ItemSamples) -> np.ndarray:
    return np.hstack([piece.counts for piece in samples.pieces()]).astype(int)


def test_values_are_those_of_the_items_that_were_drawn() -> None:
    samples = ItemSamples(len(GOLD), 40, seed=1, digest="ab" * 32)
    given = [answers(seed) for seed in range(4)]
    values = np.linspace(0, 1, len(GOLD))
    scores = [labels(n, "macro_f1", each, GOLD) for n, each in enumerate(given)]
    found = redraw([*scores, mean(9, "fairness", values)], samples)
    for sample, times in enumerate(counts_of(samples)):
        items = np.repeat(np.arange(len(GOLD)), times)
        gold = [GOLD[n] for n in items]
        for model, each in enumerate(given):
            expected = f1_score(gold, [each[n] for n in items], average="macro")
            assert found[model] is not None
            assert found[model][sample] == pytest.approx(expected, rel=1e-5)
        assert found[4] is not None
        assert found[4][sample] == pytest.approx(values[items].mean(), rel=1e-5)


def test_every_sample_has_as_many_items_and_each_item_its_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(draws, "ITEMS", 7)
    counts = counts_of(ItemSamples(25, 4000, seed=0, digest="01" * 32))
    assert (counts.sum(axis=1) == 25).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(25), abs=0.08)
    assert counts.var(axis=0) == pytest.approx(np.full(25, 24 / 25), abs=0.12)


def test_pieces_and_groups_do_not_change_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = [labels(n, "accuracy", answers(n), GOLD) for n in range(6)]
    monkeypatch.setattr(draws, "ITEMS", 7)
    whole = redraw(scores, ItemSamples(len(GOLD), 30, seed=1, digest="ab" * 32))
    monkeypatch.setattr(draws, "NUMBERS", 100)
    monkeypatch.setattr(draws, "HELD", 0)
    parts = redraw(scores, ItemSamples(len(GOLD), 30, seed=1, digest="ab" * 32))
    for one, other in zip(whole, parts, strict=True):
        assert one is not None
        assert other is not None
        assert one.tolist() == other.tolist()


def test_the_same_content_and_seed_draw_the_same_and_others_do_not() -> None:
    one = counts_of(ItemSamples(20, 5, seed=1, digest="ab" * 32))
    assert (one == counts_of(ItemSamples(20, 5, seed=1, digest="ab" * 32))).all()
    assert (one != counts_of(ItemSamples(20, 5, seed=2, digest="ab" * 32))).any()
    assert (one != counts_of(ItemSamples(20, 5, seed=1, digest="cd" * 32))).any()


def test_models_that_answer_alike_vary_alike() -> None:
    dice = np.random.default_rng(0)
    values = dice.random(50)
    scores: list[RunScore] = [mean(n, "f", dice.random(50)) for n in range(9)]
    found = redraw(
        [mean(0, "f", values), *scores, mean(1, "f", values)],
        ItemSamples(50, 200, seed=0, digest="ab" * 32),
    )
    assert found[0] is not None
    assert found[-1] is not None
    assert found[0].tolist() == found[-1].tolist()


def test_scores_without_rows_or_of_other_items_are_not_drawn() -> None:
    samples = ItemSamples(len(GOLD), 5, seed=0, digest="ab" * 32)
    short = labels(1, "accuracy", answers(1)[:-1], GOLD[:-1])
    assert redraw([bare(1, "memory", 4.0), short], samples) == [None, None]
