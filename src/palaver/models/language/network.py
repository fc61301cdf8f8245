"""A language model as a network that is trained: its loss on what it should write, token by token."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional

from palaver.models.language.adaptation import frozen_names, unique_weights
from palaver.models.language.bases import Writes
from palaver.models.language.rows import IGNORED, TokenBatch


@dataclass(frozen=True, slots=True, eq=False)
class ReadTokens:
    """What is counted of each row: the NLL of what should be written, how many tokens of it would have
    been the likeliest, and how many there are."""

    nll: Tensor
    right: Tensor
    tokens: Tensor


class LeanModule(nn.Module):
    """A network whose state is what training changes: weights that are frozen are left out of it, and
    a weight with two names is there once."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen: frozenset[str] = frozenset()

    def freeze_base(self, inside: nn.Module) -> None:
        """Leave the weights of a part out, but for what LoRA has added."""
        start = next(name for name, part in self.named_modules() if part is inside)
        self.frozen = frozenset(f"{start}.{name}" for name in frozen_names(inside))

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        found = {n: each for n, each in unique_weights(self).items() if n not in self.frozen}
        return {self.outer_name(name): each for name, each in found.items()}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        own = self.state_dict()
        other = sorted(own.keys() ^ state_dict.keys())
        if other:
            what = "missing" if other[0] in own else "not known"
            raise RuntimeError(f"'{other[0]}' is {what}.")
        inner = {self.inner_name(name): each for name, each in state_dict.items()}
        return super().load_state_dict(inner, strict=False, assign=assign)

    def outer_name(self, name: str) -> str:
        """What a weight is called in a checkpoint."""
        return name

    def inner_name(self, name: str) -> str:
        """What a weight of a checkpoint is called here."""
        return name


class LanguageNetwork(LeanModule):
    """A causal or a sequence-to-sequence language model.

    In a checkpoint its weights have the names that transformers gives them.
    """

    def __init__(self, model: nn.Module, *, writes: Writes, start: int) -> None:
        super().__init__()
        self.model = model
        self.writes = writes
        # What a decoder begins with.
        self.start = start

    @property
    def is_seq2seq(self) -> bool:
        return self.writes == "seq2seq"

    def outer_name(self, name: str) -> str:
        return name.removeprefix("model.")

    def inner_name(self, name: str) -> str:
        return f"model.{name}"

    def forward(self, batch: TokenBatch) -> tuple[Tensor, Tensor]:
        """Logits (rows, tokens, vocabulary), and what should stand there (rows, tokens)."""
        if self.is_seq2seq:
            written = batch.labels.masked_fill(batch.labels == IGNORED, 0)
            begun = functional.pad(written[:, :-1], (1, 0), value=self.start)
            logits = self.model(
                input_ids=batch.inputs,
                attention_mask=batch.mask,
                decoder_input_ids=begun,
                use_cache=False,
            ).logits
            return logits, batch.labels
        logits = self.model(
            input_ids=batch.inputs, attention_mask=batch.mask, use_cache=False
        ).logits
        return logits[:, :-1], batch.labels[:, 1:]

    def loss(self, batch: TokenBatch) -> Tensor:
        """The mean NLL of the tokens that should be written."""
        logits, labels = self(batch)
        return functional.cross_entropy(
            logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED
        )

    def reads(self, batch: TokenBatch) -> ReadTokens:
        """How well each row is known."""
        logits, labels = self(batch)
        nll = functional.cross_entropy(
            logits.transpose(1, 2).float(), labels, ignore_index=IGNORED, reduction="none"
        )
        is_there = labels != IGNORED
        is_right = (logits.argmax(2) == labels) & is_there
        return ReadTokens(nll.sum(1), is_right.sum(1), is_there.sum(1))
