"""Predictions that need no dialogue to be read: what any system should beat.

`uniform` gives every label the same share. `popularity` puts everything on the label that most
annotators chose, ties shared: it reads the gold data that it is scored on, so it is an oracle and no
competitor, and its file tells what the gold data say. `popularity-from-training` does the same with
the labels of other data: everything on the commonest label there, of the customer's turns, of the
helpdesk's turns and of each scale.
"""

from collections.abc import Sequence
from typing import Literal

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.evaluation.dialeval.gold import Gold
from palaver.formats.dch2 import NUGGETS, POINTS, SCALES, Sender
from palaver.formats.submissions import Shares, SubmissionEntry

Baseline = Literal["uniform", "popularity", "popularity-from-training"]

BASELINES: tuple[Baseline, ...] = ("uniform", "popularity", "popularity-from-training")
# Read the gold data that they are scored on.
ORACLES: frozenset[Baseline] = frozenset({"popularity"})

_POINTS = tuple(str(point) for point in POINTS)


def baseline(name: Baseline, gold: Gold, *, training: Gold | None = None) -> list[SubmissionEntry]:
    """The submission of a baseline for the dialogues of the gold data, both tasks."""
    if name == "popularity-from-training":
        if training is None:
            raise InputError(
                "The baseline 'popularity-from-training' needs a training file with annotations."
            )
        return _repeated(gold, _commonest(training))
    if training is not None:
        raise InputError(f"The baseline '{name}' takes no training file.")
    if name == "uniform":
        return _repeated(gold, {group: np.ones(len(labels)) for group, labels in _groups().items()})
    if name == "popularity":
        return _popular(gold)
    raise InputError(f"No baseline '{name}'. Known baselines: {', '.join(BASELINES)}.")


def _groups() -> dict[str, tuple[str, ...]]:
    """The label sets: one per sender, one per scale."""
    by_sender: dict[str, tuple[str, ...]] = {str(sender): each for sender, each in NUGGETS.items()}
    return by_sender | dict.fromkeys(SCALES, _POINTS)


def _repeated(gold: Gold, weights: dict[str, Numbers]) -> list[SubmissionEntry]:
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


def _commonest(training: Gold) -> dict[str, Numbers]:
    sums: dict[str, Numbers] = {
        "customer": training.nuggets[training.is_customer].sum(axis=0),
        "helpdesk": training.nuggets[~training.is_customer].sum(axis=0),
    }
    sums |= {scale: training.quality[:, n].sum(axis=0) for n, scale in enumerate(SCALES)}
    for group, counts in sums.items():
        if not counts.any():
            raise InputError(f"{training.name} has no labels for '{group}' to learn from.")
    return {group: _modes(counts) for group, counts in sums.items()}


def _popular(gold: Gold) -> list[SubmissionEntry]:
    with_nuggets = _is_complete(gold, "nugget", gold.nuggets)
    with_quality = _is_complete(gold, "quality", gold.quality)
    if not (with_nuggets or with_quality):
        raise InputError(
            f"The baseline 'popularity' reads the annotations of the gold data, but {gold.name} "
            "has none."
        )
    nuggets, quality = _modes(gold.nuggets), _modes(gold.quality)
    entries, first = [], 0
    for row, (id_, senders) in enumerate(gold.turns.items()):
        turns = _turn_shares(nuggets[first : first + len(senders)], senders)
        scales = {scale: _shares(quality[row, n], _POINTS) for n, scale in enumerate(SCALES)}
        entries.append(
            SubmissionEntry(id_, turns if with_nuggets else None, scales if with_quality else None)
        )
        first += len(senders)
    return entries


def _is_complete(gold: Gold, key: str, counts: Numbers) -> bool:
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


def _shares(weights: Numbers, labels: Sequence[str]) -> Shares:
    used = weights[: len(labels)]
    return dict(zip(labels, (used / used.sum()).tolist(), strict=True))
