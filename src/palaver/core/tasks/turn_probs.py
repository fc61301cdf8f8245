"""A distribution over labels for each turn of a dialogue, where each speaker has labels of their own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.tasks.fields import Field, shown
from palaver.core.tasks.labelled import distribution, halves


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnProbs(Field):
    """A list with one distribution per turn of the dialogue in the field `reference`.

    `labels` are those of each speaker. `sparse` and `normalised` are as those of `prob`.
    """

    kind: ClassVar[str] = "turn_probs"

    labels: Mapping[str, tuple[str, ...]]
    reference: str
    sparse: bool = False
    normalised: bool = True

    def __post_init__(self) -> None:
        """Refuse labels that cannot be told apart, within a speaker or between two."""
        if not self.labels:
            raise ValueError("'labels' takes the labels of each speaker: {customer: [a, b], …}.")
        for speaker, labels in self.labels.items():
            twice = sorted({label for label in labels if labels.count(label) > 1})
            if twice:
                raise ValueError(f"The label '{twice[0]}' is listed twice for '{speaker}'.")
            if len(labels) < 2:
                raise ValueError(f"'labels' takes two labels or more for '{speaker}'.")
        if len({frozenset(labels) for labels in self.labels.values()}) < len(self.labels):
            raise ValueError("Two speakers have the same labels; then use one 'prob' per turn.")

    @property
    def refers_to(self) -> tuple[str, ...]:
        """The dialogue whose turns these are."""
        return (self.reference,)

    def check(self, value: Any, record: Mapping[str, Any]) -> list[dict[str, float]]:
        return self._checked(value, record, sparse=self.sparse)

    def check_uploaded(self, value: Any, record: Mapping[str, Any]) -> list[dict[str, float]]:
        """The same; a label that is not given has the probability 0."""
        return self._checked(value, record, sparse=True)

    def sample(self, record: Mapping[str, Any]) -> list[dict[str, float]]:
        """Halves for each turn of the dialogue; one turn of each speaker where there is none."""
        turns = record.get(self.reference)
        named = [turn["speaker"] for turn in turns] if isinstance(turns, list) else []
        first = next(iter(self.labels.values()))
        speakers = named or list(self.labels)
        return [halves(self.labels.get(speaker, first)) for speaker in speakers]

    def measured(self, value: Any) -> list[tuple[str, list[float]]]:
        """Who speaks, and the masses in the order of the speaker's labels, turn by turn."""
        speakers = {frozenset(labels): speaker for speaker, labels in self.labels.items()}
        found = []
        for turn in value:
            speaker = speakers[frozenset(turn)]
            found.append((speaker, [turn[label] for label in self.labels[speaker]]))
        return found

    def _checked(
        self, value: Any, record: Mapping[str, Any], *, sparse: bool
    ) -> list[dict[str, float]]:
        turns = record.get(self.reference)
        if not isinstance(turns, list):
            raise ValueError(f"there is no dialogue in '{self.reference}' to check it against")
        if not isinstance(value, list):
            raise ValueError(f"expected a list, one mapping per turn; got {shown(value)}")
        if len(value) != len(turns):
            raise ValueError(f"expected {len(turns)} predictions, one per turn; got {len(value)}")
        return list(self._distributions(value, turns, sparse=sparse))

    def _distributions(
        self, value: Sequence[Any], turns: Sequence[Mapping[str, Any]], *, sparse: bool
    ) -> Iterator[dict[str, float]]:
        for n, (given, turn) in enumerate(zip(value, turns, strict=True), start=1):
            speaker = turn.get("speaker")
            labels = self.labels.get(str(speaker))
            if labels is None:
                known = ", ".join(self.labels)
                raise ValueError(f"turn {n} is of '{speaker}'; the speakers are {known}")
            try:
                yield distribution(given, labels, sparse=sparse, normalised=self.normalised)
            except ValueError as error:
                raise ValueError(f"turn {n} ({speaker}): {error}") from None
