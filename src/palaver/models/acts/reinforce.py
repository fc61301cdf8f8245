"""REINFORCE: an act network learns what to do for (He et al. 2018).

It bargains against a frozen copy of itself, in either role. What it earns in a dialogue is the reward of
each of its words, less what it earned so far on average; dialogues of people can be learnt from in
between.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Generator, Tensor

from palaver.models.acts.figures import measured_play, play_figures
from palaver.models.acts.games import ScenarioSource
from palaver.models.acts.grammar import PAD_NUMBER, states_before
from palaver.models.acts.learner import ActLearner
from palaver.models.acts.network import ActNetwork
from palaver.models.acts.self_play import ActPlayer, HeldActs, play
from palaver.models.acts.speaking import allowed_logits
from palaver.models.acts.views import ActViewTensors
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.learner import DataNote, LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.reinforcement import (
    PlayBatch,
    SelfPlayLearner,
    departure,
    standardised,
    without_dropout,
)
from palaver.models.sampling import sharpened
from palaver.models.settings import COUNT, NATURAL, POSITIVE, PROBABILITY, option


@dataclass(frozen=True, slots=True, kw_only=True)
class ActPlaySettings:
    """How self-play goes, and what it is mixed with."""

    updates: int = option(20, "updates from self-play in an epoch", COUNT)
    dialogues: int = option(64, "dialogues that are held for an update, all at once", COUNT)
    temperature: float = option(0.5, "how words are drawn, of both sides", POSITIVE)
    discount: float = option(1.0, "of the reward, for each own word back from the end", PROBABILITY)
    supervised_every: int = option(
        0, "updates from self-play before one from dialogues of people; 0: never", NATURAL
    )
    supervised_weight: float = option(1.0, "of the loss on dialogues of people", NATURAL)
    closeness: float = option(
        0.0, "weight of how far it departs from what it was at first, in nats a word", NATURAL
    )
    measured_on: int = option(256, "dialogues of self-play that an epoch is measured on", COUNT)


class ActReinforceLearner(SelfPlayLearner):
    """A network in self-play with its frozen partner, what it learns from people beside it."""

    def __init__(
        self,
        people: ActLearner,
        partner: ActNetwork,
        scenarios: ScenarioSource,
        *,
        settings: ActPlaySettings,
        reward: str,
        material: LearnerMaterial,
        start: Checkpoint,
    ) -> None:
        super().__init__(people, scenarios, options=settings, material=material, start=start)
        self._acts = people
        self._partner = partner.eval().requires_grad_(False)
        self._scenarios = scenarios
        self._settings = settings
        self._reward = reward
        self._tables = people.game.grammar.tables(material.device)
        self._measured_on = scenarios.draw(settings.measured_on, self._dice())

    def loss(self, batch: Any) -> Tensor:
        if not isinstance(batch, PlayBatch):
            return self._settings.supervised_weight * self._people.loss(batch)
        with without_dropout(self.network):
            held = self._held(batch.about, self._dice(batch.seed))
            earned = torch.cat([each.table.rewards(self._reward)[:, 0].double() for each in held])
            worth = standardised(self.network, earned).float()
            return self._policy_loss(held, worth)

    def measure(self) -> dict[str, float]:
        """Self-play against the partner, in dialogues that are about the same with every epoch; and
        the perplexity, which rises when it forgets what people do."""
        found = measured_play(self._held(self._measured_on, self._dice()), self._reward)
        # Not -reward, which would be -0.0 where nothing was earned.
        own = {"negative_reward": 0.0 - found["reward"]}
        return {**own, **found, "perplexity": self._people.measure()["perplexity"]}

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """Figures on dialogues of people, of self-play against the partner, and of the partner against
        itself, from which the network came. The first side is the network."""
        figures = list(self._people.test(files)) if files else []
        seed = self._material.seed
        scenarios = self._scenarios.draw(4 * self._settings.measured_on, self._dice(seed + 1))
        with without_dropout(self.network):
            played = self._held(scenarios, self._dice(seed + 2))
        figures += play_figures(played, self._reward, seed=seed)
        began = self._held(scenarios, self._dice(seed + 2), is_partner=True)
        figures += [
            dataclasses.replace(each, name=f"{each.name}, as it began")
            for each in play_figures(began, self._reward, seed=seed)
        ]
        return figures

    def note(self) -> DataNote:
        return self._people.note()

    def _held(
        self, scenarios: Tensor, dice: Generator, *, is_partner: bool = False
    ) -> list[HeldActs]:
        heat = self._settings.temperature
        partner = ActPlayer(self._partner, heat)
        own = partner if is_partner else ActPlayer(self._network, heat)
        return play(self._acts.game, (own, partner), scenarios, dice, device=self._material.device)

    @property
    def _network(self) -> ActNetwork:
        assert isinstance(self.network, ActNetwork)
        return self.network

    def _policy_loss(self, held: Sequence[HeldActs], rewards: Tensor) -> Tensor:
        """The mean over own words of their NLL times their reward; and of how far the network is from
        what it was at first."""
        settings = self._settings
        total, count, at = rewards.new_zeros(()), rewards.new_zeros(()), 0
        for each in held:
            views, allowed = each.view(0)
            log_probs = self._log_probs(self._network, views, allowed)
            nll = -log_probs.gather(3, views.own[..., None]).squeeze(3).flatten(1)
            said = (views.own != PAD_NUMBER).flatten(1)
            own = said.float()
            # How many own words come after each.
            after = own.flip(1).cumsum(1).flip(1) - own
            worth = rewards[at : at + len(each), None] * settings.discount**after
            total = total + torch.where(said, nll * worth, 0).sum()
            if settings.closeness:
                with torch.no_grad():
                    at_first = self._log_probs(self._partner, views, allowed)
                far = departure(log_probs, at_first).flatten(1)
                total = total + settings.closeness * torch.where(said, far, 0).sum()
            count, at = count + own.sum(), at + len(each)
        return total / count.clamp(min=1)

    def _log_probs(self, network: ActNetwork, views: ActViewTensors, allowed: Tensor) -> Tensor:
        """What a network would have said in place of each own word."""
        states = states_before(views.own, self._tables)
        logits = allowed_logits(network(views), states, allowed[:, :, None], self._tables)
        return sharpened(logits, self._settings.temperature)
