"""How far predictions are from what annotators said: means over dialogues, with intervals.

The numbers are those of `palaver score dialeval`: each side of a dialogue weighs half in nugget
detection, and a dialogue in which one side never speaks has no nugget score.
"""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from palaver.models.dialeval.answers import JudgedShares
from palaver.models.dialeval.dialogues import SCALES
from palaver.models.dialeval.distances import jsd, nmd, rnss, rsnod
from palaver.models.dialeval.tensors import DialogueTensors
from palaver.models.measured import MeasuredFigure, mean_figure

_DISTANCES = {
    "jsd": "Jensen–Shannon divergence in bits",
    "rnss": "root normalised sum of squares",
    "rsnod": "root symmetric normalised order-aware divergence",
    "nmd": "normalised match distance",
}
_SIDES, _TURNS = "nuggets; each side of a dialogue half", "nuggets; each turn of a dialogue alike"
_ALL = "quality; mean of A, S and E"
_WHERE = {"jsd": _SIDES, "rnss": _SIDES, "rsnod": _ALL, "nmd": _ALL, "turns": _TURNS}
SCALE_NAMES = {"A": "accomplishment", "S": "satisfaction", "E": "effectiveness"}


def about(name: str) -> str:
    """What a measure is of, as a card says it; all are distances, of which lower is better."""
    distance, _, part = name.partition("-")
    where = f"quality; {SCALE_NAMES[part]}" if part in SCALE_NAMES else _WHERE[part or distance]
    return f"{_DISTANCES[distance]} from the annotators' shares: {where}; lower is better"


# A distance per dialogue, by the name of the measure; NaN where a dialogue has none.
ByDialogue = Mapping[str, Tensor]


def dialogue_scores(said: JudgedShares, truth: DialogueTensors) -> ByDialogue:
    """Every distance of every dialogue; `truth` is on the CPU, as `said` is."""
    found: dict[str, Tensor] = {}
    if said.nugget is not None:
        right = _whole(truth.nugget)
        for name, nominal in (("jsd", jsd), ("rnss", rnss)):
            turns = nominal(said.nugget, right)
            found[name] = _sides_mean(turns, truth)
            # As some descriptions have it: every turn of a dialogue weighs the same.
            found[f"{name}-turns"] = _mean_where(turns, truth.present)
    if said.quality is not None:
        for name, ordinal in (("rsnod", rsnod), ("nmd", nmd)):
            scales = ordinal(said.quality, _whole(truth.quality))
            found |= {f"{name}-{scale}": scales[:, n] for n, scale in enumerate(SCALES)}
            found[name] = scales.mean(dim=1)
    return found


def means(scores: ByDialogue) -> dict[str, float]:
    """The mean of each distance over the dialogues that have it."""
    return {name: float(values.nanmean()) for name, values in scores.items()}


def watched_distance(means_by_name: Mapping[str, float]) -> float:
    """One number for both tasks: the geometric mean of nugget JSD and mean RSNOD, or the one there is.

    A geometric mean, because one is a quarter of the other: 1 % better in either counts the same.
    """
    known = [means_by_name[name] for name in ("jsd", "rsnod") if name in means_by_name]
    return float(np.prod(known) ** (1 / len(known)))


def figures(scores: ByDialogue, *, warning: str = "") -> list[MeasuredFigure]:
    """Each distance with an interval that draws whole dialogues anew; one that no dialogue has is left
    out."""
    known = {name: values[~values.isnan()].numpy() for name, values in scores.items()}
    return [
        mean_figure(
            name,
            values,
            about="; ".join(filter(None, (about(name), warning))),
            unit="dialogues",
        )
        for name, values in known.items()
        if len(values)
    ]


def _whole(shares: Tensor) -> Tensor:
    """Shares in double precision that sum to 1, where there are any."""
    exact = shares.double()
    total = exact.sum(dim=-1, keepdim=True)
    return exact / torch.where(total > 0, total, 1.0)


def _sides_mean(turns: Tensor, truth: DialogueTensors) -> Tensor:
    """The mean of the two sides' means; NaN where one says nothing."""
    sides = [_mean_where(turns, truth.present & (truth.senders == side)) for side in (0, 1)]
    return (sides[0] + sides[1]) / 2


def _mean_where(turns: Tensor, there: Tensor) -> Tensor:
    return torch.where(there, turns, 0.0).sum(dim=1) / there.sum(dim=1)
