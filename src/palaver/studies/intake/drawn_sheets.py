"""What responses and advice have in common when sheets are made of them.

Which items are taken, which serve as hidden checks and which are shared by all raters is drawn with
the stage's seed, and the same whenever the files are read.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

import msgspec

from palaver.core.words import counted
from palaver.formats.dialogue_texts import DialogueText, PartRecord, SheetRecord
from palaver.formats.json_places import Steps
from palaver.formats.judged import JudgedLine
from palaver.formats.line_problems import LineProblems
from palaver.studies.stages import RateStage

T = TypeVar("T")
# Beside what belongs to a check stands something from elsewhere, under this name.
OTHER = "other"
# A file of outputs is often called so; then its folder says whose they are.
PLAIN_NAMES = ("outputs", "output", "responses")


class MadeSheets(Protocol):
    """Files of which the sheets of a stage are made."""

    @property
    def format(self) -> str:
        """What the stage calls them."""
        ...

    @property
    def files(self) -> list[Path]:
        """Everything that is read."""
        ...

    @property
    def settings(self) -> list[Any]:
        """What, beside the files, the sheets depend on."""
        ...

    def lines(self, line_problems: LineProblems) -> Iterator[JudgedLine]:
        """The sheets, one after the other; what is wrong goes to `line_problems`."""
        ...

    def serving(self, purpose: Literal["real", "gold"]) -> Self:
        """The same files as what is judged, or as hidden checks."""
        ...


@dataclass(frozen=True, slots=True)
class Drawn(Generic[T]):
    """The items that are judged, and those that are hidden checks and nothing else."""

    judged: Sequence[T]
    checks: Sequence[T]


def draw_items(
    items: Sequence[T],
    stage: RateStage,
    line_problems: LineProblems,
    *,
    lot: str,
    called: str,
    has_reference: Callable[[T], bool],
) -> Drawn[T]:
    """Draw the checks that a stage wants, and then its sample; `called` is what one item is called."""
    dice = random.Random(f"{lot}\n{stage.seed}")
    left = list(range(len(items)))
    checks: list[int] = []
    wanted = None if stage.gold is None else stage.gold.references
    if wanted is not None:
        able = [n for n in left if has_reference(items[n])]
        if len(able) <= wanted:
            line_problems.add(
                f"'gold' wants {counted(wanted, 'reference')} that serve for nothing else; the "
                f"files have {counted(len(able), called)} with one."
            )
            return Drawn([], [])
        checks = dice.sample(able, wanted)
        left = [n for n in left if n not in set(checks)]
    if stage.sample is not None and stage.sample < len(left):
        left = sorted(dice.sample(left, stage.sample))
    return Drawn([items[n] for n in left], [items[n] for n in checks])


def share_sheets(sheets: list[SheetRecord], stage: RateStage, line_problems: LineProblems) -> None:
    """Mark the sheets that everybody judges, in place."""
    overlap = stage.overlap
    if overlap is None:
        return
    if overlap.items >= len(sheets):
        line_problems.add(
            f"'overlap' wants {counted(overlap.items, 'shared item')}; there are "
            f"{counted(len(sheets), 'item')} in all."
        )
        return
    chosen: Sequence[int] = range(overlap.items)
    if stage.order != "file":
        dice = random.Random(f"overlap\n{stage.seed}")
        chosen = dice.sample(range(len(sheets)), overlap.items)
    own = (stage.per_visit or 0) - overlap.items
    rest = (len(sheets) - overlap.items) * stage.raters
    raters = overlap.raters or max(stage.raters, ceil(rest / max(1, own)))
    for n in chosen:
        sheets[n] = msgspec.structs.replace(sheets[n], raters=raters, shared=True)


def sheet_of(
    name: str,
    texts: Sequence[DialogueText],
    ask: tuple[str, ...],
    answers: Mapping[str, Any] | None = None,
    *,
    group: str = "",
    notice: str = "",
) -> SheetRecord:
    """A sheet of one part; with `answers` only questions that they name are graded."""
    part = PartRecord(
        dialogues=tuple(texts), ask=ask, answers=dict(answers or {}), partial=answers is not None
    )
    return SheetRecord(id=name, group=group or name, notice=notice, parts=(part,))


def numbered(sheets: Sequence[SheetRecord]) -> Iterator[JudgedLine]:
    """The sheets as lines of a file that has none."""
    for number, sheet in enumerate(sheets, start=1):
        yield JudgedLine(number, b"", sheet, _nowhere)


def system_of_file(path: Path) -> str:
    """Whose outputs a file holds, by its name or, where that says nothing, its folder's.

    >>> system_of_file(Path("outputs/rule.json")), system_of_file(Path("neural/outputs.json"))
    ('rule', 'neural')
    """
    return path.parent.name if path.stem.lower() in PLAIN_NAMES and path.parent.name else path.stem


def is_pattern(choice: str) -> bool:
    """Whether a name of files may fit several."""
    return bool(set(choice) & set("*?["))


def files_of_pattern(folder: Path, pattern: str) -> list[Path]:
    """The files in a folder that fit a pattern, by name; none where it leads out of the folder."""
    try:
        return sorted(path for path in folder.glob(pattern) if path.is_file())
    except (NotImplementedError, ValueError):
        return []


def _nowhere(steps: Steps) -> tuple[int, int]:
    return 1, 1
