"""What trained networks say of dialogues: probabilities, averaged over the members of an ensemble."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from palaver.models.dialeval.dialogues import NUGGETS, POINTS, SCALES, HelpDialogue
from palaver.models.dialeval.tensors import DialogueTensors, as_tensors
from palaver.models.vocabulary import Vocabulary

# Dialogues in one pass: few enough for a small machine.
_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Judge:
    """A trained network, with all that turns dialogues into what it reads."""

    network: nn.Module
    vocabulary: Vocabulary
    # How many words of a turn it reads.
    most: int
    # Points of a scale with less than this share are said to be out of the question: exactly 0.
    least_share: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class JudgedShares:
    """Probabilities on the CPU, in double precision, shaped as in `DialogueTensors`."""

    nugget: Tensor | None
    quality: Tensor | None


def shares_said(network: nn.Module, batch: DialogueTensors) -> JudgedShares:
    """What one network says, as it is, of dialogues on its device."""
    with torch.no_grad():
        said = [network(part) for part in batch.split(_AT_ONCE)]
    nugget = None if said[0].nugget is None else torch.cat([each.nugget for each in said])
    quality = None if said[0].quality is None else torch.cat([each.quality for each in said])
    return JudgedShares(_exactly(nugget), _exactly(quality))


def judged(
    judges: Sequence[Judge], dialogues: Sequence[HelpDialogue], device: torch.device
) -> JudgedShares:
    """The mean of what the judges say; each must be in eval mode, on the device."""
    return averaged(judges, [said_alone(each, dialogues, device) for each in judges])


def said_alone(
    judge: Judge, dialogues: Sequence[HelpDialogue], device: torch.device
) -> JudgedShares:
    """What one judge says, before small shares are left out."""
    batch = as_tensors(dialogues, judge.vocabulary, most=judge.most).on(device)
    return shares_said(judge.network, batch)


def averaged(judges: Sequence[Judge], said: Sequence[JudgedShares]) -> JudgedShares:
    """The mean of what judges said, each alone."""
    mean = JudgedShares(
        _mean([each.nugget for each in said]), _mean([each.quality for each in said])
    )
    return without_least(mean, max(judge.least_share for judge in judges))


def without_least(shares: JudgedShares, least: float) -> JudgedShares:
    """The same with points of a scale below `least` as exact zeros, which RSNOD asks for.

    A softmax never says 0, so that RSNOD would count all points as expected by it. A share as large as
    any other on its scale stays.
    """
    if not least or shares.quality is None:
        return shares
    given = shares.quality
    kept = torch.where((given >= least) | (given == given.amax(-1, keepdim=True)), given, 0.0)
    return JudgedShares(shares.nugget, kept / kept.sum(dim=-1, keepdim=True))


def records(dialogues: Sequence[HelpDialogue], shares: JudgedShares) -> list[dict[str, Any]]:
    """A record per dialogue in the form of the shared task: `id`, `nugget`, `quality`."""
    found: list[dict[str, Any]] = [{"id": dialogue.id} for dialogue in dialogues]
    if shares.nugget is not None:
        for record, dialogue, turns in zip(found, dialogues, shares.nugget.tolist(), strict=True):
            record["nugget"] = [
                _named(NUGGETS[turn.sender], row)
                for turn, row in zip(dialogue.turns, turns, strict=False)
            ]
    if shares.quality is not None:
        for record, rows in zip(found, shares.quality.tolist(), strict=True):
            record["quality"] = {
                scale: _named(POINTS, row) for scale, row in zip(SCALES, rows, strict=True)
            }
    return found


def _named(labels: Sequence[str], shares: Sequence[float]) -> Mapping[str, float]:
    """Shares by label; of a turn with fewer labels than the tensor has, those that it has."""
    return dict(zip(labels, shares, strict=False))


def _exactly(logs: Tensor | None) -> Tensor | None:
    return None if logs is None else torch.softmax(logs.double().cpu(), dim=-1)


def _mean(said: Sequence[Tensor | None]) -> Tensor | None:
    known = [each for each in said if each is not None]
    return torch.stack(known).mean(dim=0) if known else None
