"""Learning to say the next turn of a bargain, from what people said.

All turns lie on the device as padded tensors, and an update takes turns of about the same length. An
epoch's order is drawn on the CPU.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional

from palaver.core.errors import InputError
from palaver.models.bargain.dialogues import (
    LEAST_MESSAGES,
    LEAST_WORDS,
    BargainCorpus,
    BargainDialogue,
    read_bargains,
)
from palaver.models.bargain.marks import BargainWords, bargain_words
from palaver.models.bargain.network import TurnSpeaker
from palaver.models.bargain.scenes import Sides
from palaver.models.bargain.tallies import (
    measured_turns,
    spoken_figures,
    turn_figures,
    turn_tallies,
)
from palaver.models.bargain.tensors import BargainTurns
from palaver.models.bargain.tokens import listing_words
from palaver.models.bargain.turns import (
    BargainView,
    ReadingLimits,
    ReadTurns,
    read_turns,
    view_of,
)
from palaver.models.learner import DataNote, LearnerMaterial, Words
from palaver.models.measured import MeasuredFigure
from palaver.models.settings import COUNT, NATURAL, Bounds, option


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainWordsSettings:
    """Which dialogues and words count, what is held out, and how turns come."""

    least: int = option(1, "a word said fewer times is unknown", COUNT)
    most: int = option(10_000, "words that are known at most, the most frequent", COUNT)
    least_listed: int = option(5, "a word of listings seen fewer times is unknown", COUNT)
    price_step: float = option(
        0.01, "how far prices that are told apart lie apart on a side's scale", Bounds(0.01, 1)
    )
    least_words: int = option(
        LEAST_WORDS, "a dialogue in which nobody writes so many words is skipped", NATURAL
    )
    least_messages: int = option(
        LEAST_MESSAGES, "one in which somebody writes fewer messages is skipped", NATURAL
    )
    by_rules: bool = option(
        True, "turns are learnt as far as our rules leave room for them; no: as they were held"
    )
    turn: int = option(80, "words of a turn that are read", Bounds(least=4))
    title: int = option(20, "words of a title that are read", COUNT)
    description: int = option(150, "words of a description that are read", COUNT)
    folds: int = option(10, "one dialogue in so many is held out", Bounds(least=2))
    mixing: float = option(
        0.2, "lengths in a batch differ by about this share; 0: as little as can be", NATURAL
    )
    licence: str = option("as its file says", "of the dialogues")

    @property
    def limits(self) -> ReadingLimits:
        return ReadingLimits(turn=self.turn, title=self.title, description=self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainViews:
    """Both views of the dialogues to learn from, and of those held out; and what the card says."""

    learnt: Sequence[ReadTurns]
    held: Sequence[ReadTurns]
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def learnt_sides(self) -> list[Sides]:
        """What the dialogues to learn from are about, each scenario once."""
        return _sides(self.learnt)

    @property
    def held_sides(self) -> list[Sides]:
        """What those are about that are held out."""
        return _sides(self.held)

    @classmethod
    def of(cls, corpus: BargainCorpus) -> "BargainViews":
        return cls(
            learnt=both_views(corpus.learnt), held=both_views(corpus.held), counts=corpus.counts
        )


class TurnLearner:
    """A network whose loss is the mean NLL of the words of its own turns."""

    watched = "perplexity"

    def __init__(
        self,
        network: TurnSpeaker,
        words: BargainWords,
        views: BargainViews,
        *,
        settings: BargainWordsSettings,
        material: LearnerMaterial,
    ) -> None:
        self.network: nn.Module = network
        self.vocabulary = words
        self._speaker, self.views = network, views
        self._settings, self._material = settings, material
        _, self.learnt = self._tensors(views.learnt)
        _, self.held = self._tensors(views.held)
        if not len(self.learnt) or not len(self.held):
            raise InputError(
                "There is no turn to learn, or none to measure on: nobody answers anybody. Give other "
                "dialogues, or more of them."
            )

    @property
    def steps(self) -> int:
        return math.ceil(len(self.learnt) / self._material.batch)

    def updates(self, epoch: int, dice: Generator) -> Iterator[Tensor]:
        """Turns of about the same length together, batches of equal size, in any order."""
        sizes = self.learnt.sizes
        shuffled = torch.randperm(len(sizes), generator=dice)
        longer = 1 + self._settings.mixing * torch.rand(len(sizes), generator=dice)
        order = shuffled[(sizes[shuffled] * longer).argsort(stable=True)]
        batches = order.tensor_split(self.steps)
        for number in torch.randperm(self.steps, generator=dice).tolist():
            yield batches[number]

    def loss(self, batch: Tensor) -> Tensor:
        turns = self.learnt.taken(batch)
        where, targets = turns.targets()
        logits = self._speaker.foreseen(turns.situation, turns.inputs, where)
        return functional.cross_entropy(logits.float(), targets)

    def measure(self) -> dict[str, float]:
        return measured_turns(turn_tallies(self._speaker, self.held))

    def test(self, files: Sequence[Path]) -> list[MeasuredFigure]:
        """Figures on dialogues of people, and on turns that it says where people had said theirs."""
        dialogues = long_enough(read_bargains(files), self._settings)
        seed = self._material.seed
        views, turns = self._tensors(both_views(dialogues))
        read = turn_figures(views, turns, turn_tallies(self._speaker, turns), seed=seed)
        return [*read, *spoken_figures(self._speaker, views, turns, self.vocabulary, seed=seed)]

    def words(self) -> Words:
        return {"said": self.vocabulary.said.words, "listed": self.vocabulary.listed.words}

    def note(self) -> DataNote:
        return DataNote(
            about="Dialogues of CraigslistBargain, a view for either side",
            counts={
                **self.views.counts,
                "turns to learn": len(self.learnt),
                "turns held out": len(self.held),
                "words of turns in the vocabulary": len(self.vocabulary.said),
                "words of listings in the vocabulary": len(self.vocabulary.listed),
            },
            licence=self._settings.licence,
        )

    def _tensors(self, read: Sequence[ReadTurns]) -> tuple[list[BargainView], BargainTurns]:
        settings = self._settings
        views = [view_of(each, self.vocabulary, settings.limits) for each in read]
        turns = BargainTurns.of(
            views,
            earlier=self._speaker.earlier,
            device=self._material.device,
            by_rules=settings.by_rules,
        )
        return views, turns


def words_of(views: Sequence[ReadTurns], settings: BargainWordsSettings) -> BargainWords:
    """The vocabularies of both views of some dialogues, in which prices have words of their own."""
    return bargain_words(
        ([each for each in turn if isinstance(each, str)] for v in views for turn in v.said[1::2]),
        (listing_words([view.side.title, *view.side.description]) for view in views),
        price_step=settings.price_step,
        least=settings.least,
        most=settings.most,
        least_listed=settings.least_listed,
    )


def both_views(dialogues: Sequence[BargainDialogue]) -> list[ReadTurns]:
    """What either side of each dialogue has heard and said."""
    return [read_turns(each, seat) for each in dialogues for seat in (0, 1)]


def _sides(views: Sequence[ReadTurns]) -> list[Sides]:
    pairs = zip(views[::2], views[1::2], strict=True)
    return list(dict.fromkeys((first.side, second.side) for first, second in pairs))


def long_enough(
    dialogues: Sequence[BargainDialogue], settings: BargainWordsSettings
) -> list[BargainDialogue]:
    """The dialogues that are not too short; InputError where all are."""
    kept = [
        each
        for each in dialogues
        if not each.is_short(
            least_words=settings.least_words, least_messages=settings.least_messages
        )
    ]
    if not kept:
        raise InputError(
            f"All {len(dialogues):,} dialogues are too short: give others, or set 'data.least_words' "
            "and 'data.least_messages'."
        )
    return kept
