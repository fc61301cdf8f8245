"""A file of items perturbed into a file of variants, with what is worth saying about it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.engines.opening import open_engine
from palaver.evaluation.perturbations.layout import Layout
from palaver.evaluation.perturbations.perturbation import Kind
from palaver.evaluation.perturbations.pieces import SIZE, Piece, cut, perturb_on, perturb_piece
from palaver.evaluation.perturbations.variants import Record, Tally, Variants, uid_of


@dataclass(frozen=True, slots=True)
class Sample:
    """An original and a variant of it, to look at."""

    original: Record
    variant: Record


@dataclass(slots=True, kw_only=True)
class Perturbed:
    """What was made of a file."""

    kind: Kind
    seed: int
    output: Path
    originals: int
    tallies: dict[str, Tally] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)

    @property
    def variants(self) -> int:
        """How many variants were written."""
        return sum(tally.made for tally in self.tallies.values())

    def as_json(self) -> dict[str, Any]:
        """The parts by name."""
        return {
            "kind": self.kind,
            "seed": self.seed,
            "output": str(self.output),
            "originals": self.originals,
            "variants": self.variants,
            "perturbations": {
                name: {
                    "variants": tally.made,
                    "unchanged": tally.unchanged,
                    "gold_lost": tally.gold_lost,
                }
                for name, tally in self.tallies.items()
            },
            "samples": [
                {"original": each.original, "variant": each.variant} for each in self.samples
            ],
        }


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
) -> Perturbed:
    """The variants of records, written one per line; the file appears complete or not at all."""
    pieces = cut(records, layout, names, kind=kind, seed=seed, folder=folder, size=size)
    done = Perturbed(kind=kind, seed=seed, output=output, originals=len(records))
    originals = {uid_of(record): record for record in records} if samples else {}
    with _new_file(output) as write:
        asyncio.run(_write(_made(pieces, engine), write, done, originals, samples))
    done.samples = _in_turn(done.samples, samples)
    return done


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


async def _write(
    made: AsyncIterator[Variants],
    write: Callable[[bytes], None],
    done: Perturbed,
    originals: dict[str, Record],
    samples: int,
) -> None:
    encoder = msgspec.json.Encoder()
    kept: dict[str, int] = {}
    async for variants in made:
        write(encoder.encode_lines(variants.records))
        for name, tally in variants.tallies.items():
            done.tallies[name] = done.tallies.get(name, Tally()) + tally
        for variant in variants.records if samples else ():
            name = variant["uid"].removeprefix(f"{variant['input_id']}_")
            if kept.get(name, 0) < samples:
                kept[name] = kept.get(name, 0) + 1
                done.samples.append(Sample(originals[variant["input_id"]], variant))


async def _made(pieces: Iterable[Piece], engine: str | None) -> AsyncIterator[Variants]:
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
    for each in samples:
        name = each.variant["uid"].removeprefix(f"{each.variant['input_id']}_")
        by_name.setdefault(name, []).append(each)
    ranked = [(turn, n) for n, each in enumerate(by_name.values()) for turn in range(len(each))]
    groups = list(by_name.values())
    # A different original for each perturbation shows more of the data.
    return [groups[n][(turn + n) % len(groups[n])] for turn, n in sorted(ranked)[:wanted]]
