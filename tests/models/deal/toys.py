"""Small networks for Deal or No Deal: one whose words follow from the last word alone, and real ones."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from palaver.models.checkpoints.folder import Checkpoint, open_checkpoint, write_checkpoint
from palaver.models.deal.kinds import TALK_KINDS
from palaver.models.deal.network import CLASSES, FAILURES, MOST_ITEMS, DealNetwork, State
from palaver.models.deal.recurrent import RecurrentTalk
from palaver.models.deal.words import (
    END_NUMBER,
    MARKS,
    PAD_NUMBER,
    SELECTION_NUMBER,
    THEM_NUMBER,
    YOU_NUMBER,
)
from palaver.models.settings import read_settings
from palaver.models.vocabulary import Vocabulary

OWN_WORDS = ("all", "none", "maybe", "ok", ".")
WORDS = Vocabulary([*MARKS, *OWN_WORDS])
ALL, NONE, MAYBE, OK, STOP = (WORDS.number(word) for word in OWN_WORDS)
NO_DEAL = MOST_ITEMS + 1 + FAILURES.index("<no_agreement>")
# The networks of tests, as small as they can be.
TINY: Mapping[str, Mapping[str, Any]] = {
    "deal-talk": {
        "network": {"embedding": 8, "hidden": 8, "context": 4},
        "selection": {"hidden": 4, "attention": 4, "layer": 4},
    },
    "deal-transformer": {"network": {"layers": 2, "width": 16, "heads": 2}},
}


class ToyTalk(nn.Module):
    """Says one word of a message, then ends it; a side that says "all" and hears no "all" gets it.

    What it says is a matter of its `likes`, logits of words after `YOU:` and after `THEM:`.
    """

    def __init__(self, likes: Mapping[int, float]) -> None:
        super().__init__()
        logits = torch.full((len(WORDS),), -30.0)
        for word, liking in likes.items():
            logits[word] = liking
        self.likes = nn.Parameter(logits)
        self.heard: list[Tensor] = []

    def forward(self, contexts: Tensor, words: Tensor) -> Tensor:
        is_mark = (words == YOU_NUMBER) | (words == THEM_NUMBER)
        ends = torch.full((len(WORDS),), -30.0)
        ends[END_NUMBER] = 0.0
        return torch.where(is_mark[..., None], self.likes, ends)

    def begin(self, contexts: Tensor) -> State:
        self.heard = []
        return (torch.zeros(len(contexts), dtype=torch.long),)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        self.heard.append(words)
        last = torch.where(words == PAD_NUMBER, state[0], words)
        return self(torch.empty(0), last), (last,)

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        before = nn.functional.pad(words, (1, 0))[:, :-1]
        mine = ((words == ALL) & (before == YOU_NUMBER)).any(1)
        theirs = ((words == ALL) & (before == THEM_NUMBER)).any(1)
        counts = contexts[:, ::2]
        own = torch.where(mine[:, None], counts, 0)
        slots = torch.cat([own, counts - own], dim=1)
        slots = torch.where((mine == theirs)[:, None], NO_DEAL, slots)
        return certain(slots)


class Terse:
    """A network that ends its messages soon, and then its dialogues."""

    def __init__(self, network: DealNetwork) -> None:
        self._network = network
        self._more = torch.zeros(len(WORDS))
        self._more[END_NUMBER], self._more[SELECTION_NUMBER] = 3.0, 2.0

    def __call__(self, contexts: Tensor, words: Tensor) -> Tensor:
        return self._network(contexts, words) + self._more

    def begin(self, contexts: Tensor) -> State:
        return self._network.begin(contexts)

    def step(self, words: Tensor, state: State) -> tuple[Tensor, State]:
        logits, new = self._network.step(words, state)
        return logits + self._more, new

    def choose(self, contexts: Tensor, words: Tensor, lengths: Tensor) -> Tensor:
        return self._network.choose(contexts, words, lengths)


def certain(slots: Tensor) -> Tensor:
    """Log-probabilities of a head that has no doubt."""
    return nn.functional.one_hot(slots, CLASSES).float().clamp(min=1e-6).log()


def talker(**likes: float) -> ToyTalk:
    """A toy that likes some words; it marks the deal as soon as it may unless told otherwise."""
    named = {"all": ALL, "none": NONE, "maybe": MAYBE, "select": SELECTION_NUMBER}
    return ToyTalk({SELECTION_NUMBER: 20.0, **{named[k]: v for k, v in likes.items()}})


def tiny_checkpoint(
    folder: Path,
    model: str = "deal-talk",
    *,
    seed: int = 1,
    spread: float = 0.5,
    ends: float = 0.0,
    words: Vocabulary = WORDS,
) -> Checkpoint:
    """A checkpoint of a tiny network with random weights; one that `ends` says little at a time."""
    kind = TALK_KINDS[model]
    recipe = {"model": model, **TINY[model]}
    settings = read_settings(kind.settings_type, TINY[model])
    network = kind.network(settings, len(words))
    dice = torch.Generator().manual_seed(seed)
    for weight in network.parameters():
        weight.data = torch.randn(weight.shape, generator=dice) * spread
    last = network.projection if isinstance(network, RecurrentTalk) else network.decoder.norm
    last.bias.data += ends * nn.functional.normalize(
        network.embedding.weight.data[END_NUMBER], dim=0
    )
    write_checkpoint(
        folder,
        settings={"model": model, "recipe": recipe},
        words={"words": words.words},
        weights=network.state_dict(),
    )
    return open_checkpoint(folder)


def dice(seed: int = 5) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
