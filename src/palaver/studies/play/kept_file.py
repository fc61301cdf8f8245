"""The file that self-play writes: whole or not at all, and gone on with after a break.

While dialogues are played they are in `.NAME.partial` beside the file; the file appears when all are
there. A run that was killed leaves the partial file, a beginning of all dialogues with perhaps half a
line at its end.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, decode_dialogue
from palaver.studies.play.match import Match


@dataclass(frozen=True, slots=True)
class KeptLines:
    """What an earlier run left: whole lines, and whether half a line was dropped."""

    lines: tuple[bytes, ...] = ()
    torn: bool = False


@dataclass(frozen=True, slots=True)
class KeptFile:
    """The file that was asked for, and the one that is written until it is complete."""

    path: Path

    @property
    def partial(self) -> Path:
        return self.path.with_name(f".{self.path.name}.partial")

    def check_free(self, *, overwrite: bool) -> None:
        """InputError if there is something that a new run would replace unasked."""
        if overwrite:
            return
        if self.path.exists():
            told = "Choose another name, or add --overwrite, or --resume to play what is missing."
            raise InputError(f"{self.path} already exists. {told}")
        if self.partial.exists():
            raise InputError(
                f"An earlier run left {self.partial}. Go on with it with --resume, or begin anew "
                "with --overwrite."
            )

    def resume(self, match: Match, count: int) -> KeptLines:
        """What is there of a match, ready to be added to; InputError if it is of another one."""
        source = self.partial if self.partial.exists() else self.path
        if not source.exists():
            return KeptLines()
        lines = source.read_bytes().splitlines(keepends=True)
        torn = bool(lines) and not lines[-1].endswith(b"\n")
        whole = tuple(lines[:-1] if torn else lines)
        for number, line in enumerate(whole):
            _check(self.path, number, _decoded(self.path, number, line), match)
        if len(whole) > count:
            raise InputError(f"{self.path} has {len(whole)} dialogues already; --count is {count}.")
        self.partial.write_bytes(b"".join(whole))
        return KeptLines(whole, torn)

    @contextmanager
    def writing(self, *, resumed: bool) -> Iterator[Callable[[bytes], None]]:
        """Adds lines to the partial file, each at once on its way to the disk.

        On a clean end the file is complete and gets its name; otherwise what was played is left.
        """
        try:
            with self.partial.open("ab" if resumed else "wb") as stream:
                yield lambda data: _add(stream, data)
            self.partial.replace(self.path)
        except OSError as error:
            raise InputError(f"{self.path} cannot be written: {error.strerror}.") from error
        finally:
            if self.partial.exists() and not self.partial.stat().st_size:
                self.partial.unlink()


def _add(stream: BinaryIO, data: bytes) -> None:
    stream.write(data)
    stream.flush()


def _decoded(path: Path, number: int, line: bytes) -> DialogueRecord:
    try:
        return decode_dialogue(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: line {number + 1} is not a dialogue ({error}); only files of --format palaver "
            "can be gone on with."
        ) from error


def _check(path: Path, number: int, record: DialogueRecord, match: Match) -> None:
    """InputError unless a record is what the match would have played under this number."""
    plan, dealt = match.plan, match.deal(number)
    here = f"{path}: line {number + 1}"
    if record.condition != plan.condition or record.study != match.ground.name:
        raise InputError(
            f"{here} is of '{record.study}', {record.condition}; this run is of "
            f"'{match.ground.name}', {plan.condition}. Give the same systems, or another file."
        )
    if record.id != dealt.dialogue:
        raise InputError(
            f"{here} is the dialogue '{record.id}'; this run has '{dealt.dialogue}' there. Give the "
            "same --seed, or another file."
        )
    seated = [seat.occupant for seat in record.seats]
    if seated != list(plan.names[:: -1 if dealt.swapped else 1]):
        raise InputError(
            f"{here}: the systems sit otherwise. Give --swap, or --no-swap, as before."
        )
    if record.scenario != dealt.scenario:
        raise InputError(
            f"{here} plays the scenario '{record.scenario.id}' as this run would not. Give the same "
            "--scenarios and options as before."
        )
