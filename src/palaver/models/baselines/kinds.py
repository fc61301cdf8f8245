"""The four baselines as kinds of models, and the options of those that are trained step by step."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from palaver.core.errors import InputError
from palaver.models.baselines.bags import Bagger, HashedWords, WeighedWords
from palaver.models.baselines.examples import GoldExample, read_examples_of
from palaver.models.baselines.features import FeatureRow
from palaver.models.baselines.layout import TaskLayout
from palaver.models.baselines.network import AveragedVectors, LinearScores
from palaver.models.baselines.parts import ModelPart
from palaver.models.baselines.text_learner import TextLearner, divided
from palaver.models.baselines.text_model import TextModel, parts_of
from palaver.models.checkpoints.filling import fill
from palaver.models.checkpoints.folder import Checkpoint, check_model
from palaver.models.learner import Learner, LearnerMaterial
from palaver.models.recipe import read_recipe
from palaver.models.settings import COUNT, POSITIVE, Bounds, option

# What a checkpoint of somebody else may ask for: time and memory of an answer grow with both.
_RUN, _SPAN = Bounds(least=1, most=20), Bounds(least=1, most=1000)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Nothing to choose."""


@dataclass(frozen=True, slots=True)
class CountedWords:
    """Which words and runs of words count."""

    longest: int = option(2, "words in the longest run that is counted", _RUN)
    least: int = option(2, "texts, turns or words of contexts that a run must stand in", COUNT)
    most: int = option(200_000, "runs that are kept, the most frequent", COUNT)
    span: int = option(20, "words of the longest span that is answered", _SPAN)
    rows: int = option(2_000_000, "texts, turns or words of contexts that are learnt from", COUNT)


@dataclass(frozen=True, slots=True)
class LinearOptions:
    """The classifier over counted words."""

    strength: float = option(
        4.0, "what the penalty on weights is divided by: scikit-learn's C", POSITIVE
    )


@dataclass(frozen=True, slots=True)
class NGramOptions:
    """The sections of a recipe for `ngrams`."""

    words: CountedWords
    linear: LinearOptions


@dataclass(frozen=True, slots=True)
class HashedOptions:
    """How words and runs of words share vectors."""

    longest: int = option(2, "words in the longest run that has a vector", _RUN)
    buckets: int = option(1 << 15, "vectors; runs that fall into one share it", COUNT)
    span: int = option(20, "words of the longest span that is answered", _SPAN)
    rows: int = option(2_000_000, "texts, turns or words of contexts that are learnt from", COUNT)


@dataclass(frozen=True, slots=True)
class VectorOptions:
    """The vectors that are averaged."""

    width: int = option(20, "numbers in a vector", COUNT)


@dataclass(frozen=True, slots=True)
class AverageOptions:
    """The sections of a recipe for `averages`."""

    words: HashedOptions
    vectors: VectorOptions


class Majority:
    """The commonest answer."""

    about: ClassVar[str] = (
        "Answers with what is commonest: a label, the mean distribution, a place."
    )
    settings_type: ClassVar[type[Any]] = NoOptions

    def learner(self, settings: Any, material: LearnerMaterial) -> Learner:
        raise _counted_only("majority")


class ReturnContext:
    """What was asked, given back."""

    about: ClassVar[str] = "Gives the whole context back, or the last turn of the dialogue."
    settings_type: ClassVar[type[Any]] = NoOptions

    def learner(self, settings: Any, material: LearnerMaterial) -> Learner:
        raise _counted_only("return-context")


class TextKind(ABC):
    """What the two kinds that learn from words have in common."""

    name: ClassVar[str]

    def learner(self, settings: Any, material: LearnerMaterial) -> Learner:
        data = divided(read_examples_of(material.train), material.fold)
        parts = self.parts(settings, data.layout)
        if not parts:
            raise InputError(
                f"The task '{data.layout.task}' has no labels, distributions or spans to learn."
            )
        data = data.capped(parts, settings.words.rows, material.seed)
        dice = torch.Generator().manual_seed(material.seed)
        if material.start is not None:
            model = self.opened(material.start, material.device)
            if model.layout != data.layout:
                raise InputError(
                    f"{material.start.folder} answers the task '{model.layout.task}', and these are "
                    f"examples of '{data.layout.task}'."
                )
        else:
            baggers = [self.new_bagger(settings, part, _rows(part, data.learnt)) for part in parts]
            model = self._model(settings, data.layout, baggers, material.device, dice)
        return TextLearner(
            model,
            data,
            words=lambda: self.own_words(model),
            strength=self.strength(settings),
            batch=material.batch,
        )

    @staticmethod
    def check_test(settings: Any, files: Sequence[Path]) -> None:
        """InputError unless these are files of examples."""
        read_examples_of(files)

    def opened(self, checkpoint: Checkpoint, device: torch.device) -> TextModel:
        """The model that a checkpoint holds."""
        check_model(checkpoint, (self.name,))
        settings = read_recipe(checkpoint.recipe).settings
        layout = TaskLayout.from_words(checkpoint.words, where=str(checkpoint.folder))
        baggers = self.old_baggers(settings, self.parts(settings, layout), checkpoint)
        model = self._model(settings, layout, baggers, device, torch.Generator().manual_seed(0))
        fill(model.network, checkpoint)
        model.network.eval()
        return model

    def parts(self, settings: Any, layout: TaskLayout) -> list[ModelPart]:
        words = settings.words
        return parts_of(layout, longest=words.longest, most_words=words.span)

    @abstractmethod
    def new_bagger(
        self, settings: Any, part: ModelPart, rows: Callable[[], Iterator[FeatureRow]]
    ) -> Bagger:
        """What turns rows of a part into bags, made from those that are learnt from."""

    @abstractmethod
    def old_baggers(
        self, settings: Any, parts: Sequence[ModelPart], checkpoint: Checkpoint
    ) -> list[Bagger]:
        """What turned rows into bags when a checkpoint was trained."""

    @abstractmethod
    def scores(
        self, settings: Any, bagger: Bagger, part: ModelPart, dice: torch.Generator
    ) -> LinearScores | AveragedVectors:
        """A new network for a part."""

    def own_words(self, model: TextModel) -> dict[str, list[str]]:
        """What the vocabulary of a checkpoint holds beside the layout."""
        return {}

    def strength(self, settings: Any) -> float:
        """What the penalty on weights is divided by."""
        return 1.0

    def _model(
        self,
        settings: Any,
        layout: TaskLayout,
        baggers: Sequence[Bagger],
        device: torch.device,
        dice: torch.Generator,
    ) -> TextModel:
        parts = self.parts(settings, layout)
        networks = [
            self.scores(settings, bagger, part, dice)
            for bagger, part in zip(baggers, parts, strict=True)
        ]
        return TextModel(layout, parts, baggers, networks, device)


class NGrams(TextKind):
    """A linear classifier over counted words."""

    name = "ngrams"
    about: ClassVar[str] = "A linear classifier over words, pairs of words and overlap, by tf-idf."
    settings_type: ClassVar[type[Any]] = NGramOptions

    def new_bagger(
        self, settings: Any, part: ModelPart, rows: Callable[[], Iterator[FeatureRow]]
    ) -> Bagger:
        words = settings.words
        return WeighedWords.of(rows(), least=words.least, most=words.most, plain=part.plain)

    def old_baggers(
        self, settings: Any, parts: Sequence[ModelPart], checkpoint: Checkpoint
    ) -> list[Bagger]:
        weights = checkpoint.weights()
        found: list[Bagger] = []
        for n, part in enumerate(parts):
            words, idf = checkpoint.words.get(_features_key(n)), weights.get(f"{n}.idf")
            if words is None or idf is None or len(words) != len(idf):
                raise InputError(
                    f"{checkpoint.folder}: the vocabulary and the weights are not of one model."
                )
            found.append(WeighedWords(words, idf.tolist(), plain=part.plain))
        return found

    def scores(
        self, settings: Any, bagger: Bagger, part: ModelPart, dice: torch.Generator
    ) -> LinearScores | AveragedVectors:
        made = LinearScores(bagger.size, part.outputs)
        if isinstance(bagger, WeighedWords):
            made.idf.copy_(torch.tensor(bagger.idf, dtype=torch.float64))
        return made

    def own_words(self, model: TextModel) -> dict[str, list[str]]:
        return {
            _features_key(n): bagger.words
            for n, bagger in enumerate(model.baggers)
            if isinstance(bagger, WeighedWords)
        }

    def strength(self, settings: Any) -> float:
        found: float = settings.linear.strength
        return found


class WordAverages(TextKind):
    """Averaged vectors of words, as in fastText."""

    name = "averages"
    about: ClassVar[str] = "The mean of vectors of words and pairs, and a softmax, as in fastText."
    settings_type: ClassVar[type[Any]] = AverageOptions

    def new_bagger(
        self, settings: Any, part: ModelPart, rows: Callable[[], Iterator[FeatureRow]]
    ) -> Bagger:
        return HashedWords(settings.words.buckets)

    def old_baggers(
        self, settings: Any, parts: Sequence[ModelPart], checkpoint: Checkpoint
    ) -> list[Bagger]:
        buckets, width = settings.words.buckets, settings.vectors.width
        weights = checkpoint.weights()
        for n in range(len(parts)):
            vectors = weights.get(f"{n}.vectors")
            # Before a network of that size is made.
            if vectors is None or tuple(vectors.shape) != (buckets, width):
                raise InputError(f"{checkpoint.folder}: the recipe and the weights do not fit.")
        return [HashedWords(buckets) for _ in parts]

    def scores(
        self, settings: Any, bagger: Bagger, part: ModelPart, dice: torch.Generator
    ) -> LinearScores | AveragedVectors:
        width = settings.vectors.width
        return AveragedVectors(bagger.size, part.outputs, width=width, dice=dice)


def _rows(part: ModelPart, examples: Sequence[GoldExample]) -> Callable[[], Iterator[FeatureRow]]:
    return lambda: (row for each in examples for row in part.rows(each.question))


def _features_key(number: int) -> str:
    return f"features {number + 1}"


def _counted_only(kind: str) -> InputError:
    return InputError(
        f"A model of kind '{kind}' is counted, not trained step by step: "
        f"palaver model baseline TASK --only {kind}"
    )
