"""Kinds of models that look for a mutual friend, as recipes name them, and their networks again from a
checkpoint."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from palaver.core.errors import InputError
from palaver.models.chats import read_chats
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, check_model
from palaver.models.friends.graph_network import GraphTalk, GraphTalkSettings
from palaver.models.friends.network import FriendsReader
from palaver.models.friends.talk import FriendsLearner, FriendsTalkSettings
from palaver.models.friends.transformer import TableTransformer, TableTransformerSettings
from palaver.models.friends.views import known_entities, learnable, views_of
from palaver.models.friends.words import FriendsWords
from palaver.models.inheritance import as_started
from palaver.models.learner import LearnerMaterial
from palaver.models.settings import read_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendsGraphSettings:
    """Sections of a recipe."""

    data: FriendsTalkSettings
    network: GraphTalkSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendsTransformerSettings:
    """Sections of a recipe."""

    data: FriendsTalkSettings
    network: TableTransformerSettings


class FriendsKind(ABC):
    """A kind of model with a network that reads views."""

    settings_type: ClassVar[type[Any]]

    @abstractmethod
    def network(self, settings: Any, words: FriendsWords) -> FriendsReader:
        """A network with fresh weights, on the CPU."""

    def learner(self, settings: Any, material: LearnerMaterial) -> FriendsLearner:
        """A learner with fresh weights, or with those it starts from."""
        chats = read_chats(material.train)
        if material.start is None:
            kept = learnable(chats)
            views = views_of(kept, known_entities(kept))
            words = FriendsWords.of(kept, views, least=settings.data.least)
        else:
            check_model(material.start, FRIENDS_KINDS)
            words = words_of_checkpoint(material.start)
        network = self.network(settings, words)
        if material.start is not None:
            fill(network, material.start)
        return FriendsLearner(
            network.to(material.device), words, chats, settings=settings.data, material=material
        )

    @staticmethod
    def check_test(settings: Any, files: Sequence[Path]) -> None:
        """InputError unless these are files of dialogues to learn from."""
        known_entities(learnable(read_chats(files)))


class FriendsGraph(FriendsKind):
    """DynoNet and StanoNet."""

    about: ClassVar[str] = "graph of the own table that talks about friends (DynoNet, StanoNet)"
    settings_type: ClassVar[type[Any]] = FriendsGraphSettings

    def network(self, settings: FriendsGraphSettings, words: FriendsWords) -> FriendsReader:
        return GraphTalk(len(words), words.types, settings.network)


class FriendsTransformer(FriendsKind):
    """A Transformer of our own."""

    about: ClassVar[str] = "Transformer that reads its table and talks about friends"
    settings_type: ClassVar[type[Any]] = FriendsTransformerSettings

    def network(self, settings: FriendsTransformerSettings, words: FriendsWords) -> FriendsReader:
        return TableTransformer(len(words), words.types, settings.network)


FRIENDS_KINDS: Mapping[str, FriendsKind] = {
    "friends-graph": FriendsGraph(),
    "friends-transformer": FriendsTransformer(),
}


def friends_network(checkpoint: Checkpoint) -> FriendsReader:
    """The network of a checkpoint with its weights, on the CPU, in eval mode."""
    started = as_started(checkpoint)
    check_model(started, FRIENDS_KINDS)
    kind = FRIENDS_KINDS[started.model]
    names = [each.name for each in dataclasses.fields(kind.settings_type)]
    own = {name: started.recipe[name] for name in names if name in started.recipe}
    settings = read_settings(kind.settings_type, own)
    words = words_of_checkpoint(started)
    return filled(lambda: kind.network(settings, words), started).eval()


def words_of_checkpoint(checkpoint: Checkpoint) -> FriendsWords:
    """What a checkpoint knows of language; CheckpointError where it is of another model."""
    try:
        return FriendsWords.read(checkpoint.words)
    except InputError as error:
        raise CheckpointError(f"{checkpoint.folder}: {error}") from error
