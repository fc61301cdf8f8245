"""`kind: checkpoint`: a model that was trained here, from its folder, in this process.

In a dialogue it is given events and makes moves of the one game that it learnt; on a task it answers
questions in batches. Who does so for a kind of model is found by name (`models/faces`).
"""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.core.events import Move
from palaver.core.protocols import DraftListener, Place
from palaver.models.connectors.loading import CheckpointOptions, LoadedModel
from palaver.models.faces import RESPONDERS, TALKERS, Decoding, Responder, Talker
from palaver.systems.answers import match
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CallOptions, CodeOptions, PredictorOptions
from palaver.systems.reach import Reach
from palaver.systems.registry import Question
from palaver.systems.transcript import TranscriptSession


class CheckpointChatOptions(CheckpointOptions):
    """How the model chooses its words."""

    timeout: float = Field(
        default=120.0,
        gt=0,
        le=600,
        description="how many seconds one attempt at an answer may take",
    )
    concurrency: int = Field(
        default=1, ge=1, le=64, description="answers the model may work on at the same time"
    )
    temperature: float = Field(default=0.5, ge=0, le=5, description="0: always the likeliest word")
    nucleus: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="words are drawn from the likeliest that make up this share; 1: from all",
    )
    beam: int = Field(
        default=0,
        ge=0,
        le=50,
        description="turns kept side by side in a search for the likeliest, instead of chance; fewer "
        "than 2: none",
    )
    rollouts: int = Field(
        default=0,
        ge=0,
        le=100,
        description="messages that it tries out to their end before it says the best of them; "
        "fewer than 2: none",
    )
    continuations: int = Field(
        default=3, ge=1, le=100, description="how often it tries each of them out"
    )

    @property
    def decoding(self) -> Decoding:
        return Decoding(
            temperature=self.temperature,
            nucleus=self.nucleus,
            beam=self.beam,
            candidates=self.rollouts,
            continuations=self.continuations,
        )


class CheckpointModelOptions(CodeOptions, CheckpointOptions):
    """How many questions the model answers at once."""

    batch: int = Field(default=64, ge=1, le=10_000, description="how many questions one call takes")


class CheckpointSystem:
    """A system that was trained here."""

    options_type: ClassVar[type[CallOptions]] = CheckpointChatOptions
    reach: ClassVar[Reach] = "folder"
    makes_moves: ClassVar[bool] = True

    def __init__(self, options: CheckpointChatOptions, *, folder: Path) -> None:
        self.checkpoint = options.opened(folder, what="system", kinds=TALKERS.names())
        self.decoding = options.decoding
        self.talker: LoadedModel[Talker] = LoadedModel(
            lambda device: TALKERS.get(self.checkpoint.model)(self.checkpoint.all, device),
            options,
            helps="Fewer 'rollouts' or 'continuations', or 'device: cpu', take less.",
        )

    @property
    def only_game(self) -> str:
        """The game that it learnt; it plays no other."""
        learnt = self.checkpoint.all[0].words.get("game") or [""]
        return TALKERS.get(self.checkpoint.model).game or learnt[0]

    def new_session(self, place: Place) -> "CheckpointSession":
        return CheckpointSession(self, place)

    async def close(self) -> None:
        await self.talker.close()


class CheckpointSession(TranscriptSession[CheckpointSystem]):
    """One dialogue with the model, which is told all of it for each answer."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The moves that the model makes now."""
        place, events = self.transcript.place, tuple(self.transcript.events)
        dice = random.Random(f"{place.dialogue}:{place.seat}:{len(events)}")
        decoding = self._system.decoding

        def reply(talker: Talker) -> list[Move]:
            game = place.scenario.game
            if game != talker.game:
                told = f"The model plays the game '{talker.game}' and no other; this is '{game}'."
                raise AttemptError("refused", told, may_pass=False)
            return talker.reply(place, events, dice, decoding)

        return await self._system.talker.ask(reply)


class CheckpointModel:
    """A model that was trained here."""

    options_type: ClassVar[type[PredictorOptions]] = CheckpointModelOptions
    # The option that names the folder it runs from, which is kept as that version of the model.
    folder_option: ClassVar[str] = "checkpoint"

    def __init__(self, options: CheckpointModelOptions, *, folder: Path) -> None:
        checkpoint = options.opened(folder, what="model", kinds=RESPONDERS.names())
        self._responder: LoadedModel[Responder] = LoadedModel(
            lambda device: RESPONDERS.get(checkpoint.model)(checkpoint.all, device),
            options,
            helps="A smaller 'batch', or 'device: cpu', takes less.",
        )

    @property
    def ready(self) -> bool:
        return self._responder.is_loaded

    async def start(self) -> None:
        """Load the model."""
        await self._responder.load()

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        records = await self._responder.ask(lambda responder: responder.answer(questions))
        return match(records, questions)

    def memory(self) -> None:
        """Not known: it is part of this process."""

    async def close(self) -> None:
        await self._responder.close()
