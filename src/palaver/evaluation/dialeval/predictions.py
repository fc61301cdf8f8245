"""A submission as arrays laid out as the gold data are, and everything that is wrong with it.

Every fault is found, not just the first, and each names the dialogue and the key. What a fault
touches is left out, and nothing else: whoever is strict refuses the submission, whoever is lenient
uses the rest and shows the faults. All distributions are looked at at once, as one long list of
labels and one of probabilities.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.core.tasks.labelled import PADDING
from palaver.evaluation.dialeval.gold import WIDTH, CountedGold
from palaver.formats.dch2 import NUGGETS, POINTS, SCALES, Sender
from palaver.formats.submissions import (
    KEYS,
    Entries,
    Shares,
    SubmissionEntry,
    SubmissionFault,
    Task,
    raise_faults,
    read_entries,
)

_POINT_CODES = {str(point): n for n, point in enumerate(POINTS)}
# The customer's nuggets are numbered from 0, the helpdesk's from the width of a row.
_NUGGET_CODES = {nugget: n for n, nugget in enumerate(NUGGETS["customer"])} | {
    nugget: WIDTH + n for n, nugget in enumerate(NUGGETS["helpdesk"])
}
_UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Predictions:
    """What a submission says of each turn and each dialogue of the gold data.

    `nuggets` (turns × types) and `quality` (dialogues × scales × points) are 0 where nothing usable
    is said; `has_nuggets` (dialogues) and `has_quality` (dialogues × scales) say where something
    is. `tasks` are those that the submission holds at all.
    """

    name: str
    tasks: tuple[Task, ...]
    nuggets: Numbers
    has_nuggets: Numbers
    quality: Numbers
    has_quality: Numbers
    faults: tuple[SubmissionFault, ...] = ()

    def raise_faults(self) -> None:
        """InputError with the faults if there is one."""
        raise_faults(self.name, self.faults)


def read_predictions(
    content: bytes, gold: CountedGold, *, task: Task | None = None, name: str = "submission.json"
) -> Predictions:
    """The predictions in a submission file for the dialogues of the gold data.

    With `task`, only that task is looked at. InputError for what is no submission at all, or none
    for these dialogues; every other fault is in the result.
    """
    return lay_out(read_entries(content, name=name), gold, task=task, name=name)


def lay_out(
    found: Entries, gold: CountedGold, *, task: Task | None = None, name: str = "submission.json"
) -> Predictions:
    """The entries of a submission in the order of the gold data."""
    by_id = {entry.id: entry for entry in found.entries}
    if not gold.turns.keys() & by_id.keys():
        raise InputError(f"{name} and the gold data have no dialogue in common: {gold.name}.")
    tasks = _tasks(found, task, name)
    faults = [*found.faults, *_id_faults(found.entries, by_id, gold)]
    nuggets, has_nuggets = np.zeros_like(gold.nuggets), np.zeros(len(gold), dtype=bool)
    quality = np.zeros_like(gold.quality)
    has_quality = np.zeros(quality.shape[:2], dtype=bool)
    if "nd" in tasks:
        _lay_out_nuggets(found, by_id, gold, nuggets, has_nuggets, faults)
    if "dq" in tasks:
        _lay_out_quality(found, by_id, gold, quality, has_quality, faults)
    return Predictions(name, tasks, nuggets, has_nuggets, quality, has_quality, tuple(faults))


def _tasks(found: Entries, task: Task | None, name: str) -> tuple[Task, ...]:
    """The tasks that any entry answers, not just the first one."""
    broken = {part for _, part in found.broken}
    held: list[Task] = []
    if "nugget" in broken or any(entry.nugget is not None for entry in found.entries):
        held.append("nd")
    if "quality" in broken or any(entry.quality is not None for entry in found.entries):
        held.append("dq")
    if not held:
        raise InputError(
            f"{name} contains neither 'nugget' nor 'quality', so there is nothing to score."
        )
    if task is None:
        return tuple(held)
    if task not in held:
        raise InputError(f"{name} has no '{KEYS[task]}', which the task '{task}' needs.")
    return (task,)


def _id_faults(
    entries: Sequence[SubmissionEntry], by_id: Mapping[str, SubmissionEntry], gold: CountedGold
) -> list[SubmissionFault]:
    found = [
        SubmissionFault(entry.id, "id", "it occurs more than once; the last one counts.")
        for entry in (entries if len(by_id) < len(entries) else ())
        if by_id[entry.id] is not entry
    ]
    found += [
        SubmissionFault(id_, "id", "the gold data contain no such dialogue.")
        for id_ in by_id
        if id_ not in gold.turns
    ]
    found += [
        SubmissionFault(id_, "id", "there is no prediction for it.")
        for id_ in gold.turns
        if id_ not in by_id
    ]
    return found


def _lay_out_nuggets(
    found: Entries,
    by_id: Mapping[str, SubmissionEntry],
    gold: CountedGold,
    nuggets: Numbers,
    has: Numbers,
    faults: list[SubmissionFault],
) -> None:
    turns: list[Shares] = []
    for n, (id_, senders) in enumerate(gold.turns.items()):
        entry = by_id.get(id_)
        if entry is None:
            continue
        if entry.nugget is None:
            _note_missing(found, id_, "nugget", "nugget", faults)
        elif len(entry.nugget) != len(senders):
            message = f"expected {len(senders)} predictions, one per turn; got {len(entry.nugget)}."
            faults.append(SubmissionFault(id_, "nugget", message))
        else:
            has[n] = True
            turns += entry.nugget
    kept = np.flatnonzero(has[gold.dialogue_of])
    first = np.where(gold.is_customer[kept], 0, WIDTH)
    ids = gold.ids

    def place(row: int) -> tuple[str, str]:
        dialogue = gold.dialogue_of[kept[row]]
        before = int(np.searchsorted(gold.dialogue_of, dialogue))
        return ids[dialogue], f"nugget, turn {kept[row] - before + 1}"

    def takes(row: int) -> str:
        sender: Sender = "customer" if gold.is_customer[kept[row]] else "helpdesk"
        return f"a turn of the {sender} takes {', '.join(NUGGETS[sender])}."

    shares, wrong = _matrix(turns, _NUGGET_CODES, first, WIDTH, place, takes, faults)
    nuggets[kept] = shares
    has[gold.dialogue_of[kept[wrong]]] = False
    nuggets[~has[gold.dialogue_of]] = 0


def _lay_out_quality(
    found: Entries,
    by_id: Mapping[str, SubmissionEntry],
    gold: CountedGold,
    quality: Numbers,
    has: Numbers,
    faults: list[SubmissionFault],
) -> None:
    scales: list[Shares] = []
    for n, id_ in enumerate(gold.turns):
        entry = by_id.get(id_)
        if entry is None:
            continue
        if entry.quality is None:
            _note_missing(found, id_, "quality", "quality", faults)
            continue
        given = [entry.quality.get(scale) for scale in SCALES]
        if len(entry.quality) != len(SCALES) or None in given:
            _note_scales(found, entry.id, entry.quality, faults)
        for column, shares in enumerate(given):
            if shares is not None:
                has[n, column] = True
                scales.append(shares)
    rows, columns = np.nonzero(has)
    ids = gold.ids

    def place(row: int) -> tuple[str, str]:
        return ids[rows[row]], f"quality, '{SCALES[columns[row]]}'"

    def takes(row: int) -> str:
        return f"a scale takes {', '.join(_POINT_CODES)}."

    first = np.zeros(len(rows), dtype=np.intp)
    matrix, wrong = _matrix(scales, _POINT_CODES, first, len(POINTS), place, takes, faults)
    quality[rows, columns] = matrix
    has[rows[wrong], columns[wrong]] = False
    quality[~has] = 0


def _note_missing(
    found: Entries, id_: str, part: str, key: str, faults: list[SubmissionFault]
) -> None:
    """Note that a part is not there, unless it is and has been reported already."""
    if (id_, part) not in found.broken:
        faults.append(SubmissionFault(id_, key, "it is missing here."))


def _note_scales(
    found: Entries, id_: str, given: Mapping[str, Shares], faults: list[SubmissionFault]
) -> None:
    for scale in given:
        if scale not in SCALES:
            faults.append(SubmissionFault(id_, f"quality, '{scale}'", "the scales are A, S and E."))
    for scale in SCALES:
        if scale not in given:
            _note_missing(found, id_, scale, f"quality, '{scale}'", faults)


def _matrix(
    given: Sequence[Shares],
    codes: Mapping[str, int],
    first: Numbers,
    width: int,
    place: Callable[[int], tuple[str, str]],
    takes: Callable[[int], str],
    faults: list[SubmissionFault],
) -> tuple[Numbers, Numbers]:
    """The distributions as rows, labels that are not named 0; and which rows cannot be used.

    `first` is the code of each row's first label. `place` names a row's dialogue and key, `takes`
    says which labels belong there. A row that sums to 0 is a fault, and its distances are undefined:
    it is kept, so that the dialogue counts as undefined and not as missing.
    """
    sizes = np.fromiter(map(len, given), dtype=np.intp, count=len(given))
    total = int(sizes.sum())
    labels = list(chain.from_iterable(given))
    coded = np.fromiter(map(codes.get, labels, repeat(_UNKNOWN)), dtype=np.intp, count=total)
    values = np.fromiter(
        chain.from_iterable(map(dict.values, given)), dtype=np.float64, count=total
    )
    row_of = np.repeat(np.arange(len(given)), sizes)
    columns = coded - first[row_of]
    known = (coded != _UNKNOWN) & (columns >= 0) & (columns < width)
    wrong = ~(known & (values >= 0) & (values < np.inf))
    for item in np.flatnonzero(wrong):
        row = int(row_of[item])
        dialogue, key = place(row)
        message = _wrong_share(float(values[item])) if known[item] else takes(row)
        if labels[item] in PADDING:
            message = "it is not a label: leave it out, and the others are divided by their sum."
        faults.append(SubmissionFault(dialogue, f"{key}, '{labels[item]}'", message))
    matrix = np.zeros((len(given), width))
    used = ~np.isin(row_of, row_of[wrong]) if wrong.any() else slice(None)
    matrix[row_of[used], columns[used]] = values[used]
    unusable = np.zeros(len(given), dtype=bool)
    unusable[row_of[wrong]] = True
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=1)
    for empty in np.flatnonzero(~unusable & ~((sums > 0) & (sums < np.inf))):
        dialogue, key = place(int(empty))
        message = f"the probabilities sum to {sums[empty]:g}, so no distance is defined."
        faults.append(SubmissionFault(dialogue, key, message))
    return matrix, unusable | ~(sums < np.inf)


def _wrong_share(share: float) -> str:
    if share < 0 and share > -np.inf:
        return f"a probability must not be negative; got {share:g}."
    return f"a probability must be a finite number; got {share}."
