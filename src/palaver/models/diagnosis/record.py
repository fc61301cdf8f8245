"""What a diagnosis holds, whatever was trained: tables of figures, samples beside data, pictures."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from palaver.core.registry import Registry
from palaver.models.checkpoints.folder import Checkpoint
from palaver.models.learner import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisRequest:
    """What to look at a checkpoint with."""

    checkpoint: Checkpoint
    device: torch.device
    # Files that nobody trained on, as training takes them.
    files: tuple[Path, ...] = ()
    # What self-play is about, and with whom; without, what the game makes and the model itself.
    scenarios: tuple[Path, ...] = ()
    against: Checkpoint | None = None
    dialogues: int = 256
    rollouts: int = 0
    temperature: float = 0.5
    samples: int = 4
    seed: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """A row of a table: what was looked at, and its figures by name."""

    title: str
    figures: dict[str, Figure]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureTable:
    """Figures that belong together; `columns` are names of figures with their headings."""

    title: str
    caption: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[FigureRow, ...]
    # Figures of others beside it: a title and a text by the name of a column.
    published: tuple[tuple[str, dict[str, str]], ...] = ()
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePair:
    """Something of the model beside something of the data, line by line."""

    ours: tuple[str, ...]
    theirs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSet:
    """Samples of one kind, with what stands on either side."""

    title: str
    ours: str
    theirs: str
    pairs: tuple[SamplePair, ...]


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A word, and how much of the attention of its picture it gets, as a share of the most."""

    word: str
    share: float
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionPicture:
    """Where a model looks in one dialogue: a line per message, its words by strength."""

    title: str
    caption: str
    lines: tuple[tuple[str, tuple[LookedAt, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All of it; `headline` is the first thing to know."""

    name: str
    headline: str
    about: str
    tables: tuple[FigureTable, ...] = ()
    samples: tuple[SampleSet, ...] = ()
    pictures: tuple[AttentionPicture, ...] = ()
    notes: tuple[str, ...] = ()


class Examiner(Protocol):
    """Looks at checkpoints of one kind of model."""

    def __call__(self, request: DiagnosisRequest) -> Diagnosis: ...


EXAMINERS: Registry[Examiner] = Registry(
    "kind of model that can be diagnosed",
    "palaver.examiners",
    {
        "deal-talk": "palaver.models.deal.examination:examine",
        "deal-transformer": "palaver.models.deal.examination:examine",
        "deal-reinforce": "palaver.models.deal.examination:examine",
        "dialeval-bilstm": "palaver.models.dialeval.examination:examine",
        "dialeval-turns": "palaver.models.dialeval.examination:examine",
    },
)


def diagnose(request: DiagnosisRequest) -> Diagnosis:
    """What there is to know of a checkpoint; UnknownNameError for a kind nobody examines."""
    return EXAMINERS.get(request.checkpoint.model)(request)


def looked_at(words: list[str], shares: list[float], most: float) -> tuple[LookedAt, ...]:
    """Words with the attention each gets; `most` is that of the strongest word of the picture."""
    return tuple(
        LookedAt(word, share, share / most if most > 0 else 0.0)
        for word, share in zip(words, shares, strict=True)
    )


def figure_table(
    title: str, caption: str, rows: tuple[FigureRow, ...], columns: tuple[tuple[str, str], ...] = ()
) -> FigureTable:
    """A table of the figures that its rows have; without `columns`, of all of them."""
    named = columns or tuple(
        (name, name.replace("_", " ")) for name in dict.fromkeys(n for r in rows for n in r.figures)
    )
    known = {name for row in rows for name in row.figures}
    return FigureTable(
        title=title,
        caption=caption,
        columns=tuple(each for each in named if each[0] in known),
        rows=rows,
    )
