"""The kind of model that learns to advise, as recipes name it, and its network from a checkpoint."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch

from palaver.core.errors import InputError
from palaver.models.advice.adviser import Adviser
from palaver.models.advice.cases import read_advised
from palaver.models.advice.inputs import target_text
from palaver.models.advice.joining import learnt_merges
from palaver.models.advice.learner import (
    AdviceLearner,
    AdviceReading,
    AdviceSplit,
    measured_on,
    split_cases,
)
from palaver.models.advice.network import EncoderDecoder, EncoderDecoderSettings
from palaver.models.advice.pieces import WordPieces
from palaver.models.advice.writing import AdvicePanel, AdviceWriting
from palaver.models.checkpoints.filling import fill, filled
from palaver.models.checkpoints.folder import Checkpoint, check_model
from palaver.models.learner import LearnerMaterial
from palaver.models.measured import MeasuredFigure
from palaver.models.recipe import read_recipe

KINDS = ("advice-transformer",)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceSettings:
    """Sections of a recipe."""

    data: AdviceReading
    network: EncoderDecoderSettings
    answers: AdviceWriting


class AdviceTransformer:
    """An encoder and a decoder, trained from nothing."""

    about: ClassVar[str] = "Transformer that reads a situation and writes advice, in the form of T5"
    settings_type: ClassVar[type[AdviceSettings]] = AdviceSettings

    def learner(self, settings: AdviceSettings, material: LearnerMaterial) -> AdviceLearner:
        """A learner with fresh weights, or with those it starts from."""
        split = split_cases(settings.data, material)
        pieces = _pieces(settings, material, split)
        network = EncoderDecoder(len(pieces), settings.network)
        if material.start is not None:
            fill(network, material.start)
        return AdviceLearner(
            network=network.to(material.device),
            pieces=pieces,
            reading=settings.data,
            writing=settings.answers,
            split=split,
            material=material,
        )

    @staticmethod
    def check_test(settings: AdviceSettings, files: Sequence[Path]) -> None:
        """InputError unless these are files of situations with advice."""
        read_advised(files)

    @staticmethod
    def ensemble_test(
        checkpoints: Sequence[Checkpoint], files: Sequence[Path], device: torch.device
    ) -> list[MeasuredFigure]:
        """Figures of several members that advise as one."""
        return measured_on(adviser_of(checkpoints, device), files)


def adviser_of(checkpoints: Sequence[Checkpoint], device: torch.device) -> Adviser:
    """What advises from checkpoints, which answer as one; CheckpointError where they cannot."""
    for each in checkpoints:
        check_model(each, KINDS)
    first, *others = checkpoints
    pieces = WordPieces.from_words(first.words, where=str(first.folder))
    for each in others:
        if list(each.words.get("words", ())) != pieces.words:
            raise InputError(
                f"{first.folder} and {each.folder} have different vocabularies and cannot advise as "
                "one. Give one of them, or members that were trained together."
            )
    settings = advice_settings(first)
    networks = [network_of(each, len(pieces)).to(device) for each in checkpoints]
    return Adviser(
        panel=AdvicePanel(networks),
        pieces=pieces,
        source=settings.data.source,
        target=settings.data.target,
        writing=settings.answers,
        device=device,
    )


def network_of(checkpoint: Checkpoint, pieces: int) -> EncoderDecoder:
    """The network of a checkpoint with its weights, on the CPU, in eval mode."""
    settings = advice_settings(checkpoint)
    return filled(lambda: EncoderDecoder(pieces, settings.network), checkpoint).eval()


def advice_settings(checkpoint: Checkpoint) -> AdviceSettings:
    """The sections of a checkpoint's recipe."""
    settings: AdviceSettings = read_recipe(checkpoint.recipe).settings
    return settings


def _pieces(settings: AdviceSettings, material: LearnerMaterial, split: AdviceSplit) -> WordPieces:
    """The vocabulary of all situations, the same for all members; that of a start is taken over."""
    if material.start is not None:
        check_model(material.start, KINDS)
        return WordPieces.from_words(material.start.words, where=str(material.start.folder))
    cases = sorted([*split.learnt, *split.held], key=lambda case: case.key)
    texts = (
        target_text(text)
        for case in cases
        for text in (case.question.title, case.question.text, *case.advice)
    )
    return WordPieces(learnt_merges(texts, settings.data.pieces))
