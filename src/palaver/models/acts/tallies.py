"""How well a network foresees what people did: perplexity, acts, and their arguments.

What is counted of a view are sums, from which every measure is a quotient. Two views belong to one
dialogue, so that dialogues are what an interval draws anew.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from palaver.models.acts.games import ActGame
from palaver.models.acts.grammar import BEGIN, END_NUMBER, PAD_NUMBER, GrammarTables, states_before
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.views import ActView, ActViewTensors
from palaver.models.measured import MeasuredFigure, Numbers, ratio_figure

_NLL, _WORDS, _RIGHT_ACTS, _TURNS, _RIGHT_ARGUMENTS, _ARGUMENTS, _ERROR, _NUMBERS = range(8)
# Views that are read at once.
_AT_ONCE = 256


@dataclass(frozen=True, slots=True)
class ActMeasure:
    """A quotient of two columns, of which `is_perplexity` takes the exponential."""

    name: str
    part: int
    whole: int
    about: str
    is_perplexity: bool = False
    is_share: bool = False


def act_measures(number_name: str) -> tuple[ActMeasure, ...]:
    """What is measured, where arguments that are numbers are called so."""
    return (
        ActMeasure(
            "perplexity",
            _NLL,
            _WORDS,
            "exp of the mean NLL of acts, arguments and ends of turns, what cannot follow left out",
            is_perplexity=True,
        ),
        ActMeasure(
            "act accuracy",
            _RIGHT_ACTS,
            _TURNS,
            "turns whose first act is the likeliest",
            is_share=True,
        ),
        ActMeasure(
            "argument accuracy",
            _RIGHT_ARGUMENTS,
            _ARGUMENTS,
            "arguments that are the likeliest after what was said before them",
            is_share=True,
        ),
        ActMeasure(
            f"{number_name} error",
            _ERROR,
            _NUMBERS,
            "mean distance between the likeliest number and that of the data"
            + (", on the scale of the side" if number_name == "price" else ""),
        ),
    )


def read_logits(network: ActNetwork, views: ActViewTensors, tables: GrammarTables) -> Tensor:
    """Logits (rows, pairs, words, vocabulary) of own words, with -inf for what cannot follow.

    What is padding is left as it is.
    """
    states = states_before(views.own, tables)
    can_follow = tables.reads[states] | (views.own == PAD_NUMBER)[..., None]
    logits: Tensor = network(views)
    return logits.float().masked_fill(~can_follow, -math.inf)


def view_tallies(network: ActNetwork, game: ActGame, views: ActViewTensors) -> Numbers:
    """What is counted of each view (views, 8); the network is in eval mode."""
    found = torch.zeros(len(views), 8, dtype=torch.float64)
    tables, values = (
        game.grammar.tables(views.own.device),
        game.values.to(views.own.device),
    )
    with torch.no_grad():
        for rows, part in views.parts(_AT_ONCE):
            found[rows] = _tally(network, part, tables, values).double().cpu()
    return found.numpy()


def measured_views(tallies: Numbers, game: ActGame) -> dict[str, float]:
    """Every measure of all views together; NaN stays NaN, which as 0 would be the best there is."""
    sums = tallies.sum(0)
    found = {}
    for measure in act_measures(game.number_name):
        whole = sums[measure.whole]
        share = float(sums[measure.part] / whole) if whole else 0.0
        value = float(np.exp(share)) if measure.is_perplexity else share
        found[measure.name.replace(" ", "_")] = value
    return found


def view_figures(
    views: Sequence[ActView], tallies: Numbers, game: ActGame, *, seed: int, on: str = ""
) -> list[MeasuredFigure]:
    """Every measure that is defined, with an interval that draws dialogues anew; `on` says which acts
    it is measured on."""
    dialogues = _by_dialogue(views, tallies)
    return [
        ratio_figure(
            f"{measure.name}, {on}" if on else measure.name,
            dialogues[:, measure.part],
            dialogues[:, measure.whole],
            about=measure.about,
            unit="dialogues",
            seed=seed,
            is_share=measure.is_share,
            write=np.exp if measure.is_perplexity else None,
        )
        for measure in act_measures(game.number_name)
        if dialogues[:, measure.whole].any()
    ]


def _tally(
    network: ActNetwork, views: ActViewTensors, tables: GrammarTables, values: Tensor
) -> Tensor:
    logits, own = read_logits(network, views, tables), views.own
    is_word = own != PAD_NUMBER
    nll = -logits.log_softmax(-1).gather(3, own[..., None]).squeeze(3)
    states = states_before(own, tables)
    is_first = is_word & (states == BEGIN)
    # Only before an argument is it neither the beginning nor possible to end.
    is_argument = is_word & ~is_first & ~tables.reads[states][..., END_NUMBER]
    likeliest = logits.argmax(-1)
    is_right = likeliest == own
    error = (values[likeliest] - values[own]).abs()
    is_number = is_argument & error.isfinite()
    columns = (
        torch.where(is_word, nll, 0),
        is_word,
        is_right & is_first,
        is_first,
        is_right & is_argument,
        is_argument,
        torch.where(is_number, error, 0),
        is_number,
    )
    return torch.stack([each.float().sum((1, 2)) for each in columns], dim=1)


def _by_dialogue(views: Sequence[ActView], tallies: Numbers) -> Numbers:
    numbers: dict[str, int] = {}
    where = [numbers.setdefault(view.dialogue, len(numbers)) for view in views]
    found = np.zeros((len(numbers), tallies.shape[1]))
    np.add.at(found, where, tallies)
    return found
