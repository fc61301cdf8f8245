"""Kinds of models that learn to talk about a deal, as recipes name them, and their networks again
from a checkpoint."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, check_model
from palaver.models.deal.lines import read_lines
from palaver.models.deal.reading import DealReader
from palaver.models.deal.recurrent import RecurrentSettings, RecurrentTalk
from palaver.models.deal.selection import SelectionSettings
from palaver.models.deal.talk import TalkLearner, TalkSettings
from palaver.models.deal.transformer import MovesSettings, TransformerSettings, TransformerTalk
from palaver.models.deal.words import deal_vocabulary, known_vocabulary
from palaver.models.inheritance import as_started
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import read_settings
from palaver.models.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class DealTalkSettings:
    """Sections of a recipe."""

    data: TalkSettings
    network: RecurrentSettings
    selection: SelectionSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class DealTransformerSettings:
    """Sections of a recipe."""

    data: TalkSettings
    network: TransformerSettings
    selection: MovesSettings


class TalkKind(ABC):
    """A kind of model with a network that reads lines."""

    settings_type: ClassVar[type[Any]]

    @abstractmethod
    def network(self, settings: Any, vocabulary: int) -> DealReader:
        """A network with fresh weights, on the CPU."""

    def learner(self, settings: Any, material: LearnerMaterial) -> TalkLearner:
        """A learner with fresh weights, or with those it starts from."""
        lines = read_lines(material.train)
        if material.start is None:
            vocabulary = deal_vocabulary(lines, least=settings.data.least)
        else:
            check_model(material.start, TALK_KINDS)
            vocabulary = vocabulary_of(material.start)
        network = self.network(settings, len(vocabulary))
        if material.start is not None:
            fill(network, material.start)
        return TalkLearner(
            network.to(material.device),
            vocabulary,
            lines,
            settings=settings.data,
            slots_weight=settings.selection.weight,
            material=material,
        )

    @staticmethod
    def check_test(settings: Any, files: Sequence[Path]) -> None:
        """InputError unless these are files of lines."""
        read_lines(files)


class DealTalk(TalkKind):
    """The recurrent network of Lewis et al. (2017)."""

    about: ClassVar[str] = "GRU or LSTM that talks about a deal and says who gets what"
    settings_type: ClassVar[type[Any]] = DealTalkSettings

    def network(self, settings: DealTalkSettings, vocabulary: int) -> DealReader:
        return RecurrentTalk(vocabulary, settings.network, settings.selection)


class DealTransformer(TalkKind):
    """A Transformer of our own."""

    about: ClassVar[str] = "Transformer that talks about a deal and says who gets what"
    settings_type: ClassVar[type[Any]] = DealTransformerSettings

    def network(self, settings: DealTransformerSettings, vocabulary: int) -> DealReader:
        return TransformerTalk(vocabulary, settings.network, settings.selection)


TALK_KINDS: Mapping[str, TalkKind] = {
    "deal-talk": DealTalk(),
    "deal-transformer": DealTransformer(),
}


def network_of(checkpoint: Checkpoint) -> DealReader:
    """The network of a checkpoint with its weights, on the CPU, in eval mode."""
    started = as_started(checkpoint)
    kind, settings = talk_settings(started)
    size = len(vocabulary_of(started))
    return filled(lambda: kind.network(settings, size), started).eval()


def vocabulary_of(checkpoint: Checkpoint) -> Vocabulary:
    """The words of a checkpoint; CheckpointError where it has none."""
    if "words" not in checkpoint.words:
        raise CheckpointError(f"{checkpoint.folder}: its vocabulary has no 'words'.")
    return known_vocabulary(checkpoint.words["words"])


def talk_settings(checkpoint: Checkpoint) -> tuple[TalkKind, Any]:
    """The kind of a checkpoint's network and its sections, also where it was trained further."""
    started = as_started(checkpoint)
    check_model(started, TALK_KINDS)
    kind = TALK_KINDS[started.model]
    names = [each.name for each in dataclasses.fields(kind.settings_type)]
    own = {name: started.recipe[name] for name in names if name in started.recipe}
    return kind, read_settings(kind.settings_type, own)
