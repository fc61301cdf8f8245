"""Writing with a language model: token by token by lot, or the likelihood of texts that are given.

Chance is drawn on the CPU, one number a row and token, so that the same dice give the same words on
any device, but for words on a razor's edge.
"""

import copy
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Generator, Tensor

from palaver.models.answering import check_wanted
from palaver.models.checkpoints.folder import CheckpointError
from palaver.models.language.network import LanguageNetwork
from palaver.models.language.tokens import LanguageTokens
from palaver.models.sampling import drawn_words, nucleus, sharpened


@dataclass(frozen=True, slots=True, kw_only=True)
class Lot:
    """How the next token is drawn; `most` are the tokens of a text."""

    temperature: float
    most: int
    # The likeliest tokens that make up this share are drawn from.
    top_p: float = 1.0


class LanguageWriter:
    """A language model that writes, on its device."""

    def __init__(
        self, network: LanguageNetwork, tokens: LanguageTokens, device: torch.device
    ) -> None:
        self._network = network.to(device).eval()
        self._tokens = tokens
        self._device = device
        taken = inspect.signature(network.model.forward).parameters
        self._takes_places = "position_ids" in taken or network.is_seq2seq

    def written(
        self, prompts: Sequence[Sequence[int]], lot: Lot, dice: Sequence[Generator]
    ) -> list[list[int]]:
        """What is written after each prompt, without the mark of its end; each has dice of its own."""
        if len(prompts) > 1 and not self._takes_places:
            # Without places a row cannot be padded before its beginning.
            return [self.written([p], lot, [d])[0] for p, d in zip(prompts, dice, strict=True)]
        with torch.inference_mode():
            return self._written(prompts, lot, dice)

    def likelihoods(self, prompt: Sequence[int], texts: Sequence[Sequence[int]]) -> Tensor:
        """The log-probability of each text after a prompt (texts,), on the CPU."""
        with torch.inference_mode():
            step = _Step(self._network, [prompt], pad=self._tokens.pad, device=self._device)
            first = step.logits.float().log_softmax(-1)
            step.repeat(len(texts))
            width = max(map(len, texts))
            rows = [[*text, *[self._tokens.pad] * (width - len(text))] for text in texts]
            numbers = torch.tensor(rows, device=self._device)
            sizes = torch.tensor([len(text) for text in texts], device=self._device)
            found = first[0, numbers[:, 0]]
            if width > 1:
                later = step.several(numbers[:, :-1]).float().log_softmax(-1)
                said = later.gather(2, numbers[:, 1:, None])[..., 0]
                there = torch.arange(1, width, device=self._device) < sizes[:, None]
                found = found + torch.where(there, said, 0.0).sum(1)
            return found.cpu()

    def _written(
        self, prompts: Sequence[Sequence[int]], lot: Lot, dice: Sequence[Generator]
    ) -> list[list[int]]:
        step = _Step(self._network, prompts, pad=self._tokens.pad, device=self._device)
        found: list[list[int]] = [[] for _ in prompts]
        is_over = [False] * len(prompts)
        for _ in range(lot.most):
            check_wanted()
            if not bool(step.logits.isfinite().all()):
                raise CheckpointError(
                    "The language model gives numbers that are not finite. Train it anew."
                )
            log_probs = nucleus(sharpened(step.logits, lot.temperature), lot.top_p)
            chances = torch.stack([torch.rand((), generator=each) for each in dice])
            words = drawn_words(log_probs, chances.to(self._device))
            for row, word in enumerate(words.tolist()):
                if not is_over[row] and word == self._tokens.end:
                    is_over[row] = True
                elif not is_over[row]:
                    found[row].append(word)
            if all(is_over):
                break
            step.on(words)
        return found


class _Step:
    """Rows of a language model at their next token; prompts are padded where they do no harm."""

    def __init__(
        self,
        network: LanguageNetwork,
        prompts: Sequence[Sequence[int]],
        *,
        pad: int,
        device: torch.device,
    ) -> None:
        self._model = cast(Any, network.model)
        self._is_seq2seq = network.is_seq2seq
        width = max(map(len, prompts))
        is_padded = any(len(each) < width for each in prompts)
        empty = [[pad] * (width - len(each)) for each in prompts]
        if self._is_seq2seq:
            rows = [[*each, *gap] for each, gap in zip(prompts, empty, strict=True)]
            there = [[1] * len(each) + [0] * (width - len(each)) for each in prompts]
        else:
            rows = [[*gap, *each] for each, gap in zip(prompts, empty, strict=True)]
            there = [[0] * (width - len(each)) + [1] * len(each) for each in prompts]
        inputs = torch.tensor(rows, device=device)
        self._mask = torch.tensor(there, device=device)
        self._places = self._mask.cumsum(1).sub(1).clamp(min=0) if is_padded else None
        self._past: Any = None
        self._read: Any = None
        if self._is_seq2seq:
            encoder = self._model.get_encoder()
            self._read = encoder(input_ids=inputs, attention_mask=self._mask)
            begun = torch.full((len(prompts), 1), network.start, device=device)
            self.logits = self._forward(begun)[:, -1]
        else:
            self.logits = self._forward(inputs)[:, -1]

    def on(self, words: Tensor) -> None:
        """Go on with a token for each row."""
        self.logits = self.several(words[:, None])[:, -1]

    def several(self, words: Tensor) -> Tensor:
        """Logits after each of some tokens (rows, tokens, vocabulary)."""
        if not self._is_seq2seq:
            self._mask = torch.cat([self._mask, torch.ones_like(words)], dim=1)
            if self._places is not None:
                self._places = self._places[:, -1:] + 1
        return self._forward(words)

    def repeat(self, rows: int) -> None:
        """Have the one row so many times."""
        self._past = copy.deepcopy(self._past)
        self._past.batch_repeat_interleave(rows)
        self._mask = self._mask.repeat_interleave(rows, dim=0)
        if self._read is not None:
            hidden = self._read.last_hidden_state.repeat_interleave(rows, dim=0)
            self._read = type(self._read)(last_hidden_state=hidden)

    def _forward(self, words: Tensor) -> Tensor:
        if self._is_seq2seq:
            found = self._model(
                encoder_outputs=self._read,
                attention_mask=self._mask,
                decoder_input_ids=words,
                past_key_values=self._past,
                use_cache=True,
            )
        else:
            placed = {} if self._places is None else {"position_ids": self._places}
            found = self._model(
                input_ids=words,
                attention_mask=self._mask,
                past_key_values=self._past,
                use_cache=True,
                **placed,
            )
        self._past = found.past_key_values
        logits: Tensor = found.logits
        return logits
