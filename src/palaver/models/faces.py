"""What answers from a checkpoint: at a game, or the questions of a task; found by the kind of model.

Both block, and are called on a thread. Neither is needed in training.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from palaver.core.events import Event, Move
from palaver.core.protocols import Place
from palaver.core.registry import Registry
from palaver.models.checkpoints.folder import Checkpoint

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How words are chosen: by chance, sharpened by the temperature, by a search, or among rollouts.

    A model takes what it knows of, and passes over the rest.
    """

    temperature: float = 0.5
    # The share of what is likely that words are drawn from; 1: all of it.
    nucleus: float = 1.0
    # How many turns are kept side by side in a search for the likeliest; no search with fewer than two.
    beam: int = 0
    # How many messages are tried out, and how often each; no rollouts with fewer than two.
    candidates: int = 0
    continuations: int = 3


class Talker(Protocol):
    """A model at the seats of a game. It remembers nothing: it is told all events each time."""

    # The name of the game that it plays; empty where the checkpoint says which one it learnt.
    game: str

    def __init__(self, checkpoints: Sequence[Checkpoint], device: "torch.device") -> None: ...

    def reply(
        self, place: Place, events: Sequence[Event], dice: random.Random, decoding: Decoding
    ) -> list[Move]:
        """The moves to make now, the same for the same dice on any device."""
        ...


class Responder(Protocol):
    """A model that answers the questions of a task."""

    def __init__(self, checkpoints: Sequence[Checkpoint], device: "torch.device") -> None: ...

    def answer(self, questions: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A record per question, in their order: its `id` and the outputs of the task."""
        ...


TALKERS: Registry[type[Talker]] = Registry(
    "kind of model that plays",
    "palaver.talkers",
    {
        "deal-talk": "palaver.models.deal.agent:DealAgent",
        "deal-transformer": "palaver.models.deal.agent:DealAgent",
        "deal-reinforce": "palaver.models.deal.agent:DealAgent",
        "deal-acts": "palaver.models.acts.deal_agent:DealActsAgent",
        "deal-acts-reinforce": "palaver.models.acts.deal_agent:DealActsAgent",
        "bargain-acts": "palaver.models.acts.bargain_agent:BargainActsAgent",
        "bargain-acts-reinforce": "palaver.models.acts.bargain_agent:BargainActsAgent",
        "bargain-words": "palaver.models.bargain.agent:BargainWordsAgent",
        "bargain-transformer": "palaver.models.bargain.agent:BargainWordsAgent",
        "bargain-words-reinforce": "palaver.models.bargain.agent:BargainWordsAgent",
        "friends-graph": "palaver.models.friends.agent:FriendsAgent",
        "friends-transformer": "palaver.models.friends.agent:FriendsAgent",
        "language-game": "palaver.models.language.player:LanguagePlayer",
    },
)
RESPONDERS: Registry[type[Responder]] = Registry(
    "kind of model that answers",
    "palaver.responders",
    {
        "dialeval-bilstm": "palaver.models.dialeval.responder:DialEvalResponder",
        "dialeval-turns": "palaver.models.dialeval.responder:DialEvalResponder",
        "advice-transformer": "palaver.models.advice.responder:AdviceResponder",
        "language-advice": "palaver.models.language.adviser:LanguageAdviser",
        "language-dialeval": "palaver.models.language.judge_responder:LanguageJudgeResponder",
        "majority": "palaver.models.baselines.responders:MajorityResponder",
        "return-context": "palaver.models.baselines.responders:ReturnContextResponder",
        "ngrams": "palaver.models.baselines.responders:TextResponder",
        "averages": "palaver.models.baselines.responders:TextResponder",
    },
)
