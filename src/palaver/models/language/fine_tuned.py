"""A language model in the hands of a training, and again from the checkpoint that came of it.

A checkpoint holds config, tokenizer and weights, so that it needs nothing else; or, where an adapter
is kept, what LoRA added, and digests of the model that it belongs to.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import CONFIG, Checkpoint, CheckpointError, check_model
from palaver.models.inheritance import INHERITED
from palaver.models.language.adaptation import AdaptationSettings, adapt, merged_weights
from palaver.models.language.bases import (
    WAYS,
    BaseSettings,
    LanguageBase,
    Writes,
    new_model,
    open_base,
    read_config,
)
from palaver.models.language.network import LanguageNetwork, LeanModule
from palaver.models.language.tokens import LanguageTokens, base_tokens, kept_tokens
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import read_settings

N = TypeVar("N", bound=LeanModule)

_MARKS = "marks"
# What a model that knows no bound is asked about.
_UNBOUNDED = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class FineTuning:
    """What a checkpoint must know of the language model beside its weights."""

    config: Mapping[str, Any]
    tokens: LanguageTokens
    writes: Writes
    adaptation: AdaptationSettings
    # The model that training began with: its name, and digests.
    base: Mapping[str, str]

    @property
    def is_seq2seq(self) -> bool:
        return self.writes == "seq2seq"

    @property
    def longest(self) -> int:
        """How many tokens the model can read."""
        given = self.config.get("max_position_embeddings", self.config.get("n_positions"))
        is_bound = isinstance(given, int) and "relative_attention_num_buckets" not in self.config
        return int(given) if is_bound and given is not None else _UNBOUNDED

    def words(self) -> dict[str, list[str]]:
        return {_MARKS: self.tokens.marks()}

    def texts(self) -> dict[str, str]:
        """The files of a checkpoint that other programs read as well."""
        own = {name: value for name, value in self.config.items() if name != "auto_map"}
        return {CONFIG: json.dumps(own, indent=1) + "\n", **self.tokens.files()}

    def sections(self) -> dict[str, Any]:
        return {INHERITED: {"base": dict(self.base)}}

    def kept(self, network: LeanModule, weights: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Weights of the network as a checkpoint keeps them: LoRA joined with what it lies beside."""
        if self.adaptation.method == "full" or self.adaptation.keeps_adapter:
            return weights
        own = {name: each.clone() for name, each in network.state_dict().items()}
        network.load_state_dict(weights)
        try:
            with torch.no_grad():
                found = merged_weights(network)
        finally:
            network.load_state_dict(own)
        return {network.outer_name(name): each.cpu() for name, each in found.items()}


def begin(
    base: BaseSettings,
    adaptation: AdaptationSettings,
    material: LearnerMaterial,
    *,
    starts: tuple[str, ...],
) -> tuple[nn.Module, FineTuning]:
    """The language model of a recipe, or of the checkpoint it starts from, before it is adapted.

    `starts` are the kinds of checkpoints that it can start from.
    """
    if material.start is not None:
        check_model(material.start, starts)
        return _started(material.start, adaptation)
    opened = open_base(base)
    tokens = base_tokens(opened.folder, opened.config)
    model = opened.load(adaptation.dtype)
    _check_reads_back(model, opened)
    facts = opened.facts()
    return model, FineTuning(
        config=opened.config,
        tokens=tokens,
        writes=opened.writes,
        adaptation=adaptation,
        base=facts,
    )


def adapted(network: N, inside: nn.Module, adaptation: AdaptationSettings) -> N:
    """The network with a part that is adapted: LoRA beside its layers, or nothing where all is
    trained."""
    adapt(inside, adaptation)
    if adaptation.method == "lora":
        network.freeze_base(inside)
    if adaptation.recompute:
        inside.gradient_checkpointing_enable({"use_reentrant": False})  # type: ignore[operator]
    return network


def reopened(
    checkpoint: Checkpoint, make: Callable[[nn.Module, FineTuning], tuple[N, nn.Module]]
) -> tuple[N, FineTuning]:
    """The network of a checkpoint with its weights, on the CPU, in eval mode.

    `make` puts a network around a language model, and says which part of it is adapted.
    """
    tuning = tuning_of(checkpoint)
    if not tuning.adaptation.keeps_adapter:
        config, folder = tuning.config, checkpoint.folder
        whole = filled(
            lambda: make(new_model(config, tuning.writes, folder), tuning)[0], checkpoint
        )
        return whole.eval(), tuning
    model = _needed_base(checkpoint, tuning).load(tuning.adaptation.dtype)
    network, inside = make(model, tuning)
    adapted(network, inside, tuning.adaptation)
    fill(network, checkpoint)
    return network.eval(), tuning


def reopened_language(checkpoint: Checkpoint) -> tuple[LanguageNetwork, FineTuning]:
    """The language model of a checkpoint that writes."""

    def make(model: nn.Module, tuning: FineTuning) -> tuple[LanguageNetwork, nn.Module]:
        network = LanguageNetwork(model, writes=tuning.writes, start=tuning.tokens.start)
        return network, model

    return reopened(checkpoint, make)


def tuning_of(checkpoint: Checkpoint) -> FineTuning:
    """What a checkpoint says of its language model, without the weights."""
    inherited = checkpoint.recipe.get(INHERITED)
    told = inherited.get("base") if isinstance(inherited, Mapping) else None
    base = told if isinstance(told, Mapping) else {}
    writes = next((each for each in WAYS if each == base.get("writes")), None)
    if writes is None:
        raise CheckpointError(f"{checkpoint.folder}: its recipe does not say what it began with.")
    config = read_config(checkpoint.folder)
    marks = checkpoint.words.get(_MARKS, [])
    return FineTuning(
        config=config,
        tokens=kept_tokens(checkpoint.folder, marks, config),
        writes=writes,
        adaptation=read_settings(
            AdaptationSettings, checkpoint.recipe.get("adaptation"), where="adaptation"
        ),
        base={str(name): str(value) for name, value in base.items()},
    )


def _started(start: Checkpoint, adaptation: AdaptationSettings) -> tuple[nn.Module, FineTuning]:
    if adaptation.keeps_adapter:
        raise InputError(
            "An adapter belongs to the model that base.model names, and a start checkpoint is "
            "another one. Set adaptation.keep=merged, or leave 'start' out."
        )
    network, tuning = reopened_language(start)
    model = network.model
    if tuning.adaptation.keeps_adapter:
        whole = LanguageNetwork(
            new_model(tuning.config, tuning.writes, start.folder),
            writes=tuning.writes,
            start=tuning.tokens.start,
        )
        with torch.no_grad():
            joined = merged_weights(network)
        whole.load_state_dict({whole.outer_name(name): each for name, each in joined.items()})
        model = whole.model
    return model.to(adaptation.dtype), FineTuning(
        config=tuning.config,
        tokens=tuning.tokens,
        writes=tuning.writes,
        adaptation=adaptation,
        base=tuning.base,
    )


def _needed_base(checkpoint: Checkpoint, tuning: FineTuning) -> LanguageBase:
    """The model that an adapter belongs to; CheckpointError where it is missing or another."""
    name = tuning.base.get("model", "")
    try:
        found = open_base(BaseSettings(model=name, revision=tuning.base.get("revision", "")))
    except InputError as error:
        raise CheckpointError(
            f"{checkpoint.folder} holds an adapter, which needs the model '{name}' that it was "
            f"trained on. {error}"
        ) from error
    facts = found.facts()
    other = next((n for n in ("config", "weights") if facts[n] != tuning.base.get(n)), None)
    if other is not None:
        raise CheckpointError(
            f"{checkpoint.folder} holds an adapter of '{name}', whose {other} had the "
            f"SHA-256 {tuning.base.get(other, '')[:16]}…; what is there now has {facts[other][:16]}…. "
            "Bring the model back, or train with adaptation.keep=merged."
        )
    return found


def _check_reads_back(model: nn.Module, base: LanguageBase) -> None:
    """InputError for a model without an order of writing: what comes later changes what it says."""
    if base.writes == "seq2seq":
        return
    with torch.no_grad():
        one, other = (
            model.eval()(input_ids=torch.tensor([[3, last]])).logits[0, 0].float()
            for last in (3, 4)
        )
    if not torch.allclose(one, other, rtol=1e-4, atol=1e-6):
        raise CheckpointError(
            f"{base.folder} holds a model of the type '{base.config['model_type']}', which reads both "
            "ways and cannot write. Choose a causal or a sequence-to-sequence language model."
        )
