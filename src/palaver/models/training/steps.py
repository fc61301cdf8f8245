"""One step: its optimizer, its rate, and the moving average of the weights."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from palaver.models.recipe import TrainingSettings


def new_optimizer(training: TrainingSettings, network: nn.Module) -> torch.optim.Optimizer:
    """The optimizer of a recipe over every weight that can change."""
    weights = [each for each in network.parameters() if each.requires_grad]
    rate, decay = training.rate, training.weight_decay
    match training.optimizer:
        case "adam":
            return torch.optim.Adam(weights, lr=rate, betas=training.betas)
        case "adamw":
            return torch.optim.AdamW(weights, lr=rate, betas=training.betas, weight_decay=decay)
        case "adagrad":
            return torch.optim.Adagrad(weights, lr=rate, weight_decay=decay)
        case "sgd":
            return torch.optim.SGD(
                weights,
                lr=rate,
                momentum=training.momentum,
                nesterov=training.momentum > 0,
                weight_decay=decay,
            )


def rate_at(training: TrainingSettings, step: int, total: int) -> float:
    """The learning rate of a step, counted from 0, as a share of the highest.

    `one-cycle` rises and falls along a cosine (Smith and Topin 2019), `cosine` rises in a line. Both
    end near 0. What `anneal` has divided by is not counted here.
    """
    if training.schedule in ("constant", "anneal"):
        return 1.0
    done = (step + 1) / max(1, total)
    if done < training.warmup:
        risen = done / training.warmup
        return 0.5 - 0.5 * math.cos(math.pi * risen) if training.schedule == "one-cycle" else risen
    fallen = (done - training.warmup) / max(1e-9, 1 - training.warmup)
    return 0.5 + 0.5 * math.cos(math.pi * min(1.0, fallen))


class MovingAverage:
    """Weights averaged over steps, which err less than those of the last step.

    The decay rises to its value, so that the first weights are soon forgotten. Buffers, which count
    things, are as after the last step.
    """

    def __init__(self, network: nn.Module, decay: float) -> None:
        self.decay = decay
        self.steps = 0
        self.weights = {name: each.detach().clone() for name, each in network.state_dict().items()}
        learnt = {name for name, _ in network.named_parameters(remove_duplicate=False)}
        self._learnt = [name for name in self.weights if name in learnt]
        self._counted = [name for name in self.weights if name not in learnt]

    def follow(self, network: nn.Module) -> None:
        """Take the weights of one more step in."""
        self.steps += 1
        share = 1 - min(self.decay, (1 + self.steps) / (10 + self.steps))
        now = network.state_dict()
        own = [self.weights[name] for name in self._learnt]
        torch._foreach_lerp_(own, [now[name].detach() for name in self._learnt], share)
        for name in self._counted:
            self.weights[name].copy_(now[name])


def clip_gradients(weights: Iterable[Tensor], most: float) -> Tensor:
    """Scale gradients down to a norm; their norm before comes back, without a wait for the device."""
    return nn.utils.clip_grad_norm_(weights, most if most > 0 else math.inf, foreach=True)
