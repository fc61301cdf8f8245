"""The kinds of fine-tuned language models, as recipes name them: their sections, and their learners."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from palaver.core.errors import InputError
from palaver.models.advice.cases import read_advised
from palaver.models.dialeval.learner import DialEvalAnswers, DialEvalLoss
from palaver.models.language.adaptation import AdaptationSettings
from palaver.models.language.advising import AdviceAnswers, AdviceMatter, advice_matter
from palaver.models.language.bases import BaseSettings
from palaver.models.language.fine_tuned import FineTuning, adapted, begin
from palaver.models.language.game_files import read_games
from palaver.models.language.games import GameReading, game_matter
from palaver.models.language.judge import reader_of
from palaver.models.language.judge_responder import new_judge
from palaver.models.language.judging import JudgeReading, JudgingLearner, read_judged
from palaver.models.language.learner import WritingLearner
from palaver.models.language.network import LanguageNetwork
from palaver.models.language.packages import check_alone, check_packages
from palaver.models.learner import LearnerMaterial
from palaver.models.recipe import Recipe

GAME, ADVICE, DIALEVAL = "language-game", "language-advice", "language-dialeval"
WRITERS = (GAME, ADVICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageGameSettings:
    """Sections of a recipe."""

    base: BaseSettings
    adaptation: AdaptationSettings
    data: GameReading


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageAdviceSettings:
    """Sections of a recipe."""

    base: BaseSettings
    adaptation: AdaptationSettings
    data: AdviceMatter
    answers: AdviceAnswers


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageDialEvalSettings:
    """Sections of a recipe."""

    base: BaseSettings
    adaptation: AdaptationSettings
    data: JudgeReading
    loss: DialEvalLoss
    answers: DialEvalAnswers


class LanguageKind:
    """What all of these kinds do alike."""

    @staticmethod
    def check_recipe(recipe: Recipe) -> None:
        """InputError where a package is missing, or where the recipe asks for an ensemble."""
        check_packages()
        check_alone(recipe)


class LanguageGame(LanguageKind):
    """A language model that plays one of the games with tags."""

    about: ClassVar[str] = "language model, fine-tuned to play a game in words and tags"
    settings_type: ClassVar[type[LanguageGameSettings]] = LanguageGameSettings

    def learner(self, settings: LanguageGameSettings, material: LearnerMaterial) -> WritingLearner:
        """A learner with the weights of its base."""
        network, tuning = _writer(settings.base, settings.adaptation, material)
        matter = game_matter(settings.data, tuning, material)
        return WritingLearner(network, matter, tuning=tuning, material=material)

    @staticmethod
    def check_test(settings: LanguageGameSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of dialogues of a game."""
        read_games(files, least=settings.data.least)


class LanguageAdvice(LanguageKind):
    """A language model that advises."""

    about: ClassVar[str] = "language model, fine-tuned to give advice"
    settings_type: ClassVar[type[LanguageAdviceSettings]] = LanguageAdviceSettings

    def learner(
        self, settings: LanguageAdviceSettings, material: LearnerMaterial
    ) -> WritingLearner:
        """A learner with the weights of its base."""
        network, tuning = _writer(settings.base, settings.adaptation, material)
        matter = advice_matter(settings.data, tuning, material)
        return WritingLearner(network, matter, tuning=tuning, material=material)

    @staticmethod
    def check_test(settings: LanguageAdviceSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of situations with advice."""
        read_advised(files)


class LanguageDialEval(LanguageKind):
    """A language model that says how annotators are divided."""

    about: ClassVar[str] = "DialEval: language model, fine-tuned, with linear layers that judge"
    settings_type: ClassVar[type[LanguageDialEvalSettings]] = LanguageDialEvalSettings

    def learner(
        self, settings: LanguageDialEvalSettings, material: LearnerMaterial
    ) -> JudgingLearner:
        """A learner whose reader has the weights of its base, and whose heads are new."""
        if material.start is not None:
            raise InputError(
                "A fine-tuned model of the DialEval tasks starts from base.model, and from no "
                "checkpoint: leave 'start' out."
            )
        settings.loss.check(settings.data.learnt)
        dialogues = read_judged(material.train, settings.data)
        model, tuning = begin(settings.base, settings.adaptation, material, starts=())
        reader = reader_of(model, tuning.writes)
        network = adapted(new_judge(reader, settings.data), reader, settings.adaptation)
        return JudgingLearner(
            network.to(material.device),
            dialogues,
            reading=settings.data,
            weights=settings.loss,
            answers=settings.answers,
            tuning=tuning,
            material=material,
        )

    @staticmethod
    def check_test(settings: LanguageDialEvalSettings, files: Sequence[Path]) -> None:
        """InputError unless the dialogues of these files have labels of what is learnt."""
        read_judged(files, settings.data)


def _writer(
    base: BaseSettings, adaptation: AdaptationSettings, material: LearnerMaterial
) -> tuple[LanguageNetwork, FineTuning]:
    """The language model that a recipe begins with, adapted, on the device."""
    model, tuning = begin(base, adaptation, material, starts=WRITERS)
    network = LanguageNetwork(model, writes=tuning.writes, start=tuning.tokens.start)
    adapted(network, model, adaptation)
    return network.to(material.device), tuning
