"""Judgements that are made up, for the tests of validity."""

from collections.abc import Mapping, Sequence

import numpy as np

from palaver.analysis.validity import DialogueScores, dialogue_scores


def table(
    columns: Mapping[str, Sequence[float]], systems: Sequence[str] | None = None
) -> DialogueScores:
    """One value per dialogue and label, from columns by label; NaN is missing."""
    names, labels, values, of = [], [], [], []
    for label, column in columns.items():
        for n, value in enumerate(column):
            names.append(f"d{n}")
            labels.append(label)
            values.append(float(value))
            of.append(systems[n] if systems else None)
    return dialogue_scores(names, labels, values, systems=of)


def made_up(n: int = 80, labels: int = 4, seed: int = 1) -> dict[str, list[float]]:
    """Labels of which the first ones predict quality."""
    dice = np.random.default_rng(seed)
    x = dice.normal(size=(n, labels))
    x[:, -1] += 0.7 * x[:, 0]
    y = x @ (0.8 ** np.arange(labels) / 2) * (np.arange(labels) < 3).max() + dice.normal(size=n)
    columns = {f"x{k}": x[:, k].tolist() for k in range(labels)}
    return {**columns, "quality": y.tolist()}
