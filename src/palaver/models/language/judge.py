"""A language model that reads help-desk dialogues, and says how annotators are divided over them.

A causal model sees of a dialogue what came before; an encoder sees all of it. At the end of each turn
its hidden state, beside that at the end of the dialogue, is what linear layers judge by.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from palaver.models.dialeval.answers import JudgedShares, without_least
from palaver.models.dialeval.dialogues import (
    CUSTOMER,
    HELPDESK,
    NUGGETS,
    POINTS,
    SCALES,
    HelpDialogue,
)
from palaver.models.dialeval.tensors import DialogueTensors, JudgedLogs, as_tensors, nugget_logs
from palaver.models.dialeval.words import MARKS
from palaver.models.language.bases import Writes
from palaver.models.language.network import LeanModule
from palaver.models.language.tokens import LanguageTokens
from palaver.models.vocabulary import Vocabulary

# Dialogues in one pass.
_AT_ONCE = 16
_NAMES = {CUSTOMER: "Customer:", HELPDESK: "Help desk:"}
# Of dialogues as tensors senders, turns and shares alone are wanted, so that any words will do.
_NO_WORDS = Vocabulary(list(MARKS))


@dataclass(frozen=True, slots=True, eq=False)
class JudgeBatch:
    """Dialogues as tokens, where their turns end, and what annotators said of them."""

    inputs: Tensor
    mask: Tensor
    # The place of the last token of each turn (dialogues, turns), and of each dialogue.
    ends: Tensor
    last: Tensor
    truth: DialogueTensors

    def __len__(self) -> int:
        return len(self.inputs)

    def rows(self, chosen: Tensor) -> "JudgeBatch":
        """The dialogues of these numbers, in this order."""
        last = self.last[chosen]
        width = int(last.max()) + 1
        return JudgeBatch(
            self.inputs[chosen, :width],
            self.mask[chosen, :width],
            self.ends[chosen],
            last,
            self.truth.rows(chosen),
        )

    def on(self, device: torch.device) -> "JudgeBatch":
        return JudgeBatch(
            self.inputs.to(device),
            self.mask.to(device),
            self.ends.to(device),
            self.last.to(device),
            self.truth.on(device),
        )


class LanguageJudge(LeanModule):
    """A language model without its last layer, and linear layers in its place."""

    def __init__(self, reader: nn.Module, *, width: int, tasks: Sequence[str]) -> None:
        super().__init__()
        self.reader = reader
        heads: dict[str, nn.Module] = {}
        if "nugget" in tasks:
            heads |= {name: nn.Linear(2 * width, len(labels)) for name, labels in NUGGETS.items()}
        if "quality" in tasks:
            heads["quality"] = nn.Linear(width, len(SCALES) * len(POINTS))
        self.heads = nn.ModuleDict(heads)

    def forward(self, batch: JudgeBatch) -> JudgedLogs:
        states = self.reader(input_ids=batch.inputs, attention_mask=batch.mask).last_hidden_state
        states = states.to(self._dtype)
        places = torch.arange(len(states), device=states.device)
        whole = states[places, batch.last]
        nugget = quality = None
        if CUSTOMER in self.heads:
            turns = states[places[:, None], batch.ends]
            both = torch.cat([turns, whole[:, None].expand_as(turns)], dim=-1)
            nugget = nugget_logs(
                self.heads[CUSTOMER](both), self.heads[HELPDESK](both), batch.truth.senders
            )
        if "quality" in self.heads:
            points = self.heads["quality"](whole).view(len(states), len(SCALES), len(POINTS))
            quality = points.float().log_softmax(-1)
        return JudgedLogs(nugget, quality)

    @property
    def _dtype(self) -> torch.dtype:
        return next(self.heads.parameters()).dtype


def reader_of(model: Any, writes: Writes) -> nn.Module:
    """What of a language model reads: its encoder, or all but the layer that writes."""
    found: nn.Module = model.get_encoder() if writes == "seq2seq" else model.base_model
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTokens:
    """How dialogues become tokens: the first `turn` of each turn, at most `longest` in all."""

    tokens: LanguageTokens
    turn: int
    longest: int

    def batch(self, dialogues: Sequence[HelpDialogue]) -> JudgeBatch:
        """Dialogues with what annotators said of them, on the CPU."""
        truth = as_tensors(dialogues, _NO_WORDS, most=1)
        rows, ends = zip(*(self._row(each) for each in dialogues), strict=True)
        sizes = torch.tensor([len(row) for row in rows])
        inputs = pad_sequence(
            [torch.tensor(row) for row in rows], batch_first=True, padding_value=self.tokens.pad
        )
        return JudgeBatch(
            inputs=inputs,
            mask=(torch.arange(inputs.shape[1]) < sizes[:, None]).long(),
            ends=pad_sequence([torch.tensor(each) for each in ends], batch_first=True),
            last=sizes - 1,
            truth=truth,
        )

    def cut(self, dialogues: Sequence[HelpDialogue]) -> int:
        """How many dialogues are longer than what is read."""
        return sum(
            any(len(self._turn(turn.sender, turn.text)) > self._most(each) for turn in each.turns)
            for each in dialogues
        )

    def _row(self, dialogue: HelpDialogue) -> tuple[list[int], list[int]]:
        row, ends = self.tokens.begun(""), []
        most = self._most(dialogue)
        for turn in dialogue.turns:
            # The mark of the end is always there, so that no turn is empty.
            row += [*self._turn(turn.sender, turn.text)[:most], self.tokens.end]
            ends.append(len(row) - 1)
        return row, ends

    def _turn(self, sender: str, text: str) -> list[int]:
        return self.tokens.numbers(f"{_NAMES[sender]} {' '.join(text.split())}")

    def _most(self, dialogue: HelpDialogue) -> int:
        """How many tokens of a turn are read: fewer where there are many turns."""
        room = (self.longest - 2) // len(dialogue.turns) - 1
        return max(1, min(self.turn, room))


def judged_shares(
    network: nn.Module, batch: JudgeBatch, *, least_share: float, device: torch.device
) -> JudgedShares:
    """What the network says of dialogues, on the CPU, in double precision."""
    said: list[JudgedLogs] = []
    with torch.no_grad():
        for start in range(0, len(batch), _AT_ONCE):
            numbers = torch.arange(start, min(start + _AT_ONCE, len(batch)))
            said.append(network(batch.rows(numbers.to(batch.inputs.device)).on(device)))
    nugget = None if said[0].nugget is None else torch.cat([_exact(x.nugget) for x in said])
    quality = None if said[0].quality is None else torch.cat([_exact(x.quality) for x in said])
    return without_least(JudgedShares(nugget, quality), least_share)


def _exact(logs: Tensor | None) -> Tensor:
    assert logs is not None
    return torch.softmax(logs.double().cpu(), dim=-1)
