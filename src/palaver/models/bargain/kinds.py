"""Kinds of models that bargain word by word, as recipes name them, and their networks again from a
checkpoint."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from palaver.models.bargain.dialogues import bargain_corpus, read_bargains
from palaver.models.bargain.learning import (
    BargainViews,
    BargainWordsSettings,
    TurnLearner,
    long_enough,
    words_of,
)
from palaver.models.bargain.marks import BargainWords
from palaver.models.bargain.network import TurnSpeaker
from palaver.models.bargain.recurrent import RecurrentSpeaker, RecurrentSpeakerSettings
from palaver.models.bargain.transformer import TransformerSpeaker, TransformerSpeakerSettings
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, check_model
from palaver.models.inheritance import as_started
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import read_settings
from palaver.models.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainTalkSettings:
    """Sections of a recipe."""

    data: BargainWordsSettings
    network: RecurrentSpeakerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainTransformerSettings:
    """Sections of a recipe."""

    data: BargainWordsSettings
    network: TransformerSpeakerSettings


class SpeakerKind(ABC):
    """A kind of model with a network that says turns."""

    settings_type: ClassVar[type[Any]]

    @abstractmethod
    def network(self, settings: Any, words: BargainWords) -> TurnSpeaker:
        """A network with fresh weights, on the CPU."""

    def learner(self, settings: Any, material: LearnerMaterial) -> TurnLearner:
        """A learner with fresh weights, or with those it starts from."""
        data: BargainWordsSettings = settings.data
        corpus = bargain_corpus(
            material.train,
            fold=material.fold,
            folds=data.folds,
            cut=material.cut,
            least_words=data.least_words,
            least_messages=data.least_messages,
        )
        views = BargainViews.of(corpus)
        if material.start is None:
            words = words_of([*views.learnt, *views.held], data)
        else:
            check_model(material.start, tuple(SPEAKER_KINDS))
            words = known_words(material.start)
        network = self.network(settings, words)
        if material.start is not None:
            fill(network, material.start)
        return TurnLearner(
            network.to(material.device), words, views, settings=data, material=material
        )

    @staticmethod
    def check_test(settings: Any, files: Sequence[Path]) -> None:
        """InputError unless these are files of bargains."""
        long_enough(read_bargains(files), settings.data)


class BargainTalk(SpeakerKind):
    """The word-level network of He et al. (2018)."""

    about: ClassVar[str] = "LSTMs that hear a turn of a bargain and say the next, word by word"
    settings_type: ClassVar[type[Any]] = BargainTalkSettings

    def network(self, settings: BargainTalkSettings, words: BargainWords) -> TurnSpeaker:
        return RecurrentSpeaker(
            vocabulary=len(words.said),
            prices=words.prices,
            listing=len(words.listed),
            settings=settings.network,
        )


class BargainTransformer(SpeakerKind):
    """A Transformer of our own."""

    about: ClassVar[str] = "Transformer that reads a listing and a bargain and says the next turn"
    settings_type: ClassVar[type[Any]] = BargainTransformerSettings

    def network(self, settings: BargainTransformerSettings, words: BargainWords) -> TurnSpeaker:
        return TransformerSpeaker(
            vocabulary=len(words.said),
            prices=words.prices,
            listing=len(words.listed),
            settings=settings.network,
        )


SPEAKER_KINDS: Mapping[str, SpeakerKind] = {
    "bargain-words": BargainTalk(),
    "bargain-transformer": BargainTransformer(),
}


def speaker_of(checkpoint: Checkpoint) -> TurnSpeaker:
    """The network of a checkpoint with its weights, on the CPU, in eval mode."""
    started = as_started(checkpoint)
    kind, settings = speaker_settings(started)
    words = known_words(started)
    return filled(lambda: kind.network(settings, words), started).eval()


def known_words(checkpoint: Checkpoint) -> BargainWords:
    """The words of a checkpoint; CheckpointError where it has none."""
    for name in ("said", "listed"):
        if name not in checkpoint.words:
            raise CheckpointError(f"{checkpoint.folder}: its vocabulary has no '{name}' words.")
    return BargainWords(
        Vocabulary(checkpoint.words["said"]), Vocabulary(checkpoint.words["listed"])
    )


def speaker_settings(checkpoint: Checkpoint) -> tuple[SpeakerKind, Any]:
    """The kind of a checkpoint's network and its sections, also where it was trained further."""
    started = as_started(checkpoint)
    check_model(started, tuple(SPEAKER_KINDS))
    kind = SPEAKER_KINDS[started.model]
    names = [each.name for each in dataclasses.fields(kind.settings_type)]
    own = {name: started.recipe[name] for name in names if name in started.recipe}
    return kind, read_settings(kind.settings_type, own)
