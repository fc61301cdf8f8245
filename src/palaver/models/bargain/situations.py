"""What a side has before it at a turn of self-play: from all turns as it sees them, in tensors."""

import torch
from torch import Tensor

from palaver.models.bargain.marks import END_NUMBER, OFFER_NUMBER, PAD_NUMBER
from palaver.models.bargain.network import BargainSituation
from palaver.models.bargain.scenes import Scenes
from palaver.models.bargain.speech import SpeechRoom


def situations(
    scenes: Scenes, turns: Tensor, rows: Tensor, sides: Tensor, at: Tensor, *, earlier: int
) -> BargainSituation:
    """The situation of a side in some dialogues (`rows`) at a turn each (`at`).

    `turns` (dialogues, 2, turns, words) are all as either side sees them. Turns alternate, so that
    a side with an even turn began, and has heard a turn without words before.
    """
    category = scenes.given[rows, sides, 1]
    start = turns.new_full((len(rows), turns.shape[3]), PAD_NUMBER)
    start[:, 0], start[:, 1] = category, END_NUMBER
    began = (at % 2 == 0)[:, None]
    before = []
    for back in range(1, 2 + earlier):
        turn = turns[rows, sides, (at - back).clamp(min=0)]
        turn = turn.masked_fill((at < back)[:, None], PAD_NUMBER)
        before.append(torch.where((at == back - 1)[:, None] & began, start, turn))
    heard = before[0]
    lengths = (heard != PAD_NUMBER).sum(1).cpu()
    # A view in which nobody has begun yet is that of whoever begins.
    width = int(lengths.max()) if len(lengths) else 1
    return BargainSituation(
        heard=heard[:, :width],
        lengths=lengths,
        earlier=torch.stack(before[1:], dim=1) if earlier else turns[rows, sides, :0],
        title=scenes.titles[rows, sides],
        description=scenes.descriptions[rows, sides],
    )


def speech_room(
    scenes: Scenes, rows: Tensor, sides: Tensor, situation: BargainSituation
) -> SpeechRoom:
    """What a side may say: an offer that it has just heard is to be answered."""
    return SpeechRoom(
        answers=(situation.heard == OFFER_NUMBER).any(1), prices=scenes.can_be_said[rows, sides]
    )
