"""Kinds of models that learn what to do in a dialogue, as recipes name them, and their networks again
from a checkpoint."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import Tensor

from palaver.core.errors import InputError
from palaver.models.acts.bargain_game import BargainActs
from palaver.models.acts.deal_game import DealActs, is_settled
from palaver.models.acts.games import ActDialogues, ActGame
from palaver.models.acts.learner import ActLearner
from palaver.models.acts.network import ActNetwork, ActNetworkSettings
from palaver.models.bargain.dialogues import (
    LEAST_MESSAGES,
    LEAST_WORDS,
    bargain_corpus,
    read_bargains,
)
from palaver.models.bargain.pricing import scaled_of
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, check_model
from palaver.models.deal.lines import divided, read_lines
from palaver.models.inheritance import as_started
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import NATURAL, Bounds, option, read_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainActsData:
    """Which dialogues are learnt from."""

    folds: int = option(10, "one dialogue in so many is held out", Bounds(least=2))
    least_words: int = option(
        LEAST_WORDS, "words that one side writes at least, else a dialogue is skipped", NATURAL
    )
    least_messages: int = option(
        LEAST_MESSAGES, "messages that either side writes at least, else it is skipped", NATURAL
    )
    parsed: bool = option(False, "whether acts are parsed even where a file records them")
    licence: str = option("as its file says", "of the dialogues")


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainActsSettings:
    """Sections of a recipe."""

    data: BargainActsData
    network: ActNetworkSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DealActsData:
    """Which lines are learnt from."""

    folds: int = option(10, "one dialogue in so many is held out", Bounds(least=2))
    licence: str = option(
        "as its file says; the published dialogues are CC BY-NC 4.0", "of the dialogues"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DealActsSettings:
    """Sections of a recipe."""

    data: DealActsData
    network: ActNetworkSettings


class ActKind(ABC):
    """A kind of model with a network of acts."""

    settings_type: ClassVar[type[Any]]

    @abstractmethod
    def dialogues(
        self, settings: Any, material: LearnerMaterial, game: ActGame | None
    ) -> tuple[ActGame, ActDialogues]:
        """What is learnt from, with the game that it is of: this one, or one with words of its own."""

    @abstractmethod
    def known_game(self, words: Mapping[str, Sequence[str]]) -> ActGame:
        """The game with the words of a checkpoint; InputError where they are those of another model."""

    def learner(self, settings: Any, material: LearnerMaterial) -> ActLearner:
        """A learner with fresh weights, or with those it starts from."""
        start = material.start
        known = None
        if start is not None:
            check_model(start, tuple(ACT_KINDS))
            known = game_of(start)
        game, dialogues = self.dialogues(settings, material, known)
        network = network_for(features_of(game, settings), game, settings)
        if start is not None:
            fill(network, start)
        return ActLearner(
            network.to(material.device),
            game,
            dialogues,
            licence=settings.data.licence,
            material=material,
        )


class BargainActsKind(ActKind):
    """Acts of CraigslistBargain."""

    about: ClassVar[str] = "LSTMs that choose acts and prices in a bargain; templates speak"
    settings_type: ClassVar[type[Any]] = BargainActsSettings

    def dialogues(
        self, settings: BargainActsSettings, material: LearnerMaterial, game: ActGame | None
    ) -> tuple[ActGame, ActDialogues]:
        data = settings.data
        corpus = bargain_corpus(
            material.train,
            fold=material.fold,
            folds=data.folds,
            cut=material.cut,
            least_words=data.least_words,
            least_messages=data.least_messages,
            parses_all=data.parsed,
        )
        acts = game if isinstance(game, BargainActs) else BargainActs.of(corpus.learnt)
        learnt, held = (
            [view for each in part for view in acts.views_of(each)]
            for part in (corpus.learnt, corpus.held)
        )
        return acts, ActDialogues(
            learnt,
            held,
            "Dialogues of CraigslistBargain as acts, a view for each side",
            corpus.counts,
        )

    def known_game(self, words: Mapping[str, Sequence[str]]) -> ActGame:
        scaled = [n for n in map(scaled_of, words["acts"]) if n is not None]
        return BargainActs(tuple(scaled))

    @staticmethod
    def check_test(settings: BargainActsSettings, files: Sequence[Path]) -> None:
        """InputError unless these are bargains."""
        read_bargains(files)


class DealActsKind(ActKind):
    """Acts of Deal or No Deal."""

    about: ClassVar[str] = "LSTMs that choose acts and splits for Deal or No Deal; templates speak"
    settings_type: ClassVar[type[Any]] = DealActsSettings

    def dialogues(
        self, settings: DealActsSettings, material: LearnerMaterial, game: ActGame | None
    ) -> tuple[ActGame, ActDialogues]:
        lines = read_lines(material.train)
        acts = DealActs()
        settled = [line for line in lines if is_settled(line)]
        parts = divided(settled, fold=material.fold, folds=settings.data.folds, seed=material.cut)
        learnt, held = (acts.views_of(part) for part in parts)
        counts = {
            "lines": len(settled),
            "lines held out": len(parts[1]),
            "dialogues": len({line.dialogue for line in settled}),
            "lines that ended in a way one cannot learn from": len(lines) - len(settled),
        }
        about = "Dialogues of Deal or No Deal as acts, a line for each side's view"
        return acts, ActDialogues(learnt, held, about, counts)

    def known_game(self, words: Mapping[str, Sequence[str]]) -> ActGame:
        return DealActs()

    @staticmethod
    def check_test(settings: DealActsSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of lines."""
        read_lines(files)


ACT_KINDS: Mapping[str, ActKind] = {
    "bargain-acts": BargainActsKind(),
    "deal-acts": DealActsKind(),
}


def features_of(game: ActGame, settings: Any) -> Tensor:
    """What a network is told of words that are numbers."""
    return game.features if settings.network.numbers else game.features[:, :0]


def network_for(features: Tensor, game: ActGame, settings: Any) -> ActNetwork:
    """A network with fresh weights, on the CPU."""
    return ActNetwork(features, len(game.knows), settings.network)


def game_of(checkpoint: Checkpoint) -> ActGame:
    """The game of a checkpoint, with its words; CheckpointError where they do not fit."""
    started = as_started(checkpoint)
    check_model(started, tuple(ACT_KINDS))
    words = started.words
    for name in ("acts", "knowledge"):
        if name not in words:
            raise CheckpointError(f"{checkpoint.folder}: its vocabulary has no '{name}'.")
    try:
        game = ACT_KINDS[started.model].known_game(words)
    except InputError as error:
        raise CheckpointError(f"{checkpoint.folder}: {error}") from error
    if tuple(words["acts"]) != game.grammar.words or tuple(words["knowledge"]) != game.knows:
        raise CheckpointError(
            f"{checkpoint.folder}: its vocabulary is not one of the acts of '{game.name}' in their "
            "order. Train it anew."
        )
    return game


def network_of(checkpoint: Checkpoint) -> ActNetwork:
    """The network of a checkpoint with its weights, on the CPU, in eval mode."""
    started = as_started(checkpoint)
    game = game_of(started)
    _, settings = act_settings(started)
    features = features_of(game, settings)
    return filled(lambda: network_for(features, game, settings), started).eval()


def act_settings(checkpoint: Checkpoint) -> tuple[ActKind, Any]:
    """The kind of a checkpoint's network and its sections, also where it was trained further."""
    started = as_started(checkpoint)
    check_model(started, tuple(ACT_KINDS))
    kind = ACT_KINDS[started.model]
    names = [each.name for each in dataclasses.fields(kind.settings_type)]
    own = {name: started.recipe[name] for name in names if name in started.recipe}
    return kind, read_settings(kind.settings_type, own)
