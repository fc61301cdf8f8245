"""Distances on tensors: the numbers of `palaver.metrics`, and slopes to learn from."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from palaver.metrics import distances as metrics
from palaver.models.dialeval.distances import cross_entropy, jsd, nmd, rnss, rsnod
from support.dialeval import EXAMPLES, examples

PAIRS: list[tuple[Callable[[Tensor, Tensor], Tensor], Any]] = [
    (jsd, metrics.jsd),
    (rnss, metrics.rnss),
    (nmd, metrics.nmd),
    (rsnod, metrics.rsnod),
]


def shares(values: Any) -> Tensor:
    given = torch.as_tensor(np.array(values, dtype=np.float64))
    return given / given.sum(dim=-1, keepdim=True)


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the shared examples are not here")
@pytest.mark.parametrize("distance", [jsd, rnss, nmd, rsnod])
def test_the_worked_examples_of_the_official_code(
    distance: Callable[[Tensor, Tensor], Tensor],
) -> None:
    for each in examples()["distributions"]:
        found = distance(shares(each["pred"]), shares(each["gold"]))
        assert float(found) == pytest.approx(each[distance.__name__], abs=1e-12), each["name"]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_any_pair_is_as_far_apart_as_the_metrics_say(
    ours: Callable[[Tensor, Tensor], Tensor], theirs: Any
) -> None:
    dice = np.random.default_rng(3)
    p = dice.dirichlet(np.ones(5), size=200)
    # Counts of 19 annotators, many of them 0.
    q = dice.multinomial(19, dice.dirichlet(np.full(5, 0.3), size=200))
    p[:20] = q[:20] / 19
    found = ours(shares(p), shares(q))
    assert found.numpy() == pytest.approx(theirs(p, q), abs=1e-12)


@pytest.mark.parametrize("distance", [jsd, rnss, nmd, rsnod])
def test_a_step_downhill_brings_a_prediction_nearer(
    distance: Callable[[Tensor, Tensor], Tensor],
) -> None:
    logits = torch.zeros(5, requires_grad=True)
    right = torch.tensor([0.0, 0.1, 0.6, 0.3, 0.0])
    before = distance(torch.softmax(logits, dim=-1), right)
    before.backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    after = distance(torch.softmax(logits.detach() - 0.1 * logits.grad, dim=-1), right)
    assert after.item() < before.item()


@pytest.mark.parametrize("distance", [jsd, rnss, nmd, rsnod])
def test_a_perfect_prediction_has_no_slope_rather_than_an_infinite_one(
    distance: Callable[[Tensor, Tensor], Tensor],
) -> None:
    right = torch.tensor([[0.0, 0.25, 0.75, 0.0]])
    given = right.clone().requires_grad_()
    found = distance(given, right)
    found.sum().backward()
    assert found.item() == 0
    assert given.grad is not None
    assert torch.isfinite(given.grad).all()


@pytest.mark.parametrize("distance", [jsd, rnss, nmd, rsnod])
@pytest.mark.parametrize("low", [-86.0, -90.0, -103.0, -200.0])
def test_a_sure_network_has_a_slope_however_small_its_other_shares(
    distance: Callable[[Tensor, Tensor], Tensor], low: float
) -> None:
    # Shares that single precision can just hold, or no longer.
    logits = torch.tensor([0.0, low, low - 3], requires_grad=True)
    for right in ([1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]):
        distance(torch.softmax(logits, dim=-1), torch.tensor(right)).backward()
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


def test_a_label_that_is_not_of_a_turn_costs_nothing_and_passes_no_gradient() -> None:
    logits = torch.tensor([[1.0, 2.0, 0.5, float("-inf")]], requires_grad=True)
    right = torch.tensor([[0.5, 0.25, 0.25, 0.0]])
    found = cross_entropy(torch.log_softmax(logits, dim=-1), right)
    plain = cross_entropy(torch.log_softmax(logits[:, :3], dim=-1), right[:, :3])
    found.sum().backward()
    assert found.item() == pytest.approx(plain.item())
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()
    assert float(logits.grad[0, 3]) == 0
