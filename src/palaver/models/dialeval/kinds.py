"""The kinds of DialEval models, as recipes name them: their sections, and how they are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from torch import nn

from palaver.core.errors import InputError
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import Checkpoint, check_model
from palaver.models.dialeval.answers import Judge
from palaver.models.dialeval.bilstm import DialogueBiLstm
from palaver.models.dialeval.dialogues import SENDERS, HelpDialogue, read_labelled
from palaver.models.dialeval.learner import (
    DialEvalAnswers,
    DialEvalLearner,
    DialEvalLoss,
    DialEvalReading,
    measured_on,
    read_parts,
)
from palaver.models.dialeval.panel import JudgePanel
from palaver.models.dialeval.tensors import as_tensors, vocabulary_of
from palaver.models.dialeval.turns import TurnAttention
from palaver.models.learner import LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import read_recipe
from palaver.models.settings import COUNT, LAYERS, NATURAL, SHARE, option
from palaver.models.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, kw_only=True)
class BiLstmNetwork:
    """The network of the baseline; the defaults are the published sizes."""

    words: int = option(100, "size of a word's vector", COUNT)
    hidden: int = option(150, "units of an LSTM, in each direction", COUNT)
    layers: int = option(3, "BiLSTMs on top of each other", LAYERS)
    dropout: float = option(0.3, "of a layer's states, the same in all turns of a dialogue", SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsNetwork:
    """The network that attends to turns."""

    words: int = option(128, "size of a word's vector", COUNT)
    picks: int = option(2, "how often attention picks among the words of a turn", COUNT)
    phrases: int = option(0, "detectors of phrases of three words; 0: none", NATURAL)
    width: int = option(128, "size of a turn's state", COUNT)
    layers: int = option(2, "Transformer blocks over the turns", LAYERS)
    heads: int = option(4, "heads of a block", COUNT)
    dropout: float = option(0.2, "inside the blocks", SHARE)
    word_dropout: float = option(0.1, "of whole words", SHARE)
    recurrent: int = option(
        0, "units of a BiLSTM that judges beside it, averaged; 0: none", NATURAL
    )
    recurrent_layers: int = option(3, "BiLSTMs on top of each other", LAYERS)
    recurrent_dropout: float = option(0.3, "of their states", SHARE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiLstmSettings:
    """The sections of a recipe for the baseline."""

    data: DialEvalReading
    network: BiLstmNetwork
    loss: DialEvalLoss
    answers: DialEvalAnswers

    def new_network(self, vocabulary: int) -> nn.Module:
        """A network for so many words, its weights by chance."""
        given = self.network
        return DialogueBiLstm(
            vocabulary=vocabulary,
            words=given.words,
            hidden=given.hidden,
            layers=given.layers,
            dropout=given.dropout,
            tasks=self.data.learnt,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsSettings:
    """The sections of a recipe for the model that attends to turns."""

    data: DialEvalReading
    network: TurnsNetwork
    loss: DialEvalLoss
    answers: DialEvalAnswers

    def new_network(self, vocabulary: int) -> nn.Module:
        """A network for so many words, its weights by chance."""
        attention = self._attention(vocabulary)
        if not self.network.recurrent:
            return attention
        return JudgePanel([attention, self._recurrent(vocabulary)])

    def _attention(self, vocabulary: int) -> nn.Module:
        given = self.network
        if given.width % given.heads:
            raise InputError(
                f"'network.heads' share 'network.width' equally; {given.heads} do not divide "
                f"{given.width}."
            )
        return TurnAttention(
            vocabulary=vocabulary,
            words=given.words,
            picks=given.picks,
            phrases=given.phrases,
            width=given.width,
            layers=given.layers,
            heads=given.heads,
            dropout=given.dropout,
            word_dropout=given.word_dropout,
            tasks=self.data.learnt,
        )

    def _recurrent(self, vocabulary: int) -> nn.Module:
        given = self.network
        return DialogueBiLstm(
            vocabulary=vocabulary,
            words=given.words,
            hidden=given.recurrent,
            layers=given.recurrent_layers,
            dropout=given.recurrent_dropout,
            tasks=self.data.learnt,
        )


DialEvalSettings = BiLstmSettings | TurnsSettings


class DialEvalKind:
    """What both kinds do alike: make a learner, and test an average of members."""

    def learner(self, settings: DialEvalSettings, material: LearnerMaterial) -> DialEvalLearner:
        """A learner on the device, with fresh weights of the seed or with those it starts from."""
        settings.loss.check(settings.data.learnt)
        learnt, held_out = read_parts(settings.data, material)
        _check_sides(settings.data, held_out)
        vocabulary = _vocabulary(settings, material, learnt)
        most = settings.data.words
        return DialEvalLearner(
            network=_network(settings, material, len(vocabulary)).to(material.device),
            data=settings.data,
            weights=settings.loss,
            answers=settings.answers,
            vocabulary=vocabulary,
            learnt=as_tensors(learnt, vocabulary, most=most).on(material.device),
            held_out=as_tensors(held_out, vocabulary, most=most).on(material.device),
            ids=frozenset(dialogue.id for dialogue in (*learnt, *held_out)),
            batch=material.batch,
            device=material.device,
        )

    @staticmethod
    def check_test(settings: DialEvalSettings, files: Sequence[Path]) -> None:
        """InputError unless the dialogues of these files have labels of what is learnt."""
        learnt = settings.data.learnt
        read_labelled(files, nugget="nugget" in learnt, quality="quality" in learnt)

    @staticmethod
    def ensemble_test(
        checkpoints: Sequence[Checkpoint], files: Sequence[Path], device: torch.device
    ) -> list[MeasuredFigure]:
        """Figures of the average of several members on files nobody trained on."""
        judges = [judge_of(each, device) for each in checkpoints]
        return measured_on(judges, files, dialeval_settings(checkpoints[0]).data, device=device)


class DialEvalBiLstm(DialEvalKind):
    """The baseline of the shared task."""

    about: ClassVar[str] = "DialEval: sums of word vectors, three stacked BiLSTMs over the turns"
    settings_type: ClassVar[type[BiLstmSettings]] = BiLstmSettings


class DialEvalTurns(DialEvalKind):
    """Our own model of the tasks."""

    about: ClassVar[str] = "DialEval: attention over words and turns, trained on the distances"
    settings_type: ClassVar[type[TurnsSettings]] = TurnsSettings


KINDS = ("dialeval-bilstm", "dialeval-turns")


def network_of(checkpoint: Checkpoint) -> nn.Module:
    """The network of a checkpoint on the CPU, in eval mode."""
    check_model(checkpoint, KINDS)
    settings, words = dialeval_settings(checkpoint), len(checkpoint.words.get("words", ()))
    return filled(lambda: settings.new_network(words), checkpoint).eval()


def judge_of(checkpoint: Checkpoint, device: torch.device) -> Judge:
    """What answers from a checkpoint, on the device."""
    network, settings = network_of(checkpoint), dialeval_settings(checkpoint)
    return Judge(
        network=network.to(device),
        vocabulary=Vocabulary(checkpoint.words["words"]),
        most=settings.data.words,
        least_share=settings.answers.least_share,
    )


def dialeval_settings(checkpoint: Checkpoint) -> DialEvalSettings:
    """The sections of a checkpoint's recipe."""
    settings: DialEvalSettings = read_recipe(checkpoint.recipe).settings
    return settings


def _check_sides(reading: DialEvalReading, held_out: Sequence[HelpDialogue]) -> None:
    """InputError if nuggets are learnt and no dialogue held out has a score of them."""
    if "nugget" not in reading.learnt:
        return
    if not any(len({turn.sender for turn in each.turns}) == len(SENDERS) for each in held_out):
        raise InputError(
            f"In each dialogue held out, {len(held_out)} of them, one side never speaks, and the score "
            "of nuggets needs both. Give dialogues of both sides, or learn quality alone: "
            "data.tasks=quality."
        )


def _vocabulary(
    settings: DialEvalSettings, material: LearnerMaterial, learnt: Sequence[HelpDialogue]
) -> Vocabulary:
    """The words of the training data; of a checkpoint that training starts from, its own."""
    if material.start is not None:
        check_model(material.start, KINDS)
        return Vocabulary(material.start.words["words"])
    return vocabulary_of(learnt, least=settings.data.least, most=settings.data.words)


def _network(settings: DialEvalSettings, material: LearnerMaterial, words: int) -> nn.Module:
    # The dice of whoever calls stay as they are.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(material.seed)
        network = settings.new_network(words)
    if material.start is not None:
        fill(network, material.start)
    return network
