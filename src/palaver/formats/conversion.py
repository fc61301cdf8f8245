"""Conversions of dialogue files: several files into one, or one into parts, complete or not at all.

Records are read, checked and written one by one; only a split holds them all. What is wrong is
gathered with its place, so that one run tells of all mistakes, up to a number that anybody reads.
"""

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO, ClassVar

import msgspec

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.dialogue_files import FileFormat, FilesBeside, RecordWriter
from palaver.formats.found_records import Found, FoundRecord, Mistake, Unconverted
from palaver.formats.line_problems import MOST
from palaver.formats.masking import DialogueMasker, Masker, mask_label

STANDARD = Path("-")
# What the parts of a split are called where nobody names them.
_PARTS = {2: ("train", "test"), 3: ("train", "dev", "test")}
# Keys in order: the same content is the same, however a file wrote it.
_encode = msgspec.json.Encoder(order="sorted").encode


@dataclass(frozen=True, slots=True)
class SplitPart:
    """One part of a split: its name and which share of the records it gets."""

    name: str
    share: float


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that was written, and how many records it holds."""

    file: str
    records: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was converted; `left_out` counts by reason, the others name each place."""

    derived: ClassVar = ("records",)

    holds: str
    games: dict[str, int]
    files: tuple[WrittenFile, ...]
    left_out: dict[str, int]
    duplicates: tuple[str, ...]
    mistakes: tuple[str, ...]

    @property
    def records(self) -> int:
        return sum(file.records for file in self.files)


@dataclass(slots=True)
class _Notes:
    """What is noted while reading."""

    lenient: bool
    is_broken: bool = False  # a file could not be read to its end
    games: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    duplicates: list[str] = field(default_factory=list)
    mistakes: list[str] = field(default_factory=list)

    def mistake(self, text: str) -> None:
        self.mistakes.append(text)
        if not self.lenient and len(self.mistakes) == MOST:
            self.mistakes.append(f"There may be more: reading stopped after {MOST} mistakes.")
            self.refuse()

    def refuse(self) -> None:
        """InputError with every mistake, unless what is wrong may be left out."""
        if self.is_broken or (self.mistakes and not self.lenient):
            hint = "" if self.is_broken else " (--lenient leaves it out)"
            told = "\n  ".join(self.mistakes)
            raise InputError(f"Nothing was written. What is wrong{hint}:\n  {told}")


def parts_of(text: str) -> tuple[SplitPart, ...]:
    """The parts that a text such as "0.8,0.1,0.1" or "train=0.9,test=0.1" asks for.

    >>> [part.name for part in parts_of("0.8,0.1,0.1")]
    ['train', 'dev', 'test']
    """
    pieces = [piece.strip() for piece in text.split(",")]
    named = [piece.partition("=") for piece in pieces]
    if all(equals for _, equals, _ in named):
        names = tuple(name.strip() for name, _, _ in named)
        shares = [_share(share) for _, _, share in named]
    else:
        names = _PARTS.get(len(pieces)) or tuple(f"part{n}" for n in range(1, len(pieces) + 1))
        shares = [_share(piece) for piece in pieces]
    if len(set(names)) != len(names) or not all(name.isidentifier() for name in names):
        raise InputError(f"Each part of a split takes a plain name of its own; got '{text}'.")
    if len(shares) < 2 or abs(sum(shares) - 1) > 1e-6:
        raise InputError(f"The shares of a split add up to 1; '{text}' adds up to {sum(shares):g}.")
    return tuple(SplitPart(name, share) for name, share in zip(names, shares, strict=True))


def convert(
    sources: Sequence[Path],
    out: Path,
    *,
    reads: FileFormat,
    writes: FileFormat,
    beside: FilesBeside | None = None,
    parts: Sequence[SplitPart] = (),
    seed: int = 1,
    lenient: bool = False,
    overwrite: bool = False,
    masker: Masker | None = None,
) -> Conversion:
    """Read all sources and write `out`, or one file beside it for each part.

    `masker` replaces personal details in dialogues, and in labels that stand beside them. "-" is
    standard input or output. InputError, and nothing written, where something is wrong; `lenient`
    leaves such records out. The same record twice is written once and named.
    """
    beside = beside or FilesBeside()
    _check(reads, writes, beside)
    notes = _Notes(lenient)
    records = _told_apart(_read(sources, reads, beside, notes), reads, writes, notes)
    if masker is not None:
        labels = dict(beside.labels)
        records, beside = _masked(records, masker, labels), replace(beside, labels=labels)
    with _placed(_targets(out, parts), overwrite=overwrite) as streams:
        assert writes.writer is not None
        writers = [writes.writer(stream, beside) for stream in streams.values()]
        counts = [0] * len(writers)
        for n, found in _dealt(records, parts, seed):
            counts[n] += _add(found, writers[n], notes)
        notes.refuse()
        for writer in writers:
            writer.finish()
    return Conversion(
        holds=writes.holds,
        games=dict(notes.games),
        files=tuple(
            WrittenFile("standard output" if path == STANDARD else str(path), count)
            for path, count in zip(streams, counts, strict=True)
        ),
        left_out=dict(notes.left_out),
        duplicates=tuple(notes.duplicates),
        mistakes=tuple(notes.mistakes),
    )


def _check(reads: FileFormat, writes: FileFormat, beside: FilesBeside) -> None:
    to_scenarios = reads.holds == "dialogues" and writes.holds == "scenarios"
    if reads.holds != writes.holds and not to_scenarios:
        raise InputError(
            f"'{reads.name}' holds {reads.holds} and '{writes.name}' {writes.holds}; "
            "these do not convert into each other. See: palaver convert --list"
        )
    for kind, works, way in ((reads, reads.find, "read"), (writes, writes.writer, "written")):
        if works is None:
            raise InputError(f"'{kind.name}' is only {kind.ways}; it cannot be {way}.")
    if writes.name == "cocoa-surveys" and beside.dialogues is None:
        raise InputError(
            "Surveys say who sat where, which labels do not: name the dialogues, as palaver or "
            "cocoa, with --dialogues FILE."
        )


def _read(
    sources: Sequence[Path], reads: FileFormat, beside: FilesBeside, notes: _Notes
) -> Iterator[FoundRecord]:
    for path in sources:
        for found in _pieces(path, reads, beside, notes):
            if isinstance(found, Mistake):
                notes.mistake(str(found))
            elif isinstance(found, Unconverted):
                notes.left_out[found.why] += 1
            else:
                yield found


def _pieces(path: Path, reads: FileFormat, beside: FilesBeside, notes: _Notes) -> Iterator[Found]:
    name = "standard input" if path == STANDARD else str(path)
    try:
        with ExitStack() as stack:
            stream: BinaryIO = sys.stdin.buffer
            if path != STANDARD:
                stream = stack.enter_context(path.open("rb"))
            assert reads.find is not None
            yield from reads.find(stream, name, beside)
    except InputError as error:
        # What is not JSON cannot be read on from there, whatever may be left out.
        notes.is_broken = True
        place, _, message = str(error).partition(": ")
        yield Mistake(place, message)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from error


def _told_apart(
    records: Iterable[FoundRecord], reads: FileFormat, writes: FileFormat, notes: _Notes
) -> Iterator[FoundRecord]:
    """Each record once; one that comes again is named, and a mistake where it differs."""
    seen: dict[Any, tuple[str, bytes]] = {}
    of_dialogues = reads.holds != writes.holds
    for found in records:
        record = found.record.scenario if of_dialogues else found.record
        key, digest = _key(record), _digest(record)
        if key not in seen:
            seen[key] = found.place, digest
            yield FoundRecord(found.place, record)
            continue
        place, known = seen[key]
        if of_dialogues:
            # Listings were mended between chats: the files that are about have such scenarios.
            if known != digest:
                notes.left_out["a later version of a scenario with the same id"] += 1
        elif known != digest:
            notes.mistake(f"{found.place}: '{key}' stands with other content at {place}.")
        else:
            notes.duplicates.append(f"{found.place}: the same as {place}")


def _masked(
    records: Iterable[FoundRecord], masker: Masker, labels: dict[str, Sequence[LabelRecord]]
) -> Iterator[FoundRecord]:
    """The records masked; the labels of a dialogue know the names that are said in it."""
    for found in records:
        record = found.record
        if isinstance(record, DialogueRecord):
            inside = DialogueMasker(masker, record)
            given = labels.get(record.id, ())
            labels[record.id] = [mask_label(label, (inside,), masker) for label in given]
            record = inside.record()
        elif isinstance(record, LabelRecord):
            record = mask_label(record, (), masker)
        yield FoundRecord(found.place, record)


def _key(record: Any) -> Any:
    if isinstance(record, LabelRecord):
        return f"{record.unit} {record.question} {record.rater}"
    return record.id


def _digest(record: Any) -> bytes:
    if isinstance(record, DialogueRecord):
        record = msgspec.structs.replace(record, source=None)
    return sha256(_encode(record)).digest()


def _add(found: FoundRecord, writer: RecordWriter, notes: _Notes) -> int:
    try:
        writer.add(found.record)
    except InputError as error:
        notes.mistake(f"{found.place}: {error}")
        return 0
    if not isinstance(found.record, LabelRecord):
        notes.games[getattr(found.record, "scenario", found.record).game] += 1
    return 1


def _dealt(
    records: Iterable[FoundRecord], parts: Sequence[SplitPart], seed: int
) -> Iterator[tuple[int, FoundRecord]]:
    """Each record with the number of its part; in every part they keep their order."""
    if not parts:
        yield from ((0, found) for found in records)
        return
    whole = list(records)
    ends, total = [], 0.0
    for part in parts:
        total += part.share
        ends.append(round(total * len(whole)))
    drawn = list(range(len(whole)))
    random.Random(seed).shuffle(drawn)
    for place, found in zip(drawn, whole, strict=True):
        yield next(n for n, end in enumerate(ends) if place < end), found


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise InputError(f"A share of a split lies between 0 and 1; got '{text.strip()}'.")
    return share


def _targets(out: Path, parts: Sequence[SplitPart]) -> list[Path]:
    if parts and out == STANDARD:
        raise InputError("A split is written to files; OUT cannot be '-'.")
    return [out.with_name(f"{out.stem}-{part.name}{out.suffix}") for part in parts] or [out]


@contextmanager
def _placed(targets: Sequence[Path], *, overwrite: bool) -> Iterator[dict[Path, BinaryIO]]:
    """Streams that become the files once all is written, and leave nothing behind otherwise."""
    partials = {
        path: path.with_name(f".{path.name}.partial") for path in targets if path != STANDARD
    }
    for path in partials:
        if path.exists() and not overwrite:
            raise InputError(f"{path} already exists. Choose another name, or add --overwrite.")
    try:
        with ExitStack() as stack:
            streams: dict[Path, BinaryIO] = {}
            for path in targets:
                if path in partials:
                    streams[path] = stack.enter_context(partials[path].open("wb"))
                else:
                    streams[path] = stack.enter_context(TemporaryFile())
            yield streams
            if STANDARD in streams:
                streams[STANDARD].seek(0)
                copyfileobj(streams[STANDARD], sys.stdout.buffer)
                sys.stdout.buffer.flush()
        for path, partial in partials.items():
            partial.replace(path)
    except OSError as error:
        where = error.filename or ", ".join(map(str, targets))
        raise InputError(f"{where} cannot be written: {error.strerror}.") from error
    finally:
        for partial in partials.values():
            partial.unlink(missing_ok=True)
