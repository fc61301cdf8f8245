"""Learning to look for a friend from dialogues, whichever network does so.

All views lie on the device. An epoch's order is drawn on the CPU; views of about as many turns are
learnt from together.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Generator, Tensor, nn

from palaver.models.chats import Chat, held_out, read_chats
from palaver.models.friends.network import FriendsReader
from palaver.models.friends.pairs import TablePair, pairs_of
from palaver.models.friends.self_play import FriendSeeker, seek_all
from palaver.models.friends.speech import Wording
from palaver.models.friends.tallies import (
    answer_figures,
    answer_tallies,
    read_measures,
    turn_losses,
    view_figures,
    view_tallies,
)
from palaver.models.friends.tensors import ViewBatch, ViewTensors
from palaver.models.friends.views import learnable, views_of
from palaver.models.friends.words import FriendsWords
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.settings import COUNT, NATURAL, Bounds, option


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendsTalkSettings:
    """Which words are known, what is held out, and how dialogues are learnt from."""

    least: int = option(1, "a word seen fewer times is unknown", COUNT)
    folds: int = option(10, "one dialogue in so many is held out", Bounds(least=2))
    reach: int = option(
        0, "exchanges that a gradient goes back through; 0: the whole dialogue", NATURAL
    )
    played: int = option(
        0, "dialogues of self-play after each epoch, about tables that are held out", NATURAL
    )
    licence: str = option("as its file says", "of the dialogues")


class FriendsLearner:
    """A reader whose loss is the mean over turns of the mean NLL of what is said."""

    watched = "loss"

    def __init__(
        self,
        network: FriendsReader,
        words: FriendsWords,
        chats: Sequence[Chat],
        *,
        settings: FriendsTalkSettings,
        material: LearnerMaterial,
    ) -> None:
        self.network: nn.Module = network
        self._reader = network
        self._words = words
        self._settings = settings
        self._material = material
        self._given = len(chats)
        learnt, held = held_out(
            learnable(chats), fold=material.fold, folds=settings.folds, seed=material.cut
        )
        self._learnt_chats, self._held_chats = learnt, held
        self.learnt = ViewTensors.of(views_of(learnt, words.known), words, material.device)
        self.held = ViewTensors.of(views_of(held, words.known), words, material.device)

    @property
    def steps(self) -> int:
        return math.ceil(len(self.learnt) / self._material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[ViewBatch]:
        """Views of about as many turns together, batches of equal size, in any order."""
        shuffled = torch.randperm(len(self.learnt), generator=dice)
        order = shuffled[self.learnt.turns[shuffled].argsort(stable=True)]
        batches = order.tensor_split(self.steps)
        for number in torch.randperm(self.steps, generator=dice).tolist():
            yield self.learnt.taken(batches[number])

    def loss(self, batch: ViewBatch) -> Tensor:
        summed, turns = [], []
        for turn in self._reader.read(batch, self._settings.reach):
            nll, words = turn_losses(turn.logits, turn.targets)
            summed.append((nll / words.clamp(min=1)).sum())
            turns.append((words > 0).sum())
        return torch.stack(summed).sum() / torch.stack(turns).sum().clamp(min=1)

    def measure(self) -> dict[str, float]:
        found = read_measures(view_tallies(self._reader, self.held))
        return {**found, **self._played()} if self._settings.played else found

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """How it reads the dialogues of some files, and what it would have said in them."""
        views = views_of(learnable(read_chats(files)), self._words.known)
        tensors = ViewTensors.of(views, self._words, self._material.device)
        seed = self._material.seed
        figures = view_figures(views, view_tallies(self._reader, tensors), seed=seed)
        dice = torch.Generator().manual_seed(seed)
        wording = Wording.of(self._words, FriendSeeker(network=self._reader).temperature)
        answers = answer_tallies(self._reader, tensors, wording, dice)
        return [*figures, *answer_figures(views, answers, seed=seed)]

    def words(self) -> Words:
        return self._words.written()

    def note(self) -> DataNote:
        return DataNote(
            about="Dialogues of MutualFriends in which the friend was found, as either side lived "
            "through them",
            counts=self._counts(),
            licence=self._settings.licence,
        )

    def _counts(self) -> Mapping[str, int]:
        kept = len(self._learnt_chats) + len(self._held_chats)
        return {
            "dialogues": kept,
            "dialogues held out": len(self._held_chats),
            "dialogues left out, of less than two turns or without success": self._given - kept,
            "turns learnt from": int(self.learnt.turns.sum()),
            "tokens learnt from, heard and said": int(self.learnt.lengths.sum()),
            "words in the vocabulary, marks included": len(self._words),
            "attributes": len(self._words.attributes),
            "values": len(self._words.known),
        }

    def _played(self) -> dict[str, float]:
        """The share of friends it finds with itself, about tables that are held out, and the moves
        that it takes."""
        dice = torch.Generator().manual_seed(self._material.seed)
        side = FriendSeeker(network=self._reader)
        played = seek_all(
            (side, side),
            _as_many(pairs_of(self._held_chats), self._settings.played),
            self._words,
            dice,
            device=self._material.device,
        )
        found = torch.cat([each.found for each in played]).double()
        moves = torch.cat([each.moves for each in played]).double()
        return {"found": float(found.mean()), "moves": float(moves.mean())}


def _as_many(pairs: Sequence[TablePair], count: int) -> list[TablePair]:
    """So many pairs, in their order, then the other way round, and so on."""
    both = [*pairs, *(pair.turned() for pair in pairs)]
    return [both[number % len(both)] for number in range(count)]
