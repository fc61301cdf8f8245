"""How well a network foresees the turns of people, and how its own turns are worded.

What is counted of a turn are sums, from which every measure is a quotient; dialogues are what an
interval draws anew. The category after the mark of the role is given, and not counted.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Generator, Tensor
from torch.nn import functional

from palaver.models.bargain.language import TurnRatio, language_ratios, ratio_figures
from palaver.models.bargain.marks import PAD_NUMBER, BargainWords
from palaver.models.bargain.network import WordByWord
from palaver.models.bargain.scenes import price_tables
from palaver.models.bargain.speech import SpeechRoom, WordChoice, spoken_turns
from palaver.models.bargain.tensors import GIVEN, BargainTurns, SpokenTurns
from palaver.models.bargain.turns import BargainView
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure
from palaver.models.sampling import ChanceStream

_COUNTED = "words of turns and their ends, prices and moves included, unknown words as one class"
# Words that are read at once, padding included; and turns that are spoken at once.
_WORDS_AT_ONCE, _TURNS_AT_ONCE = 8_192, 512
# Whose language is told.
OWN_TURNS, FILE_TURNS = "its own turns", "turns of the file"
# Turns are spoken as agents speak.
SPOKEN = WordChoice(temperature=0.5)


def turn_tallies(network: WordByWord, turns: BargainTurns) -> Numbers:
    """NLL of words, words that were the likeliest, and words, of each example (examples, 3)."""
    found = torch.zeros(len(turns), 3, dtype=torch.float64)
    for rows, part in turns.parts(_WORDS_AT_ONCE):
        found[rows] = _tally(network, part)
    return found.numpy()


def measured_turns(tallies: Numbers) -> dict[str, float]:
    """Perplexity and accuracy of all examples together."""
    nll, right, words = tallies.sum(0)
    # As large as numbers go where a network foresees nothing at all; NaN stays NaN.
    perplexity = math.exp(min(nll / words, 700.0)) if nll == nll else math.nan
    return {"perplexity": perplexity, "token_accuracy": float(right / words)}


def turn_figures(
    views: Sequence[BargainView], turns: BargainTurns, tallies: Numbers, *, seed: int
) -> list[MeasuredFigure]:
    """The same with intervals."""
    numbers: dict[str, int] = {}
    of_views = [numbers.setdefault(view.dialogue, len(numbers)) for view in views]
    sums = np.zeros((len(numbers), tallies.shape[1]))
    np.add.at(sums, np.array(of_views)[turns.views.numpy()], tallies)
    return [
        ratio_figure(
            "perplexity",
            sums[:, 0],
            sums[:, 2],
            about=f"exp of the mean NLL of {_COUNTED}",
            unit="dialogues",
            seed=seed,
            write=np.exp,
        ),
        ratio_figure(
            "token accuracy",
            sums[:, 1],
            sums[:, 2],
            about=f"share that is the likeliest word, of {_COUNTED}",
            unit="dialogues",
            seed=seed,
            is_share=True,
        ),
    ]


def spoken_figures(
    network: WordByWord,
    views: Sequence[BargainView],
    turns: BargainTurns,
    words: BargainWords,
    *,
    seed: int,
) -> list[MeasuredFigure]:
    """How the network words turns where people had theirs, and beside it how people did."""
    found = []
    for whose, ratios in spoken_ratios(network, views, turns, words, SPOKEN, seed=seed).items():
        named = {f"{name.replace('_', ' ')}, {whose}": each for name, each in ratios.items()}
        found += ratio_figures(named, seed=seed)
    return found


def spoken_ratios(
    network: WordByWord,
    views: Sequence[BargainView],
    turns: BargainTurns,
    words: BargainWords,
    choice: WordChoice,
    *,
    seed: int,
) -> dict[str, dict[str, TurnRatio]]:
    """Figures of the network's own turns, and of those of the file."""
    ours = speak_all(network, views, turns, words, choice, Generator().manual_seed(seed))
    theirs = [row[GIVEN:] for row in turns.said.tolist()]
    found = {}
    for whose, spoken in ((OWN_TURNS, ours), (FILE_TURNS, theirs)):
        by_dialogue: dict[str, list[list[int]]] = {}
        for number, turn in zip(turns.views.tolist(), spoken, strict=True):
            by_dialogue.setdefault(views[number].dialogue, []).append(turn)
        found[whose] = language_ratios(list(by_dialogue.values()), words)
    return found


def speak_all(
    network: WordByWord,
    views: Sequence[BargainView],
    turns: BargainTurns,
    words: BargainWords,
    choice: WordChoice,
    dice: Generator,
) -> list[list[int]]:
    """A turn of the network in the situation of each example."""
    device = turns.said.device
    _, can_be_said = price_tables([view.side for view in views], words)
    found: list[list[int]] = []
    for rows in torch.split(torch.arange(len(turns)), _TURNS_AT_ONCE):
        part = turns.taken(rows)
        prices = can_be_said[turns.views[rows]].to(device)
        spoken = spoken_turns(
            network,
            part.situation,
            part.said[:, :GIVEN],
            SpeechRoom(answers=turns.answers[rows].to(device), prices=prices),
            choice,
            ChanceStream(dice, len(rows), device),
        )
        found += [[word for word in row if word != PAD_NUMBER] for row in spoken.tolist()]
    return found


def _tally(network: WordByWord, part: SpokenTurns) -> Tensor:
    where, targets = part.targets()
    logits = network.foreseen(part.situation, part.inputs, where)
    nll = functional.cross_entropy(logits.float(), targets, reduction="none")
    width = part.said.shape[1] - 1
    counted = torch.stack([nll, (logits.argmax(1) == targets).float(), torch.ones_like(nll)], dim=1)
    sums = counted.new_zeros(len(part), 3).index_add(0, where // width, counted)
    return sums.detach().double().cpu()
