"""REINFORCE word by word: a network that has learnt to bargain learns what to say for a reward.

It plays against a frozen copy of itself, in either role. What it earns in a dialogue is the reward of
each of its words. Word by word this is known to make language short and repetitive (He et al. 2018), so
that language is measured beside the reward; updates from dialogues of people in between hold it back.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

import torch
from torch import Generator, Tensor, nn

from palaver.models.bargain.dialogues import read_bargains
from palaver.models.bargain.figures import played_figures, played_means
from palaver.models.bargain.kinds import known_words, speaker_of, speaker_settings
from palaver.models.bargain.learning import TurnLearner
from palaver.models.bargain.network import TurnSpeaker
from palaver.models.bargain.own_turns import OwnTurns
from palaver.models.bargain.rewards import rewards
from palaver.models.bargain.scenes import Scenes, sides_of_dialogues
from palaver.models.bargain.self_play import Bargainer, BargainsPlayed, bargain
from palaver.models.bargain.speech import WordChoice
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.learner import DataNote, LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.reinforcement import (
    PlayBatch,
    SelfPlayLearner,
    beginning,
    standardised,
    without_dropout,
)
from palaver.models.settings import COUNT, NATURAL, POSITIVE, PROBABILITY, option

# Figures of self-play that an epoch is told by.
_MEASURED = (
    "agreed",
    "margin_first",
    "fairness",
    "dialogue_length",
    "words_per_message",
    "distinct_1",
    "distinct_2",
    "distinct_3",
)
# Dialogues of a final test, as far as there are scenes of people for them.
TESTED_ON = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsPlaySettings:
    """How self-play goes, what it is for, and what it is mixed with."""

    reward: Literal["margin", "fair", "length"] = option(
        "margin", "what is earned: one's own margin, a fair price, or a long talk"
    )
    updates: int = option(100, "updates from self-play in an epoch", COUNT)
    dialogues: int = option(64, "dialogues that are held for an update, all at once", COUNT)
    temperature: float = option(0.5, "how words are drawn, of both sides", POSITIVE)
    discount: float = option(1.0, "of the reward, for each own word back from the end", PROBABILITY)
    supervised_every: int = option(
        0, "updates from self-play before one from dialogues of people; 0: never", NATURAL
    )
    supervised_weight: float = option(1.0, "of the loss on dialogues of people", NATURAL)
    measured_on: int = option(200, "dialogues of self-play that an epoch is measured on", COUNT)


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainWordsReinforceSettings:
    """Sections of a recipe; what the network is like stands in the checkpoint it starts from."""

    play: WordsPlaySettings


class WordsReinforceLearner(SelfPlayLearner):
    """A network that bargains for a reward against what it was at first."""

    def __init__(
        self,
        talk: TurnLearner,
        partner: TurnSpeaker,
        scenes: Scenes,
        held: Scenes,
        *,
        settings: WordsPlaySettings,
        material: LearnerMaterial,
        start: Checkpoint,
    ) -> None:
        super().__init__(talk, scenes, options=settings, material=material, start=start)
        self._talk, self._partner = talk, partner.eval().requires_grad_(False)
        self._scenes, self._settings = scenes, settings
        self._words = known_words(start)
        self._measured_on = held.draw(settings.measured_on, self._dice())

    def loss(self, batch: Any) -> Tensor:
        if not isinstance(batch, PlayBatch):
            return self._settings.supervised_weight * self._talk.loss(batch)
        with without_dropout(self.network):
            played = self._played(batch.about, self._dice(batch.seed))
            earned = rewards(self._settings.reward, played.ends)[:, 0]
            return self._policy_loss(played, standardised(self.network, earned.double()).float())

    def measure(self) -> dict[str, float]:
        """The reward against the partner in dialogues that are about the same with every epoch, and
        how they were worded; and the perplexity, which rises when it forgets how people talk."""
        played = self._played(self._measured_on, self._dice())
        means = played_means([played], self._words, reward=self._settings.reward)
        return {
            # Not -reward, which would be -0.0 where nothing was earned.
            "negative_reward": 0.0 - means["reward_first"],
            "reward": means["reward_first"],
            "partner_reward": means["reward_second"],
            **{name: means[name] for name in _MEASURED},
            "perplexity": self._talk.measure()["perplexity"],
        }

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """Figures on dialogues of people, and of self-play about what they were about. The first side
        is the network, the second its partner."""
        figures = self._talk.test(files)
        dialogues = read_bargains(files)
        _, sections = speaker_settings(self._start)
        scenes = Scenes.of(sides_of_dialogues(dialogues), self._words, sections.data.limits)
        dice = self._dice(self._material.seed + 1)
        with without_dropout(self.network):
            played = self._played(scenes.draw(TESTED_ON, dice), dice)
        reward = self._settings.reward
        return [
            *figures,
            *played_figures([played], self._words, reward=reward, seed=self._material.seed),
        ]

    def note(self) -> DataNote:
        note = self._talk.note()
        scenes = {"scenarios for self-play": len(self._scenes)}
        return dataclasses.replace(note, counts={**note.counts, **scenes})

    @property
    def _choice(self) -> WordChoice:
        return WordChoice(temperature=self._settings.temperature)

    def _played(self, scenes: Scenes, dice: Generator) -> BargainsPlayed:
        sides = (
            Bargainer(network=_speaking(self.network), choice=self._choice),
            Bargainer(network=self._partner, choice=self._choice),
        )
        return bargain(sides, scenes, dice, device=self._material.device)

    def _policy_loss(self, played: BargainsPlayed, earned: Tensor) -> Tensor:
        """The mean over own words of their NLL times their reward."""
        turns = OwnTurns.of(played, 0, earlier=self._partner.earlier)
        # Without dropout there are gradients of recurrent layers in PyTorch's own kernels alone.
        with torch.backends.cudnn.flags(enabled=False):
            log_probs = turns.log_probs(_speaking(self.network), self._choice)
        turn, _ = turns.chosen()
        worth = earned[turns.dialogues[turn]] * self._settings.discount ** turns.later()
        return -(log_probs * worth).sum() / max(1, len(log_probs))


class BargainWordsReinforce:
    """A network of another kind, trained further by bargaining with itself."""

    about: ClassVar[str] = "REINFORCE: a network that bargains word by word goes on for a reward"
    settings_type: ClassVar[type[Any]] = BargainWordsReinforceSettings

    def learner(
        self, settings: BargainWordsReinforceSettings, material: LearnerMaterial
    ) -> WordsReinforceLearner:
        start = beginning(material, example="bargain-words")
        kind, sections = speaker_settings(start)
        talk = kind.learner(sections, dataclasses.replace(material, start=start))
        words, limits = known_words(start), sections.data.limits
        learnt, held = (
            Scenes.of(each, words, limits)
            for each in (talk.views.learnt_sides, talk.views.held_sides)
        )
        return WordsReinforceLearner(
            talk,
            speaker_of(start).to(material.device),
            learnt,
            held,
            settings=settings.play,
            material=material,
            start=start,
        )

    @staticmethod
    def check_test(settings: BargainWordsReinforceSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of bargains."""
        read_bargains(files)


def _speaking(network: nn.Module) -> TurnSpeaker:
    return cast(TurnSpeaker, network)
