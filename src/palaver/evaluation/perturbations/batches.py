"""Perturbing in pieces: in this process, or spread over an engine with the same result."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from palaver.core.evaluation.datasets import Kind
from palaver.core.protocols import Engine
from palaver.evaluation.perturbations.layout import Layout
from palaver.evaluation.perturbations.registry import find_perturbation
from palaver.evaluation.perturbations.variants import Variants, make_variants

SIZE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some records and what is to be done with them; perturbations go by name.

    A perturbation of one's own is of the kind that was asked for.
    """

    records: list[dict[str, Any]]
    layout: Layout
    names: tuple[str, ...]
    kind: Kind
    seed: int
    folder: str = ""


def cut(
    records: Iterable[dict[str, Any]],
    layout: Layout,
    names: Sequence[str],
    *,
    kind: Kind,
    seed: int,
    folder: Path | None = None,
    size: int = SIZE,
) -> Iterator[Piece]:
    """The records in pieces."""
    left = iter(records)
    where = "" if folder is None else str(folder.resolve())
    while block := list(islice(left, size)):
        yield Piece(
            records=block, layout=layout, names=tuple(names), kind=kind, seed=seed, folder=where
        )


def perturb_piece(piece: Piece) -> Variants:
    """The variants of one piece."""
    folder = Path(piece.folder) if piece.folder else None
    found = [
        replace(find_perturbation(name, folder=folder), kind=piece.kind) for name in piece.names
    ]
    return make_variants(piece.records, piece.layout, found, seed=piece.seed)


async def perturb_on(engine: Engine, pieces: Iterable[Piece]) -> AsyncIterator[Variants]:
    """The variants of the pieces in their order, made on an engine."""
    waiting: dict[int, Variants] = {}
    wanted = 0
    async for number, variants in engine.map(perturb_piece, pieces):
        waiting[number] = variants
        while wanted in waiting:
            yield waiting.pop(wanted)
            wanted += 1
