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
    """How words are chosen: by chance, sharpened by the temperature, or among rollouts."""

    temperature: float = 0.5
    # How many messages are tried out, and how often each; no rollouts with fewer than two.
    candidates: int = 0
    continuations: int = 3


class Talker(Protocol):
    """A model at the seats of a game. It remembers nothing: it is told all events each time."""

    # The name of the game that it plays.
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
    },
)
RESPONDERS: Registry[type[Responder]] = Registry(
    "kind of model that answers",
    "palaver.responders",
    {
        "dialeval-bilstm": "palaver.models.dialeval.responder:DialEvalResponder",
        "dialeval-turns": "palaver.models.dialeval.responder:DialEvalResponder",
        "majority": "palaver.models.baselines.responders:MajorityResponder",
        "return-context": "palaver.models.baselines.responders:ReturnContextResponder",
        "ngrams": "palaver.models.baselines.responders:TextResponder",
        "averages": "palaver.models.baselines.responders:TextResponder",
    },
)
