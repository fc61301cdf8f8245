"""Splits as tensors agree with the game's own sums, and nothing illegal comes out."""

import math
import random
from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from palaver.games.deal_or_no_deal import splits as game
from palaver.models.deal.network import CLASSES, ITEMS, MOST_ITEMS
from palaver.models.deal.splits import (
    OUTCOMES,
    SPLITS,
    best_split,
    is_deal,
    is_pareto_optimal,
    legal_log_probs,
    legal_slots,
    outcome_points,
    outcome_slots,
    points,
    split_probabilities,
    split_scores,
)
from support.deal_lines import random_contexts


def random_log_probs(contexts: torch.Tensor, seed: int = 0) -> torch.Tensor:
    dice = torch.Generator().manual_seed(seed)
    logits = 3 * torch.randn(len(contexts), 6, CLASSES, generator=dice)
    return legal_log_probs(logits, contexts)


def consistent(context: list[int]) -> list[tuple[int, ...]]:
    """Every outcome of a context, in plain Python."""
    counts = context[::2]
    shares = product(*(range(count + 1) for count in counts))
    found = [(*own, *(c - o for c, o in zip(counts, own, strict=True))) for own in shares]
    return [*found, *((why,) * 6 for why in range(MOST_ITEMS + 1, CLASSES))]


def kb(context: list[int]) -> list[dict[str, object]]:
    return [
        {"Name": item, "Count": context[2 * n], "Value": context[2 * n + 1]}
        for n, item in enumerate(ITEMS)
    ]


def test_probabilities_are_those_of_all_outcomes_that_add_up():
    contexts = random_contexts(30)
    log_probs = random_log_probs(contexts)

    found = split_probabilities(log_probs, contexts)

    for row, context in enumerate(contexts.tolist()):
        outcomes = consistent(context)
        sums = [sum(log_probs[row, n, c].item() for n, c in enumerate(o)) for o in outcomes]
        total = sum(math.exp(each) for each in sums)
        possible = found[row].nonzero()[:, 0]
        slots = outcome_slots(possible, contexts[row].expand(len(possible), -1))
        told = dict(zip(map(tuple, slots.tolist()), found[row, possible].tolist(), strict=True))
        assert told == pytest.approx(
            {o: math.exp(s) / total for o, s in zip(outcomes, sums, strict=True)}, abs=1e-5
        )


def test_the_best_split_is_the_likeliest_outcome_that_adds_up():
    contexts = random_contexts(60, seed=1)
    log_probs = random_log_probs(contexts, seed=1)

    found = best_split(log_probs, contexts).tolist()
    deals = best_split(log_probs, contexts, deals_only=True).tolist()

    for row, context in enumerate(contexts.tolist()):

        def score(outcome, row=row):
            return sum(log_probs[row, n, c].item() for n, c in enumerate(outcome))

        outcomes = consistent(context)
        assert score(found[row]) == pytest.approx(max(map(score, outcomes)), abs=1e-4)
        assert score(deals[row]) == pytest.approx(max(map(score, outcomes[:-3])), abs=1e-4)
        assert tuple(found[row]) in outcomes
        assert tuple(deals[row]) in outcomes[:-3]


@given(
    counts=st.lists(st.integers(0, MOST_ITEMS), min_size=3, max_size=3),
    seed=st.integers(0, 2**31),
    scale=st.sampled_from([0.0, 1.0, 50.0, 1e4]),
)
def test_nothing_illegal_comes_out_of_any_network(counts, seed, scale):
    dice = torch.Generator().manual_seed(seed)
    contexts = torch.tensor([[counts[0], 1, counts[1], 2, counts[2], 3]])
    logits = scale * torch.randn(1, 6, CLASSES, generator=dice)

    log_probs = legal_log_probs(logits, contexts)

    # What a head says without a mask is not taken at its word either.
    for said in (log_probs, logits):
        slots = best_split(said, contexts)[0].tolist()
        assert tuple(slots) in consistent(contexts[0].tolist())
    assert log_probs.exp()[~legal_slots(contexts)].sum() == 0
    assert log_probs.exp().sum(2) == pytest.approx(torch.ones(1, 6), abs=1e-4)
    assert split_probabilities(log_probs, contexts).sum().item() == pytest.approx(1, abs=1e-4)


def test_points_are_those_of_the_game():
    contexts = random_contexts(50, seed=2)
    outcomes = split_scores(random_log_probs(contexts, seed=2), contexts)[:, :SPLITS].argmax(1)
    slots = outcome_slots(outcomes, contexts)

    worth = points(slots[:, :3], contexts)

    for row, context in enumerate(contexts.tolist()):
        share = dict(zip(ITEMS, slots[row, :3].tolist(), strict=True))
        assert worth[row].item() == game.points(share, kb(context))
    assert torch.equal(outcome_points(contexts)[torch.arange(50), outcomes], worth)


def test_no_deal_is_worth_nothing():
    contexts = random_contexts(3)
    failures = outcome_slots(torch.arange(SPLITS, OUTCOMES), contexts)

    assert failures[:, 0].tolist() == [11, 12, 13]
    assert not is_deal(failures).any()
    assert points(failures[:, :3], contexts).tolist() == [0, 0, 0]
    assert outcome_points(contexts)[:, SPLITS:].tolist() == [[0, 0, 0]] * 3


def test_pareto_optimal_splits_are_those_of_the_game():
    own, partner = random_contexts(150, seed=3), random_contexts(150, seed=4)
    partner[:, ::2] = own[:, ::2]
    dice = random.Random(5)
    shares = torch.tensor([[dice.randint(0, n) for n in row] for row in own[:, ::2].tolist()])

    found = is_pareto_optimal(shares, own, partner).tolist()

    expected = []
    for row in range(150):
        mine = dict(zip(ITEMS, shares[row].tolist(), strict=True))
        rest = {item: own[row, 2 * n].item() - mine[item] for n, item in enumerate(ITEMS)}
        kbs = [kb(own[row].tolist()), kb(partner[row].tolist())]
        expected.append(game.is_pareto_optimal(kbs, [mine, rest]))
    assert found == expected
    assert 10 < sum(found) < 140
