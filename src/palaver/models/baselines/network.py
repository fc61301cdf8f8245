"""The two networks of the baselines: one layer over counted features, and one over their mean."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from palaver.models.baselines.bags import Bags


class LinearScores(nn.Module):
    """Each feature adds its own score to each output."""

    idf: Tensor

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(features, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        # What each feature weighs stands with the weights that were learnt on it.
        self.register_buffer("idf", torch.ones(features, dtype=torch.float64))

    def forward(self, bags: Bags) -> Tensor:
        return self.bias + functional.embedding_bag(
            bags.numbers, self.weight, bags.offsets, mode="sum", per_sample_weights=bags.weights
        )

    def penalty(self) -> Tensor:
        """Half the squared length of the weights, the bias apart."""
        return self.weight.square().sum() / 2


class AveragedVectors(nn.Module):
    """The mean of the features' vectors, and one layer over it, as in fastText.

    A. Joulin, E. Grave, P. Bojanowski, T. Mikolov (2017), Bag of tricks for efficient text
    classification, EACL. Vectors begin small, the layer at nothing.
    """

    def __init__(self, features: int, outputs: int, *, width: int, dice: torch.Generator) -> None:
        super().__init__()
        self.vectors = nn.Parameter((2 * torch.rand(features, width, generator=dice) - 1) / width)
        self.output = nn.Linear(width, outputs)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, bags: Bags) -> Tensor:
        mean = functional.embedding_bag(
            bags.numbers, self.vectors, bags.offsets, mode="sum", per_sample_weights=bags.weights
        )
        scores: Tensor = self.output(mean)
        return scores

    def penalty(self) -> Tensor:
        return torch.zeros((), device=self.vectors.device)
