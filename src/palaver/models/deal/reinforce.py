"""REINFORCE: a network that has learnt to talk learns what to say for (Lewis et al. 2017).

It plays against a frozen copy of itself. What it earns in a dialogue is the reward of each of its
words, discounted from the end; so that it keeps to human language, lines of dialogues are learnt from
in between.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

import torch
from torch import Generator, Tensor, nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.deal.contexts import (
    ContextPairs,
    is_context_file,
    made_contexts,
    read_contexts,
)
from palaver.models.deal.figures import self_play_figures
from palaver.models.deal.kinds import network_of, talk_settings
from palaver.models.deal.lines import read_lines
from palaver.models.deal.lockstep import is_speaker_mark
from palaver.models.deal.network import DealNetwork
from palaver.models.deal.self_play import Negotiator, SelfPlayed, play
from palaver.models.deal.speech import LEAST_MESSAGES, word_log_probs
from palaver.models.deal.words import END_NUMBER
from palaver.models.learner import DataNote, Learner, LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.registry import MODELS
from palaver.models.reinforcement import (
    PlayBatch,
    SelfPlayLearner,
    beginning,
    standardised,
    without_dropout,
)
from palaver.models.settings import COUNT, NATURAL, POSITIVE, PROBABILITY, option

# Dialogues of a final test where no file names the contexts.
TESTED_ON = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ReinforceSettings:
    """How self-play goes, and what it is mixed with."""

    updates: int = option(100, "updates from self-play in an epoch", COUNT)
    dialogues: int = option(64, "dialogues that are held for an update, all at once", COUNT)
    temperature: float = option(0.5, "how words are drawn, of both sides", POSITIVE)
    discount: float = option(
        0.95, "of the reward, for each own word back from the end", PROBABILITY
    )
    supervised_every: int = option(
        4, "updates from self-play before one from lines of dialogues; 0: never", NATURAL
    )
    supervised_weight: float = option(1.0, "of the loss on lines of dialogues", NATURAL)
    measured_on: int = option(256, "dialogues of self-play that an epoch is measured on", COUNT)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealReinforceSettings:
    """Sections of a recipe; what the network is like stands in the checkpoint it starts from."""

    play: ReinforceSettings


class ReinforceLearner(SelfPlayLearner):
    """A network that talks for points against what it was at first."""

    def __init__(
        self,
        talk: Learner,
        partner: nn.Module,
        contexts: ContextPairs,
        *,
        settings: ReinforceSettings,
        material: LearnerMaterial,
        start: Checkpoint,
    ) -> None:
        super().__init__(talk, contexts, options=settings, material=material, start=start)
        self._talk, self._partner = talk, partner.eval().requires_grad_(False)
        self._contexts, self._settings = contexts, settings
        self._measured_on = contexts.draw(settings.measured_on, self._dice())

    def loss(self, batch: Any) -> Tensor:
        if not isinstance(batch, PlayBatch):
            return self._settings.supervised_weight * self._talk.loss(batch)
        with without_dropout(self.network):
            played = self._played(batch.about, self._dice(batch.seed))
            rewards = standardised(self.network, played.points[:, 0].double())
            return self._policy_loss(played, rewards.float())

    def measure(self) -> dict[str, float]:
        """Points against the partner in dialogues that are about the same with every epoch; and the
        perplexity, which rises when it forgets how people talk."""
        played = self._played(self._measured_on, self._dice())
        own, others = played.points.double().mean(0).tolist()
        return {
            # Not -own, which would be -0.0 where nothing was earned.
            "negative_reward": 0.0 - own,
            "reward": own,
            "partner_reward": others,
            "agreed": float(played.is_agreed.double().mean()),
            "messages": float(played.messages().double().mean()),
            "perplexity": self._talk.measure()["perplexity"],
        }

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """Figures on lines, where there are some; and of self-play about the contexts of a file, or
        about some that are drawn by lot. The first side is the network, the second its partner."""
        lines = [path for path in files if not is_context_file(path)]
        figures = self._talk.test(lines) if lines else []
        pairs = [read_contexts(path).pairs for path in files if path not in lines]
        dice = self._dice(self._material.seed + 1)
        contexts = torch.cat(pairs) if pairs else made_contexts().draw(TESTED_ON, dice)
        with without_dropout(self.network):
            played = self._played(contexts, dice)
        return [*figures, *self_play_figures([played], seed=self._material.seed)]

    def note(self) -> DataNote:
        note = self._talk.note()
        pairs = {"pairs of contexts for self-play": len(self._contexts.pairs)}
        return dataclasses.replace(note, counts={**note.counts, **pairs})

    def _played(self, contexts: Tensor, dice: Generator) -> SelfPlayed:
        heat = self._settings.temperature
        sides = (
            Negotiator(network=_negotiating(self.network), temperature=heat),
            Negotiator(network=_negotiating(self._partner), temperature=heat),
        )
        return play(sides, contexts, dice, device=self._material.device)

    def _policy_loss(self, played: SelfPlayed, rewards: Tensor) -> Tensor:
        """The mean over own words of their NLL times their reward."""
        said = played.is_said_by(0)[:, 1:]
        own = said.float()
        # How many own words come after each.
        after = own.flip(1).cumsum(1).flip(1) - own
        worth = rewards[:, None] * self._settings.discount**after
        nll = -self._log_probs(played)
        return torch.where(said, nll * worth, 0).sum() / own.sum().clamp(min=1)

    def _log_probs(self, played: SelfPlayed) -> Tensor:
        """Of each word (rows, words) but the first, as it was drawn."""
        words = played.words
        # Without dropout there are gradients of recurrent layers in PyTorch's own kernels alone.
        with torch.backends.cudnn.flags(enabled=False):
            logits = self.network(played.contexts[:, 0], words[:, :-1])
        may_select = (words == END_NUMBER).cumsum(1)[:, :-1] >= LEAST_MESSAGES
        log_probs = word_log_probs(
            logits, is_speaker_mark(words[:, :-1]), may_select, self._settings.temperature
        )
        return log_probs.gather(2, words[:, 1:, None]).squeeze(2)


class DealReinforce:
    """A network of another kind, trained further by talking to itself."""

    about: ClassVar[str] = "REINFORCE: a network for Deal or No Deal goes on by playing for points"
    settings_type: ClassVar[type[Any]] = DealReinforceSettings

    def learner(
        self, settings: DealReinforceSettings, material: LearnerMaterial
    ) -> ReinforceLearner:
        start = beginning(material, example="deal-gru")
        lines, contexts = _files(material.train)
        _, sections = talk_settings(start)
        own = dataclasses.replace(material, train=lines, start=start)
        return ReinforceLearner(
            MODELS.get(start.model)().learner(sections, own),
            network_of(start).to(material.device),
            contexts,
            settings=settings.play,
            material=material,
            start=start,
        )

    @staticmethod
    def check_test(settings: DealReinforceSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of lines, or of contexts."""
        lines = [path for path in files if not is_context_file(path)]
        if lines:
            read_lines(lines)
        for path in files:
            if path not in lines:
                read_contexts(path)


def _files(paths: Sequence[Path]) -> tuple[tuple[Path, ...], ContextPairs]:
    """The files of lines, and the contexts of the file that has them; else those of the rule."""
    contexts = [path for path in paths if is_context_file(path)]
    lines = tuple(path for path in paths if path not in contexts)
    if not lines:
        raise InputError(
            "REINFORCE learns from lines of dialogues in between; got contexts alone. Give a file "
            "such as deal_train.txt as well."
        )
    if len(contexts) > 1:
        named = ", ".join(map(str, contexts))
        raise InputError(f"One file of contexts is enough; got {named}.")
    return lines, read_contexts(contexts[0]) if contexts else made_contexts()


def _negotiating(network: nn.Module) -> DealNetwork:
    return cast(DealNetwork, network)
