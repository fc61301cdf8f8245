"""What the annotators of a DCH-2 data set said, counted, as arrays.

Turns of all dialogues stand below each other, so that one call of a distance answers for all of
them. A turn has as many columns as the larger of the two nugget sets; the helpdesk's last column is
always 0, which changes neither JSD nor RNSS.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.formats.dch2 import NUGGETS, POINT_NAMES, POINTS, SCALES, DchEntry, Sender, read_dch2

WIDTH = max(len(nuggets) for nuggets in NUGGETS.values())
# The column of each nugget type among those of its sender.
COLUMN = {nugget: n for nuggets in NUGGETS.values() for n, nugget in enumerate(nuggets)}
_NO_POINT = POINTS[-1] - 1


@dataclass(frozen=True, slots=True)
class CountedGold:
    """A data set's labels, counted.

    `turns` holds the senders of each dialogue's turns, in the order of the file. `dialogue_of` and
    `is_customer` say of each turn of all dialogues whose it is; `nuggets` (turns × types) and
    `quality` (dialogues × scales × points) count what annotators said.
    """

    name: str
    turns: dict[str, tuple[Sender, ...]]
    dialogue_of: Numbers
    is_customer: Numbers
    nuggets: Numbers
    quality: Numbers

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def ids(self) -> list[str]:
        """The dialogues, in the order of the file."""
        return list(self.turns)

    @property
    def is_annotated(self) -> bool:
        """Whether anybody said anything; test files are published without what was said."""
        return bool(self.nuggets.any() or self.quality.any())


def read_gold(path: Path) -> CountedGold:
    if not path.is_file():
        raise InputError(f"There is no file {path}.")
    return count_gold(read_dch2(path.read_bytes(), name=path.name), name=path.name)


def count_gold(dialogues: Sequence[DchEntry], *, name: str = "gold.json") -> CountedGold:
    """The gold data of dialogues that `read_dch2` has checked; InputError if there are none."""
    if not dialogues:
        raise InputError(f"{name} contains no dialogues.")
    turns = {dialogue.id: tuple(turn.sender for turn in dialogue.turns) for dialogue in dialogues}
    if len(turns) < len(dialogues):
        raise InputError(f"{name}: {len(dialogues) - len(turns)} ids occur more than once.")
    lengths = np.fromiter(map(len, turns.values()), dtype=np.intp, count=len(turns))
    given = [annotation for dialogue in dialogues for annotation in dialogue.annotations or ()]
    annotators = [len(dialogue.annotations or ()) for dialogue in dialogues]
    # The dialogue that each annotation is about.
    about = np.repeat(np.arange(len(turns)), annotators)
    senders = chain.from_iterable(turns.values())
    return CountedGold(
        name=name,
        turns=turns,
        dialogue_of=np.repeat(np.arange(len(turns)), lengths),
        is_customer=np.array([sender == "customer" for sender in senders], dtype=bool),
        nuggets=_count_nuggets([each.nugget for each in given], about, lengths)
        + _counted_nuggets(dialogues, lengths),
        quality=_count_quality([each.quality for each in given], about, len(turns))
        + _counted_quality(dialogues),
    )


def _counted_nuggets(dialogues: Sequence[DchEntry], lengths: Numbers) -> Numbers:
    """The counts that stand in the file instead of annotations: turns × types."""
    counts = np.zeros((int(lengths.sum()), WIDTH))
    starts = np.cumsum(lengths) - lengths
    for dialogue, start in zip(dialogues, starts, strict=True):
        for row, given in enumerate(dialogue.nugget or (), start=int(start)):
            for nugget, count in given.items():
                counts[row, COLUMN[nugget]] = count
    return counts


def _counted_quality(dialogues: Sequence[DchEntry]) -> Numbers:
    """The counts that stand in the file: dialogues × scales × points."""
    counts = np.zeros((len(dialogues), len(SCALES), len(POINTS)))
    for row, dialogue in enumerate(dialogues):
        for scale, given in (dialogue.quality or {}).items():
            for point, count in given.items():
                counts[row, SCALES.index(scale), POINT_NAMES.index(point)] = count
    return counts


def _count_nuggets(given: list[list[str] | None], about: Numbers, lengths: Numbers) -> Numbers:
    """How many annotators gave a turn each of its types: turns × types."""
    said = [nuggets for nuggets in given if nuggets is not None]
    about = about[[nuggets is not None for nuggets in given]] if len(said) < len(given) else about
    # Each annotation goes once through the turns of its dialogue.
    sizes = lengths[about]
    starts = (np.cumsum(lengths) - lengths)[about]
    total = int(sizes.sum())
    rows = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(total)
    labels = chain.from_iterable(said)
    columns = np.fromiter(map(COLUMN.__getitem__, labels), dtype=np.intp, count=total)
    turns = int(lengths.sum())
    counts = np.bincount(rows * WIDTH + columns, minlength=turns * WIDTH)
    return counts.reshape(turns, WIDTH).astype(np.float64)


def _count_quality(given: list[dict[str, int] | None], about: Numbers, dialogues: int) -> Numbers:
    """How many annotators gave a dialogue each point of each scale: dialogues × scales × points."""
    said = [quality or {} for quality in given]
    # Points go down by one from the first, so that the one after the last stands for none.
    places = (POINTS[0] - _points(said)).reshape(-1, len(SCALES))
    shape = (dialogues, len(SCALES), len(POINTS) + 1)
    rows = about[:, None] * len(SCALES) + np.arange(len(SCALES))
    counts = np.bincount((rows * shape[-1] + places).ravel(), minlength=math.prod(shape))
    return counts.reshape(shape)[:, :, :-1].astype(np.float64)


def _points(given: Sequence[dict[str, int]]) -> Numbers:
    """What each annotator said on each scale, in their order, in one row."""
    count = len(given) * len(SCALES)
    try:
        every = chain.from_iterable(map(itemgetter(*SCALES), given))
        return np.fromiter(every, dtype=np.intp, count=count)
    except KeyError:  # somebody left a scale out
        those = (each.get(scale, _NO_POINT) for each in given for scale in SCALES)
        return np.fromiter(those, dtype=np.intp, count=count)
