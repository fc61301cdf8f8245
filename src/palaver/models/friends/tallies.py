"""How well a network reads dialogues, and what it would have said in them: sums over dialogues.

Views are two sides of a dialogue, so that dialogues are what an interval draws anew.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Generator, Tensor
from torch.nn import functional

from palaver.models.friends.bleu import COLUMNS, bleu_counts, bleu_figure
from palaver.models.friends.network import FriendsNetwork, FriendsReader, mentioned_nodes
from palaver.models.friends.speech import Floor, Wording, drafted_turn
from palaver.models.friends.tensors import TurnTensors, ViewBatch, ViewTensors
from palaver.models.friends.views import FriendsView
from palaver.models.friends.words import PAD_NUMBER
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure
from palaver.models.sampling import ChanceStream

# Columns of what is read: sum over turns of their mean NLL, turns, NLL, words right, words.
_MEAN_NLL, _TURNS, _NLL, _RIGHT, _WORDS = range(5)
# Columns of values in answers: right, named, asked for.
_BOTH, _NAMED, _WANTED = range(3)
# Answers are made up in so many dialogues at once.
_ANSWERED_AT_ONCE = 8_192


@dataclass(frozen=True, slots=True)
class ViewMeasure:
    """A quotient of two columns, of which `is_perplexity` takes the exponential."""

    part: int
    whole: int
    about: str
    is_perplexity: bool = False
    is_share: bool = False


_COUNTED = "all that is said: words, values copied, marks, unknown words as one class"
READING: Mapping[str, ViewMeasure] = {
    "loss": ViewMeasure(_MEAN_NLL, _TURNS, f"mean over turns of the mean NLL of {_COUNTED}"),
    "perplexity": ViewMeasure(_NLL, _WORDS, f"exp of the mean NLL of {_COUNTED}", True),
    "token accuracy": ViewMeasure(
        _RIGHT, _WORDS, f"share that is the likeliest of {_COUNTED}", is_share=True
    ),
}
_VALUES = "values and friends in what it says in place of a turn, each once; turns that have any"
ENTITIES: Mapping[str, ViewMeasure] = {
    "entity precision": ViewMeasure(
        _BOTH, _NAMED, f"those that the turn has, of the {_VALUES}", is_share=True
    ),
    "entity recall": ViewMeasure(
        _BOTH, _WANTED, f"those of the turn that are among the {_VALUES}", is_share=True
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTallies:
    """What is counted of answers, by view."""

    entities: Numbers
    bleu: Numbers


def turn_losses(logits: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The NLL of each turn (rows,), and how many words it has."""
    nll = functional.cross_entropy(
        logits.transpose(1, 2).float(), targets, ignore_index=PAD_NUMBER, reduction="none"
    )
    return nll.sum(1), (targets != PAD_NUMBER).sum(1)


def view_tallies(reader: FriendsReader, views: ViewTensors) -> Numbers:
    """What is read of each view (views, 5); the reader is in eval mode."""
    found = torch.zeros(len(views), 5, dtype=torch.float64)
    for batch in views.parts():
        summed = torch.zeros(len(batch), 5, dtype=torch.float64, device=batch.graphs.kinds.device)
        for turn in reader.read(batch):
            nll, words = turn_losses(turn.logits, turn.targets)
            is_right = (turn.logits.argmax(2) == turn.targets) & (turn.targets != PAD_NUMBER)
            columns = (nll / words.clamp(min=1), words > 0, nll, is_right.sum(1), words)
            summed += torch.stack([each.double() for each in columns], dim=1)
        found[batch.rows] = summed.cpu()
    return found.numpy()


def read_measures(tallies: Numbers) -> dict[str, float]:
    """Every measure of all views together; NaN stays NaN."""
    sums = tallies.sum(0)
    found = {}
    for name, each in READING.items():
        value = sums[each.part] / sums[each.whole]
        found[name.replace(" ", "_")] = float(np.exp(value) if each.is_perplexity else value)
    return found


def answer_tallies(
    network: FriendsNetwork, views: ViewTensors, wording: Wording, dice: Generator
) -> AnswerTallies:
    """What a network says in place of each own turn, after what was really said before it."""
    entities = torch.zeros(len(views), 3, dtype=torch.float64)
    scores = np.zeros((len(views), COLUMNS))
    for batch in views.parts(_ANSWERED_AT_ONCE):
        for answer, said in answered_turns(network, batch, wording, dice):
            nodes = batch.graphs.kinds.shape[1]
            own, wanted = (mentioned_nodes(each.nodes, nodes) for each in (answer, said))
            # Only where something was asked for; a turn that was not there asks for nothing.
            counts = torch.stack([(own & wanted).sum(1), own.sum(1), wanted.sum(1)], dim=1)
            counts = counts * wanted.any(1, keepdim=True)
            entities[batch.rows] += counts.cpu()
            for row, counted in zip(batch.rows.tolist(), _bleu(answer, said, wording), strict=True):
                scores[row] += counted
    return AnswerTallies(entities=entities.numpy(), bleu=scores)


def answered_turns(
    network: FriendsNetwork, batch: ViewBatch, wording: Wording, dice: Generator
) -> Iterable[tuple[TurnTensors, TurnTensors]]:
    """What is said in place of each own turn, beside the turn; rows without one say nothing."""
    state = network.begin(batch.graphs)
    chances = ChanceStream(dice, len(batch), batch.graphs.kinds.device)
    for heard, said in batch.exchanges:
        state = network.hear(heard, state)
        anything = Floor.open(batch.graphs)
        floor = Floor(
            selectable=anything.selectable,
            forced=anything.forced,
            may_name=anything.may_name,
            is_silent=said.lengths == 0,
        )
        yield drafted_turn(network, state, batch.graphs, floor, wording, chances), said
        _, state = network.say(said, state)


def view_figures(
    views: Sequence[FriendsView], tallies: Numbers, *, seed: int
) -> list[MeasuredFigure]:
    """Loss, perplexity and accuracy with intervals."""
    return _figures(READING, by_dialogue(views, tallies), seed)


def answer_figures(
    views: Sequence[FriendsView], tallies: AnswerTallies, *, seed: int
) -> list[MeasuredFigure]:
    """Precision, recall and F1 of values, and BLEU, with intervals."""
    entities = by_dialogue(views, tallies.entities)
    found = _figures(ENTITIES, entities, seed)
    either = entities[:, _NAMED] + entities[:, _WANTED]
    if either.any():
        found.append(
            ratio_figure(
                "entity F1",
                2 * entities[:, _BOTH],
                either,
                about=f"harmonic mean of precision and recall of {_VALUES}",
                unit="dialogues",
                seed=seed,
                is_share=True,
            )
        )
    counts = by_dialogue(views, tallies.bleu)
    if counts[:, 0].any():
        found += [bleu_figure(counts, longest, seed=seed) for longest in (4, 3, 2)]
    return found


def by_dialogue(views: Sequence[FriendsView], tallies: Numbers) -> Numbers:
    """Sums over the views of each dialogue."""
    numbers: dict[str, int] = {}
    where = [numbers.setdefault(view.dialogue, len(numbers)) for view in views]
    found = np.zeros((len(numbers), tallies.shape[1]))
    np.add.at(found, where, tallies)
    return found


def _figures(measures: Mapping[str, ViewMeasure], sums: Numbers, seed: int) -> list[MeasuredFigure]:
    return [
        ratio_figure(
            name,
            sums[:, each.part],
            sums[:, each.whole],
            about=each.about,
            unit="dialogues",
            seed=seed,
            is_share=each.is_share,
            write=np.exp if each.is_perplexity else None,
        )
        for name, each in measures.items()
        if sums[:, each.whole].any() and math.isfinite(sums[:, each.part].sum())
    ]


def _bleu(answer: TurnTensors, said: TurnTensors, wording: Wording) -> list[list[int]]:
    """What is counted of each row: values as numbers of their own after all words, the end apart."""
    pairs = zip(
        answer.targets(wording.vocabulary).tolist(),
        said.targets(wording.vocabulary).tolist(),
        answer.sizes.tolist(),
        said.sizes.tolist(),
        strict=True,
    )
    return [
        bleu_counts(own[: max(0, many - 2)], other[: max(0, most - 2)]) if most else [0] * COLUMNS
        for own, other, many, most in pairs
    ]
