"""A file of items perturbed into a file of variants, with what is worth saying about it.

The items are perturbed in pieces: in this process, or spread over an engine with the same result.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Kind, Perturbed, Sample, VariantTally
from palaver.core.protocols import Engine
from palaver.engines.registry import open_engine
from palaver.evaluation.perturbations.layout import Layout
from palaver.evaluation.perturbations.registry import find_perturbation
from palaver.evaluation.perturbations.variants import Record, Variants, make_variants, uid_of

SIZE = 5_000
# Called with how many records were perturbed, and how many there are.
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbationPiece:
    """Some records and what is to be done with them; perturbations go by name.

    A perturbation of one's own is of the kind that was asked for.
    """

    records: list[dict[str, Any]]
    layout: Layout
    names: tuple[str, ...]
    kind: Kind
    seed: int
    folder: str = ""


def perturb_records(
    records: Sequence[Record],
    layout: Layout,
    names: Sequence[str],
    output: Path,
    *,
    kind: Kind,
    seed: int,
    folder: Path | None = None,
    engine: str | None = None,
    samples: int = 0,
    size: int = SIZE,
    tell: Tell = lambda done, of: None,
) -> Perturbed:
    """The variants of records, written one per line; the file appears complete or not at all.

    The size of a piece changes nothing but how often `tell` hears how far it is.
    """
    pieces = cut(records, layout, names, kind=kind, seed=seed, folder=folder, size=size)
    originals = {uid_of(record): record for record in records} if samples else {}
    seen = _Seen(originals, samples)
    with _new_file(output) as write:
        asyncio.run(_write(_told(_made(pieces, engine), size, len(records), tell), write, seen))
    return Perturbed(
        kind=kind,
        seed=seed,
        output=str(output),
        originals=len(records),
        with_variants=seen.with_variants,
        perturbations=seen.tallies,
        samples=tuple(_in_turn(seen.samples, samples)),
    )


def cut(
    records: Iterable[dict[str, Any]],
    layout: Layout,
    names: Sequence[str],
    *,
    kind: Kind,
    seed: int,
    folder: Path | None = None,
    size: int = SIZE,
) -> Iterator[PerturbationPiece]:
    left = iter(records)
    where = "" if folder is None else str(folder.resolve())
    while block := list(islice(left, size)):
        yield PerturbationPiece(
            records=block, layout=layout, names=tuple(names), kind=kind, seed=seed, folder=where
        )


def perturb_piece(piece: PerturbationPiece) -> Variants:
    folder = Path(piece.folder) if piece.folder else None
    found = [
        replace(find_perturbation(name, folder=folder), kind=piece.kind) for name in piece.names
    ]
    return make_variants(piece.records, piece.layout, found, seed=piece.seed)


async def perturb_on(
    engine: Engine, pieces: Iterable[PerturbationPiece]
) -> AsyncIterator[Variants]:
    """The variants of the pieces in their order, made on an engine."""
    waiting: dict[int, Variants] = {}
    wanted = 0
    async for number, variants in engine.map(perturb_piece, pieces):
        waiting[number] = variants
        while wanted in waiting:
            yield waiting.pop(wanted)
            wanted += 1


class _Seen:
    """What has been made so far: tallies, and the first variants of each perturbation."""

    def __init__(self, originals: dict[str, Record], samples: int) -> None:
        self.tallies: dict[str, VariantTally] = {}
        self.samples: list[Sample] = []
        self.with_variants = 0
        self._originals = originals
        self._wanted = samples
        self._kept: Counter[str] = Counter()

    def add(self, variants: Variants) -> None:
        # All variants of a record come in one piece.
        self.with_variants += variants.with_variants
        for name, tally in variants.tallies.items():
            self.tallies[name] = self.tallies.get(name, VariantTally()) + tally
        for variant in variants.records if self._wanted else ():
            name = _made_by(variant)
            if self._kept[name] < self._wanted:
                self._kept[name] += 1
                original = self._originals[variant["input_id"]]
                self.samples.append(Sample(original=original, variant=variant))


def _made_by(variant: Mapping[str, Any]) -> str:
    return str(variant["uid"]).removeprefix(f"{variant['input_id']}_")


@contextmanager
def _new_file(output: Path) -> Iterator[Callable[[bytes], None]]:
    """What writes to a file that takes its place when everything is written."""
    part = output.with_name(f"{output.name}.part")
    with _writing(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        stream = part.open("wb")

    def write(content: bytes) -> None:
        with _writing(output):
            stream.write(content)

    try:
        yield write
        with _writing(output):
            stream.close()
            part.replace(output)
    finally:
        stream.close()
        part.unlink(missing_ok=True)


@contextmanager
def _writing(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror or error}.") from error


async def _told(
    made: AsyncIterator[Variants], size: int, of: int, tell: Tell
) -> AsyncIterator[Variants]:
    done = 0
    async for variants in made:
        yield variants
        done += size
        tell(min(done, of), of)


async def _write(
    made: AsyncIterator[Variants], write: Callable[[bytes], None], seen: _Seen
) -> None:
    encoder = msgspec.json.Encoder()
    async for variants in made:
        write(encoder.encode_lines(variants.records))
        seen.add(variants)


async def _made(pieces: Iterable[PerturbationPiece], engine: str | None) -> AsyncIterator[Variants]:
    if engine is None:
        for piece in pieces:
            yield perturb_piece(piece)
        return
    opened = open_engine(engine)
    try:
        async for variants in perturb_on(opened, pieces):
            yield variants
    finally:
        await opened.close()


def _in_turn(samples: Sequence[Sample], wanted: int) -> list[Sample]:
    """So many samples: the first of each perturbation, then the second of each."""
    by_name: dict[str, list[Sample]] = {}
    for sample in samples:
        by_name.setdefault(_made_by(sample.variant), []).append(sample)
    ranked = [(turn, n) for n, each in enumerate(by_name.values()) for turn in range(len(each))]
    groups = list(by_name.values())
    # A different original for each perturbation shows more of the data.
    return [groups[n][(turn + n) % len(groups[n])] for turn, n in sorted(ranked)[:wanted]]
