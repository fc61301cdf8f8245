"""Judgements summed up per dialogue: what every analysis of validity reads.

A label may be given to a dialogue once or to each of its turns, by one rater or by several. What is
compared is always the dialogue's mean: of a label that was given or not, the share of judgements in
which it was given. Sums are kept beside the means, so that a test can weigh a dialogue by how often
it was judged.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from palaver.analysis.resampling import encode
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.core.registry import near


@dataclass(frozen=True, slots=True)
class DialogueScores:
    """Dialogues × labels: how many judgements, their sum and their sum of squares.

    `binary` says of each label whether every value of it was 0 or 1. `systems` holds the system of
    each dialogue, None where it is not known. `missing` judgements had no value and were left out.
    """

    dialogues: tuple[str, ...]
    labels: tuple[str, ...]
    systems: tuple[str | None, ...]
    counts: Numbers
    sums: Numbers
    squares: Numbers
    binary: tuple[bool, ...]
    missing: int = 0

    @property
    def means(self) -> Numbers:
        """Dialogues × labels, NaN where a dialogue was not judged for a label."""
        return np.where(self.counts > 0, self.sums / np.maximum(self.counts, 1), np.nan)

    def place(self, label: str) -> int:
        """The column of a label; InputError names those there are."""
        if label not in self.labels:
            hint = near(label, self.labels) or f" There are: {', '.join(self.labels)}."
            raise InputError(f"There is no label '{label}'.{hint}")
        return self.labels.index(label)

    def mean_of(self, label: str) -> Numbers:
        found: Numbers = self.means[:, self.place(label)]
        return found

    def others(self, *names: str) -> list[str]:
        return [label for label in self.labels if label not in names]

    def only(self, labels: Collection[str]) -> "DialogueScores":
        """The same dialogues with some of the labels, in the order they stand here."""
        kept = [n for n, label in enumerate(self.labels) if label in labels]
        return replace(
            self,
            labels=tuple(self.labels[n] for n in kept),
            counts=self.counts[:, kept],
            sums=self.sums[:, kept],
            squares=self.squares[:, kept],
            binary=tuple(self.binary[n] for n in kept),
        )


def dialogue_scores(
    dialogues: Sequence[str],
    labels: Sequence[str],
    values: Sequence[float],
    *,
    systems: Sequence[str | None] | None = None,
) -> DialogueScores:
    """Sum judgements up: one row per judgement; a value that is NaN is missing.

    >>> scores = dialogue_scores(["d1", "d1", "d2"], ["rude"] * 3, [1, 0, 0])
    >>> scores.mean_of("rude").tolist()
    [0.5, 0.0]
    """
    given = np.asarray(values, dtype=float)
    if not len(dialogues) == len(labels) == len(given) or np.isinf(given).any():
        raise InputError(
            f"Judgements need a dialogue, a label and a finite value each; got {len(dialogues)} "
            f"dialogues, {len(labels)} labels and {len(given)} values, "
            f"{int(np.isinf(given).sum())} of them infinite."
        )
    here = ~np.isnan(given)
    if not here.any():
        raise InputError("There are no judgements: every value is missing.")
    rows, columns = encode(dialogues), encode(labels)
    shape = (len(rows.levels), len(columns.levels))
    where = rows.codes[here] * shape[1] + columns.codes[here]
    kept = given[here]

    def added(weights: Numbers) -> Numbers:
        total: Numbers = np.bincount(where, weights, minlength=shape[0] * shape[1]).reshape(shape)
        return total

    odd = np.bincount(columns.codes[here], (kept != 0) & (kept != 1), minlength=shape[1])
    return DialogueScores(
        dialogues=tuple(str(level) for level in rows.levels),
        labels=tuple(str(level) for level in columns.levels),
        systems=_systems(dialogues, systems, rows.levels),
        counts=added(np.ones(len(kept))),
        sums=added(kept),
        squares=added(kept**2),
        binary=tuple(bool(each == 0) for each in odd),
        missing=int((~here).sum()),
    )


def _systems(
    dialogues: Sequence[str], systems: Sequence[str | None] | None, levels: Sequence[object]
) -> tuple[str | None, ...]:
    if systems is None:
        return (None,) * len(levels)
    if len(systems) != len(dialogues):
        raise InputError(
            f"Each judgement needs its system; got {len(dialogues)} judgements and "
            f"{len(systems)} systems."
        )
    known: dict[object, str] = {}
    for dialogue, system in zip(dialogues, systems, strict=True):
        if system is not None and known.setdefault(dialogue, system) != system:
            raise InputError(
                f"Dialogue '{dialogue}' is assigned to two systems, '{known[dialogue]}' and "
                f"'{system}'; a dialogue has one."
            )
    return tuple(known.get(level) for level in levels)
