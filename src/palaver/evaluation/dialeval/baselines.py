"""Predictions that need no dialogue to be read: what any system should beat.

`uniform` gives every label the same share. `popularity` puts everything on the label that most
annotators chose, ties shared: it reads the gold data that it is scored on, so it is an oracle and no
competitor, and its file tells what the gold data say. `popularity-from-training` does the same with
the labels of other data: everything on the commonest label there, of the customer's turns, of the
helpdesk's turns and of each scale. `mean-of-training` hands in the mean distribution there instead,
which is the one to beat: annotators are divided, and all on one label is worse than `uniform` by most
measures.
"""

from collections.abc import Callable, Sequence
from typing import Literal, get_args

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.evaluation.dialeval.gold import CountedGold
from palaver.formats.dch2 import NUGGETS, POINTS, SCALES, Sender
from palaver.formats.submissions import Shares, SubmissionEntry

Baseline = Literal["uniform", "mean-of-training", "popularity-from-training", "popularity"]

BASELINES: tuple[Baseline, ...] = get_args(Baseline)
# Learn from other data.
TRAINED: frozenset[Baseline] = frozenset({"mean-of-training", "popularity-from-training"})
# Read the gold data that they are scored on.
ORACLES: frozenset[Baseline] = frozenset({"popularity"})

_POINTS = tuple(str(point) for point in POINTS)


def baseline(
    name: Baseline, gold: CountedGold, *, training: CountedGold | None = None
) -> list[SubmissionEntry]:
    """The submission of a baseline for the dialogues of the gold data, both tasks."""
    if name in TRAINED:
        if training is None:
            raise InputError(f"The baseline '{name}' needs a training file with annotations.")
        learn = _mean_shares if name == "mean-of-training" else _commonest
        return _repeated(gold, learn(training))
    if training is not None:
        raise InputError(f"The baseline '{name}' takes no training file.")
    if name == "uniform":
        return _repeated(gold, {group: np.ones(len(labels)) for group, labels in _groups().items()})
    if name == "popularity":
        return _read_from(gold, _modes)
    raise InputError(f"No baseline '{name}'. Known baselines: {', '.join(BASELINES)}.")


def _groups() -> dict[str, tuple[str, ...]]:
    """The label sets: one per sender, one per scale."""
    by_sender: dict[str, tuple[str, ...]] = {str(sender): each for sender, each in NUGGETS.items()}
    return by_sender | dict.fromkeys(SCALES, _POINTS)


def _repeated(gold: CountedGold, weights: dict[str, Numbers]) -> list[SubmissionEntry]:
    """The same for every dialogue: one distribution per sender and per scale."""
    shares = {group: _shares(weights[group], labels) for group, labels in _groups().items()}
    return [
        SubmissionEntry(
            id_,
            [dict(shares[sender]) for sender in senders],
            {scale: dict(shares[scale]) for scale in SCALES},
        )
        for id_, senders in gold.turns.items()
    ]


def oracles(gold: CountedGold) -> list[list[SubmissionEntry]]:
    """What one who reads the gold data would hand in: the commonest labels, or every annotator's.

    None where there are annotations of some dialogues only.
    """
    try:
        return [_read_from(gold, weigh) for weigh in (_modes, _counts)]
    except InputError:
        return []


def _commonest(training: CountedGold) -> dict[str, Numbers]:
    return {group: _modes(counts.sum(axis=0)) for group, counts in _labels(training).items()}


def _mean_shares(training: CountedGold) -> dict[str, Numbers]:
    """The mean of the distributions of all turns, or dialogues, that have one."""
    found = {}
    for group, counts in _labels(training).items():
        labelled = counts[counts.any(axis=1)]
        found[group] = (labelled / labelled.sum(axis=1, keepdims=True)).mean(axis=0)
    return found


def _labels(training: CountedGold) -> dict[str, Numbers]:
    """The counts of each label set, one row per turn or dialogue; InputError if one is empty."""
    counts: dict[str, Numbers] = {
        "customer": training.nuggets[training.is_customer],
        "helpdesk": training.nuggets[~training.is_customer],
    }
    counts |= {scale: training.quality[:, n] for n, scale in enumerate(SCALES)}
    for group, rows in counts.items():
        if not rows.any():
            raise InputError(f"{training.name} has no labels for '{group}' to learn from.")
    return counts


def _read_from(gold: CountedGold, weigh: Callable[[Numbers], Numbers]) -> list[SubmissionEntry]:
    with_nuggets = _is_complete(gold, "nugget", gold.nuggets)
    with_quality = _is_complete(gold, "quality", gold.quality)
    if not (with_nuggets or with_quality):
        raise InputError(
            f"The baseline 'popularity' reads the annotations of the gold data, but {gold.name} "
            "has none."
        )
    nuggets, quality = weigh(gold.nuggets), weigh(gold.quality)
    entries, first = [], 0
    for row, (id_, senders) in enumerate(gold.turns.items()):
        turns = _turn_shares(nuggets[first : first + len(senders)], senders)
        scales = {scale: _shares(quality[row, n], _POINTS) for n, scale in enumerate(SCALES)}
        entries.append(
            SubmissionEntry(id_, turns if with_nuggets else None, scales if with_quality else None)
        )
        first += len(senders)
    return entries


def _is_complete(gold: CountedGold, key: str, counts: Numbers) -> bool:
    """Whether all of it is annotated, and not none; InputError for some."""
    labelled = counts.any(axis=-1)
    if labelled.any() and not labelled.all():
        raise InputError(
            f"The baseline 'popularity' reads the annotations of the gold data, but {gold.name} "
            f"lacks '{key}' in places."
        )
    return bool(labelled.any())


def _turn_shares(rows: Numbers, senders: Sequence[Sender]) -> list[Shares]:
    return [_shares(row, NUGGETS[sender]) for row, sender in zip(rows, senders, strict=True)]


def _modes(counts: Numbers) -> Numbers:
    """1 where a count is the largest of its row, else 0."""
    found: Numbers = (counts == counts.max(axis=-1, keepdims=True)).astype(np.float64)
    return found


def _counts(counts: Numbers) -> Numbers:
    return counts


def _shares(weights: Numbers, labels: Sequence[str]) -> Shares:
    used = weights[: len(labels)]
    return dict(zip(labels, (used / used.sum()).tolist(), strict=True))
