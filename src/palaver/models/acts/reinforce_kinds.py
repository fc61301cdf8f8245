"""REINFORCE for the acts of either game, as recipes name it."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch

from palaver.core.errors import InputError
from palaver.models.acts.bargain_words import scenario_numbers
from palaver.models.acts.games import GivenScenarios, ScenarioSource
from palaver.models.acts.kinds import act_settings, network_of
from palaver.models.acts.reinforce import ActPlaySettings, ActReinforceLearner
from palaver.models.bargain.dialogues import read_bargains
from palaver.models.checkpoints.folder import check_model
from palaver.models.deal.contexts import is_context_file, made_contexts, read_contexts
from palaver.models.deal.lines import read_lines
from palaver.models.learner import LearnerMaterial
from palaver.models.reinforcement import beginning
from palaver.models.settings import option


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainPlaySettings(ActPlaySettings):
    """The same for a bargain."""

    reward: Literal["margin", "fair", "length"] = option(
        "margin", "what a dialogue earns: the own margin, a fair price, or many events"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainActsReinforceSettings:
    """Sections of a recipe; what the network is like stands in the checkpoint it starts from."""

    play: BargainPlaySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DealPlaySettings(ActPlaySettings):
    """The same for Deal or No Deal."""

    reward: Literal["points", "fair", "length"] = option(
        "points", "what a dialogue earns: the own points, like points, or many events"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DealActsReinforceSettings:
    """Sections of a recipe; what the network is like stands in the checkpoint it starts from."""

    play: DealPlaySettings


def reinforce_learner(
    settings: BargainPlaySettings | DealPlaySettings,
    material: LearnerMaterial,
    scenarios: ScenarioSource,
    *,
    people: Sequence[Path],
    kind: str,
) -> ActReinforceLearner:
    """A learner that goes on from a checkpoint of this kind, about scenarios and beside `people`."""
    start = beginning(material, example=kind)
    check_model(start, (kind,))
    learns, sections = act_settings(start)
    own = dataclasses.replace(material, train=tuple(people), start=start)
    return ActReinforceLearner(
        learns.learner(sections, own),
        network_of(start).to(material.device),
        scenarios,
        settings=settings,
        reward=settings.reward,
        material=material,
        start=start,
    )


class BargainActsReinforce:
    """A network of acts for bargains, trained further by bargaining with itself."""

    about: ClassVar[str] = "REINFORCE: acts for bargains, for one's own margin, fairness or length"
    settings_type: ClassVar[type[Any]] = BargainActsReinforceSettings

    def learner(
        self, settings: BargainActsReinforceSettings, material: LearnerMaterial
    ) -> ActReinforceLearner:
        numbers = [scenario_numbers(each.sides) for each in read_bargains(material.train)]
        return reinforce_learner(
            settings.play,
            material,
            GivenScenarios(torch.tensor(numbers, dtype=torch.float64)),
            people=material.train,
            kind="bargain-acts",
        )

    @staticmethod
    def check_test(settings: BargainActsReinforceSettings, files: Sequence[Path]) -> None:
        """InputError unless these are bargains."""
        read_bargains(files)


class DealActsReinforce:
    """A network of acts for deals, trained further by playing with itself."""

    about: ClassVar[str] = "REINFORCE: acts for Deal or No Deal, for points, fairness or length"
    settings_type: ClassVar[type[Any]] = DealActsReinforceSettings

    def learner(
        self, settings: DealActsReinforceSettings, material: LearnerMaterial
    ) -> ActReinforceLearner:
        """Contexts come from a file where there is one among the data, else from the rule."""
        contexts = [path for path in material.train if is_context_file(path)]
        lines = [path for path in material.train if path not in contexts]
        if len(contexts) > 1 or not lines:
            raise InputError(
                "REINFORCE takes lines of dialogues, and one file of contexts beside them at most; "
                f"got {len(lines)} of lines and {len(contexts)} of contexts."
            )
        return reinforce_learner(
            settings.play,
            material,
            read_contexts(contexts[0]) if contexts else made_contexts(),
            people=lines,
            kind="deal-acts",
        )

    @staticmethod
    def check_test(settings: DealActsReinforceSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of lines."""
        read_lines(files)
