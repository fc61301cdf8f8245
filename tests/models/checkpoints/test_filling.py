"""Weights in networks: those that fit, and recipes that ask for something else, or for too much."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import (
    Checkpoint,
    CheckpointError,
    open_checkpoint,
    write_checkpoint,
)
from palaver.models.deal import kinds as deal
from palaver.models.deal.words import MARKS
from palaver.models.dialeval import kinds as dialeval


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    write_checkpoint(
        tmp_path / "model",
        settings={"model": "toy", "recipe": {"model": "toy"}},
        words={"words": ["a", "b"]},
        weights={"weight": torch.ones(2, 3), "bias": torch.zeros(2)},
    )
    return open_checkpoint(tmp_path / "model")


def test_weights_that_fit_are_put_in(checkpoint: Checkpoint) -> None:
    found = filled(lambda: nn.Linear(3, 2), checkpoint)
    assert torch.equal(found.weight, torch.ones(2, 3))
    assert found(torch.ones(1, 3)).tolist() == [[3, 3]]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: nn.Linear(4, 2), "'weight' is 2 × 3 and should be 2 × 4"),
        (lambda: nn.Linear(3, 2, bias=False), "'bias' is 2 and should be missing"),
        (lambda: nn.Bilinear(1, 3, 2), "'weight' is 2 × 3 and should be 2 × 1 × 3"),
    ],
)
def test_weights_of_other_shapes_are_refused(
    make: Callable[[], nn.Module], told: str, checkpoint: Checkpoint
) -> None:
    with pytest.raises(CheckpointError, match=f"does not fit the recipe.*{told}"):
        filled(make, checkpoint)
    with pytest.raises(CheckpointError, match="does not fit the recipe"):
        fill(make(), checkpoint)


def test_a_pickle_in_place_of_weights_is_refused(checkpoint: Checkpoint) -> None:
    (checkpoint.folder / "weights.safetensors").write_bytes(b"\x80\x04" + b" " * 20)
    with pytest.raises(CheckpointError, match="is a pickle"):
        filled(lambda: nn.Linear(3, 2), checkpoint)


@pytest.mark.parametrize(
    ("network_of", "model", "network"),
    [
        (deal.network_of, "deal-talk", {"hidden": 10**7}),
        (deal.network_of, "deal-talk", {"embedding": 2**62}),
        (deal.network_of, "deal-transformer", {"width": 8 * 10**6}),
        (dialeval.network_of, "dialeval-bilstm", {"hidden": 10**7}),
        (dialeval.network_of, "dialeval-turns", {"width": 4 * 10**6, "heads": 4}),
    ],
)
def test_a_network_that_no_memory_holds_is_refused_by_the_weights(
    network_of: Callable[[Checkpoint], nn.Module],
    model: str,
    network: dict[str, Any],
    checkpoint: Checkpoint,
) -> None:
    words = {"words": [*MARKS, "ball"]}
    asks = Checkpoint(
        folder=checkpoint.folder,
        model=model,
        recipe={"model": model, "network": network},
        words=words,
    )
    with pytest.raises(CheckpointError, match="does not fit the recipe"):
        network_of(asks)


@pytest.mark.parametrize("model", ["deal-talk", "deal-transformer", "dialeval-turns"])
def test_layers_without_end_are_refused(model: str, checkpoint: Checkpoint) -> None:
    asks = Checkpoint(
        folder=checkpoint.folder,
        model=model,
        recipe={"model": model, "network": {"layers": 10**9}},
        words={"words": ["a"]},
    )
    network_of = deal.network_of if model.startswith("deal") else dialeval.network_of
    with pytest.raises(InputError, match=r"'network\.layers' is from 1 to 100"):
        network_of(asks)
