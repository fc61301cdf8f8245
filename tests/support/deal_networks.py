"""Tiny networks of Deal or No Deal, and what is asked of every one of them."""

import random

import torch

from palaver.models.deal.reading import DealReader
from palaver.models.deal.recurrent import RecurrentSettings, RecurrentTalk
from palaver.models.deal.selection import SelectionSettings
from palaver.models.deal.transformer import MovesSettings, TransformerSettings, TransformerTalk
from palaver.models.deal.words import END_NUMBER, PAD_NUMBER, THEM_NUMBER, YOU_NUMBER

WORDS = 20
_SMALL = {"hidden": 12, "attention": 8, "layer": 10}


def tiny_recurrent(**options) -> RecurrentTalk:
    settings = RecurrentSettings(embedding=10, hidden=14, context=6, **options)
    return _steady(lambda: RecurrentTalk(WORDS, settings, SelectionSettings(**_SMALL)))


def tiny_transformer(head: str = "tokens", **options) -> TransformerTalk:
    settings = TransformerSettings(**{"layers": 2, "width": 16, "heads": 2, **options})
    return _steady(lambda: TransformerTalk(WORDS, settings, MovesSettings(head=head, **_SMALL)))


NETWORKS = {
    "gru": tiny_recurrent,
    "lstm of two layers": lambda: tiny_recurrent(cell="lstm", layers=2),
    "gru without some weights": lambda: tiny_recurrent(weight_dropout=0.5, word_dropout=0.1),
    "lstm without some weights": lambda: tiny_recurrent(cell="lstm", weight_dropout=0.5),
    "transformer": tiny_transformer,
    "transformer with places": lambda: tiny_transformer(positions="rotary", word_dropout=0.1),
    "transformer with a gru's head": lambda: tiny_transformer(head="gru"),
    "transformer with a gru's head and words": lambda: tiny_transformer(head="words"),
}


def random_words(rows: int, words: int, *, seed: int = 0) -> torch.Tensor:
    """Messages of four words by turns, either side first."""
    dice = random.Random(seed)
    found = []
    for _ in range(rows):
        speakers, line = dice.sample([YOU_NUMBER, THEM_NUMBER], 2), []
        while len(line) < words:
            line += [speakers[0], *dice.choices(range(6, WORDS), k=3), END_NUMBER]
            speakers.reverse()
        found.append(line[:words])
    return torch.tensor(found)


def without(words: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The words with padding from each row's length on."""
    places = torch.arange(words.shape[1])
    return words.masked_fill(places >= lengths[:, None], PAD_NUMBER)


def stepped(network: DealReader, contexts: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Logits of a network that is given the words one by one."""
    state, found = network.begin(contexts), []
    for word in words.unbind(1):
        logits, state = network.step(word, state)
        found.append(logits)
    return torch.stack(found, dim=1)


def _steady(make) -> DealReader:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return make().eval()
