"""What of a language model is trained: all of it, or small matrices beside its own (LoRA).

LoRA adds a product of two narrow matrices to each weight that it changes (E. J. Hu and others, 2022,
LoRA: Low-rank adaptation of large language models, ICLR). What is added can be joined with the weight
in the end, or kept apart as an adapter.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.models.settings import COUNT, SHARE, Bounds, option

# The names of what is added, in a network.
_ADDED = ("lora_A", "lora_B", "lora_embedding_A", "lora_embedding_B")


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptationSettings:
    """What is trained, and what is kept of it."""

    method: Literal["full", "lora"] = option("full", "all weights, or LoRA beside them")
    rank: int = option(16, "of lora: numbers between the two matrices", Bounds(least=1, most=1024))
    alpha: int = option(32, "of lora: what is added is weighed by alpha / rank", COUNT)
    dropout: float = option(0.05, "of lora: of what its matrices read", SHARE)
    targets: tuple[str, ...] = option(
        ("auto",), "of lora: ends of the names of layers; auto: all linear ones but the last"
    )
    keep: Literal["merged", "adapter"] = option(
        "merged", "of lora: a whole model, or what was added alone, which needs the base again"
    )
    frozen: Literal["float32", "bfloat16"] = option(
        "float32", "of lora: how weights that stay as they are are held; bfloat16 takes half"
    )
    recompute: bool = option(
        False, "compute again in the backward pass, which takes longer and less memory"
    )

    @property
    def keeps_adapter(self) -> bool:
        return self.method == "lora" and self.keep == "adapter"

    @property
    def dtype(self) -> torch.dtype:
        """How the base is held."""
        is_half = self.method == "lora" and self.frozen == "bfloat16"
        return torch.bfloat16 if is_half else torch.float32


def adapt(model: nn.Module, settings: AdaptationSettings) -> None:
    """Put LoRA beside the layers of a model, and freeze those; nothing where all of it is trained."""
    if settings.method == "full":
        return
    from peft import LoraConfig, inject_adapter_in_model

    is_auto = settings.targets in ((), ("auto",))
    if not is_auto:
        _check_targets(model, settings.targets)
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear" if is_auto else list(settings.targets),
    )
    with warnings.catch_warnings():
        # On layers whose weights lie the other way round, which it then handles.
        warnings.simplefilter("ignore", UserWarning)
        try:
            inject_adapter_in_model(config, model)
        except (ValueError, TypeError, NotImplementedError) as error:
            raise InputError(
                f"LoRA does not fit this model: {' '.join(str(error).split())[:300]}"
            ) from error


def frozen_names(model: nn.Module) -> frozenset[str]:
    """The weights that LoRA leaves as they are, and what else it does not change."""
    every = {*model.state_dict()}
    return frozenset(name for name in every if not is_added(name))


def is_added(name: str) -> bool:
    """Whether a weight is LoRA's own, by its name."""
    return any(part in _ADDED for part in name.split("."))


def merged_weights(model: nn.Module) -> dict[str, Tensor]:
    """The weights of a model with LoRA, what is added joined with each, by their names without it.

    A weight with two names is there under one.
    """
    found: dict[str, Tensor] = {}
    layers = {
        name: layer for name, layer in model.named_modules() if hasattr(layer, "get_delta_weight")
    }
    for name, weight in unique_weights(model).items():
        if is_added(name):
            continue
        plain = name.replace(".base_layer.", ".")
        layer = layers.get(name.rpartition(".base_layer.weight")[0])
        if layer is not None and name.endswith(".base_layer.weight"):
            added = layer.get_delta_weight("default")
            weight = (weight.float() + added.float()).to(weight.dtype)
        found[plain] = weight
    return found


def unique_weights(model: nn.Module) -> dict[str, Tensor]:
    """The weights and kept buffers of a model; one that has two names, under the first."""
    own: Mapping[str, Any] = nn.Module.state_dict(model)
    doubled = {name for name, _ in model.named_parameters(remove_duplicate=False)} - {
        name for name, _ in model.named_parameters()
    }
    return {name: each.detach() for name, each in own.items() if name not in doubled}


def _check_targets(model: nn.Module, targets: Sequence[str]) -> None:
    linear = [name for name, layer in model.named_modules() if _is_linear(layer)]
    ends = sorted({name.rpartition(".")[2] for name in linear})
    for target in targets:
        if not any(name == target or name.endswith(f".{target}") for name in linear):
            hint = near(target, ends) or f" There are: {', '.join(ends[:12])}."
            raise InputError(
                f"'adaptation.targets': no layer of the model ends in '{target}'.{hint}"
            )


def _is_linear(layer: nn.Module) -> bool:
    # transformers writes GPT-2 with a linear layer of its own.
    return isinstance(layer, nn.Linear) or type(layer).__name__ == "Conv1D"
