"""The turns that one side said in self-play, read again: how likely each of its words was.

All of them are read at once, whichever dialogue they are of, in the situations in which they were said.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from palaver.models.bargain.marks import PAD_NUMBER
from palaver.models.bargain.network import BargainSituation, TurnSpeaker
from palaver.models.bargain.self_play import BargainsPlayed
from palaver.models.bargain.situations import situations, speech_room
from palaver.models.bargain.speech import SpeechRoom, WordChoice, said_log_probs, stages


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTurns:
    """Turns of one side, a row each, in the order of dialogues and of time."""

    # Which dialogue (turns,) each is of.
    dialogues: Tensor
    situation: BargainSituation
    room: SpeechRoom
    # (turns, 2): the mark of the role and the category; then words and end (turns, words).
    given: Tensor
    words: Tensor

    @classmethod
    def of(cls, played: BargainsPlayed, side: int, *, earlier: int) -> "OwnTurns":
        rows, at = played.said(side).nonzero().unbind(1)
        sides = torch.full_like(rows, side)
        situation = situations(played.scenes, played.turns, rows, sides, at, earlier=earlier)
        words = played.turns[rows, side, at, 1:]
        longest = int((words != PAD_NUMBER).sum(1).max()) if len(rows) else 1
        return cls(
            dialogues=rows,
            situation=situation,
            room=speech_room(played.scenes, rows, sides, situation),
            given=played.scenes.given[rows, side],
            words=words[:, :longest],
        )

    def __len__(self) -> int:
        return len(self.dialogues)

    def chosen(self) -> tuple[Tensor, Tensor]:
        """The turn and the place of each word that was said, in the order of time."""
        turn, place = (self.words != PAD_NUMBER).nonzero().unbind(1)
        return turn, place

    def log_probs(self, network: TurnSpeaker, choice: WordChoice) -> Tensor:
        """Of each word, as it was drawn."""
        turn, place = self.chosen()
        inputs = torch.cat([self.given, self.words[:, :-1]], dim=1)
        # What comes after the mark of the role is the category, which is given.
        states = network.states(self.situation, inputs)[:, 1:]
        before = torch.cat([self.given[:, 1:], self.words[:, :-1]], dim=1)
        log_probs = said_log_probs(
            network.predict(states[turn, place]),
            stages(before)[turn, place],
            place,
            self.room.pick(turn),
            choice,
        )
        return log_probs.gather(1, self.words[turn, place][:, None]).squeeze(1)

    def later(self) -> Tensor:
        """How many words of its side come after each word in the same dialogue."""
        turn, _ = self.chosen()
        dialogues = self.dialogues[turn]
        ends = dialogues.bincount(minlength=1).cumsum(0)
        return ends[dialogues] - torch.arange(len(turn), device=turn.device) - 1
