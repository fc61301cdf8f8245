"""What a diagnosis holds, whatever was trained: tables of figures, samples beside data, pictures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import torch

from palaver.core.registry import Registry
from palaver.core.words import decimals, measured, percent, readable
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError
from palaver.models.measured import MeasuredFigure

# From which strength on a number stands beside a word.
_TOLD = 0.3
# Full strength is that of the strongest word, but so many even shares or more: where all words weigh
# alike, none stands out.
_EVEN_SHARES = 4
# So many nodes of a graph are told in words.
_TOLD_NODES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRequest:
    """What to look at a checkpoint with."""

    checkpoint: Checkpoint
    device: torch.device
    # Files that nobody trained on, as training takes them.
    files: tuple[Path, ...] = ()
    # What self-play is about, and with whom; without, what the game makes and the model itself.
    scenarios: Path | None = None
    against: Checkpoint | None = None
    dialogues: int = 256
    rollouts: int = 0
    temperature: float = 0.5
    samples: int = 4
    seed: int = 1

    @property
    def file_names(self) -> str:
        return ", ".join(path.name for path in self.files)

    def told_files(self) -> str:
        """A sentence on whether the files were trained on, as far as their content tells."""
        learnt = set(self.checkpoint.data.values())
        known = [
            each.name for each in self.files if sha256(each.read_bytes()).hexdigest() in learnt
        ]
        if known:
            return (
                f"It was trained on {', '.join(known)}, so that this says little of new dialogues."
            )
        return "It was not trained on this file." if len(self.files) == 1 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureColumn:
    """A column of figures of one name; a share is written as a percentage, and points or counts with
    two digits, however small."""

    name: str
    heading: str
    is_share: bool = False
    is_amount: bool = False

    def text(self, figure: MeasuredFigure) -> str:
        """A figure as it is told, with its interval, unless all that was drawn anew was alike."""
        write = percent if self.is_share else readable if self.is_amount else None
        return measured(figure.value, figure.low, figure.high, write=write)

    def text_of(self, value: float) -> str:
        """A number that others have published, with the digits they gave."""
        return percent(value) if self.is_share else f"{value:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """A row of a table: what was looked at, and its figures by name."""

    title: str
    figures: dict[str, MeasuredFigure]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """What others have published, by the name of a column."""

    title: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTable:
    """Figures that belong together; some columns are drawn as pictures, too."""

    title: str
    caption: str
    columns: tuple[FigureColumn, ...]
    rows: tuple[FigureRow, ...]
    published: tuple[PublishedRow, ...] = ()
    source: str = ""
    drawn: tuple[str, ...] = ()

    def told(self, name: str) -> str:
        """The figure of that name in the first row, as its column tells it."""
        column = next(each for each in self.columns if each.name == name)
        return column.text(self.rows[0].figures[name])

    def known_columns(self) -> Iterator[tuple[FigureColumn, MeasuredFigure]]:
        """The columns that a row has, each with the first figure, which says what is counted."""
        for column in self.columns:
            figures = (row.figures[column.name] for row in self.rows if column.name in row.figures)
            first = next(figures, None)
            if first is not None:
                yield column, first


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePair:
    """Something of the model beside something of the data, line by line, on the same matter."""

    about: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSet:
    """Samples of one kind, with what stands on either side."""

    title: str
    ours: str
    theirs: str
    pairs: tuple[SamplePair, ...]


@dataclass(frozen=True, slots=True)
class LabelShare:
    """How probable a label is to the model, and which share of people gave it, if any were asked."""

    label: str
    ours: float
    theirs: float | None = None

    def text(self) -> str:
        """The share of the model, and in brackets that of people."""
        theirs = "" if self.theirs is None else f" ({percent(self.theirs, 0)})"
        return f"{percent(self.ours, 0)}{theirs}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPart:
    """A part of something that was judged: what it is, its text, and the shares of its labels."""

    name: str
    text: str
    shares: tuple[LabelShare, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSample:
    """Something that was judged in parts."""

    title: str
    parts: tuple[JudgedPart, ...]


@dataclass(frozen=True, slots=True)
class ShadedWord:
    """A word with its weight, and with its strength from 0 to 1, as it is shaded."""

    word: str
    weight: float
    strength: float

    @property
    def shade(self) -> int:
        """How dark it is, from 0 to 9."""
        return round(9 * min(1.0, max(0.0, self.strength)))

    @property
    def is_told(self) -> bool:
        """Whether the weight stands beside the word."""
        return self.strength >= _TOLD


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line of a picture: who speaks, or what the words are for, and the words."""

    head: ShadedWord
    words: tuple[ShadedWord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPicture:
    """Words by strength: where a model looks in a dialogue, or which words count for what."""

    title: str
    caption: str
    lines: tuple[PictureLine, ...]
    # Whether weights are shares of a whole, and not just numbers.
    is_share: bool = True

    def weight(self, word: ShadedWord) -> str:
        """The weight of a word as it is told."""
        return percent(word.weight, 0) if self.is_share else decimals(word.weight, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphNode:
    """Something in a graph: its label, the column and the place in it where it is drawn."""

    label: str
    column: int
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphTurn:
    """What was heard and said in one turn, and what a model looked at meanwhile.

    `weights` are those of the nodes, of which None is not known yet; `named` are nodes that were heard
    of in this turn.
    """

    title: str
    heard: str
    said: str
    weights: tuple[float | None, ...]
    named: frozenset[int] = frozenset()

    @property
    def full(self) -> float:
        """The weight that is drawn most strongly."""
        return full_strength([each or 0.0 for each in self.weights])

    def told(self, graph: "GraphPicture") -> str:
        """The nodes that weigh most, in words."""
        heavy = sorted(
            ((weight, n) for n, weight in enumerate(self.weights) if weight is not None),
            key=lambda each: (-each[0], each[1]),
        )
        told = [
            f"{graph.nodes[n].label} {percent(weight, 0)}"
            for weight, n in heavy[:_TOLD_NODES]
            if weight >= _TOLD * self.full
        ]
        return ", ".join(told)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphPicture:
    """What a model knows as a graph, turn by turn: nodes in columns, and lines between them."""

    title: str
    caption: str
    columns: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[tuple[int, int], ...]
    turns: tuple[GraphTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All of it; `headline` is the first thing to know."""

    name: str
    headline: str
    about: str
    tables: tuple[FigureTable, ...] = ()
    pictures: tuple[WordPicture, ...] = ()
    graphs: tuple[GraphPicture, ...] = ()
    samples: tuple[SampleSet, ...] = ()
    judged: tuple[JudgedSample, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def has_people(self) -> bool:
        """Whether people judged anything that the model judged."""
        parts = (part for sample in self.judged for part in sample.parts)
        return any(each.theirs is not None for part in parts for each in part.shares)


class Examiner(Protocol):
    """Looks at checkpoints of one kind of model."""

    def __call__(self, request: DiagnosisRequest) -> Diagnosis: ...


EXAMINERS: Registry[Examiner] = Registry(
    "examiner of models",
    "palaver.examiners",
    {
        "deal-talk": "palaver.models.deal.examination:examine",
        "deal-transformer": "palaver.models.deal.examination:examine",
        "deal-reinforce": "palaver.models.deal.examination:examine",
        "deal-acts": "palaver.models.acts.examination:examine",
        "deal-acts-reinforce": "palaver.models.acts.examination:examine",
        "bargain-acts": "palaver.models.acts.examination:examine",
        "bargain-acts-reinforce": "palaver.models.acts.examination:examine",
        "bargain-words": "palaver.models.bargain.examination:examine",
        "bargain-transformer": "palaver.models.bargain.examination:examine",
        "bargain-words-reinforce": "palaver.models.bargain.examination:examine",
        "friends-graph": "palaver.models.friends.examination:examine",
        "friends-transformer": "palaver.models.friends.examination:examine",
        "dialeval-bilstm": "palaver.models.dialeval.examination:examine",
        "dialeval-turns": "palaver.models.dialeval.examination:examine",
        "advice-transformer": "palaver.models.advice.examination:examine",
        "language-game": "palaver.models.language.examination:examine",
        "language-advice": "palaver.models.language.examination:examine",
        "language-dialeval": "palaver.models.language.judge_examination:examine",
        "ngrams": "palaver.models.baselines.examination:examine",
    },
)


def diagnose(request: DiagnosisRequest) -> Diagnosis:
    """What there is to know of a checkpoint; CheckpointError for a kind that nobody examines."""
    checkpoint, known = request.checkpoint, EXAMINERS.names()
    if checkpoint.model not in known:
        raise CheckpointError(
            f"{checkpoint.folder} holds a model of kind '{checkpoint.model}', which keeps nothing "
            f"that could be shown. Kinds that can be diagnosed: {', '.join(known)}. How it was "
            "measured stands in its README.md."
        )
    found = EXAMINERS.get(checkpoint.model)(request)
    if checkpoint.measured.get("finished") is False:
        notes = ("Its training is not finished; these are the best weights so far.", *found.notes)
        found = replace(found, notes=notes)
    return found


def full_strength(weights: Sequence[float]) -> float:
    """The weight that is shaded most, of weights that are shares of a whole."""
    return max(*weights, _EVEN_SHARES * sum(weights) / len(weights))


def shaded(words: Sequence[str], weights: Sequence[float], full: float) -> tuple[ShadedWord, ...]:
    """Words by weight; `full` is the weight that is shaded most."""
    return tuple(
        ShadedWord(word, weight, weight / full if full > 0 else 0.0)
        for word, weight in zip(words, weights, strict=True)
    )
