"""Weights of metrics and of data sets: what was given, checked, else the defaults."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import BoardColumn, ScoringSet
from palaver.core.registry import near
from palaver.evaluation.dynaboards.columns import own_name

# The middle of the sliders that boards have, 0 to 10; only proportions matter.
DATASET_WEIGHT = 5.0


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight per column and per data set, in their order."""

    metrics: tuple[float, ...]
    datasets: tuple[float, ...]


def resolve_weights(
    columns: Sequence[BoardColumn],
    sets: Sequence[ScoringSet],
    *,
    gone: Sequence[BoardColumn] = (),
    metrics: Mapping[str, float] | None = None,
    datasets: Mapping[str, float] | None = None,
) -> Weights:
    """The weights in use; InputError names a metric or data set that the board does not have.

    Metrics that are `gone`, because no model has them, may be named and do not count.
    """
    unused = {column.key for column in gone}
    chosen = {column.key: column.usual_weight for column in columns}
    for name, weight in (metrics or {}).items():
        key = own_name(name, tuple(columns))
        if key not in unused:
            _check("metric", key, weight, chosen)
            chosen[key] = weight
    shares = {each.name: DATASET_WEIGHT for each in sets}
    for name, weight in (datasets or {}).items():
        _check("data set", name, weight, shares)
        shares[name] = weight
    for what, given in (("metrics", chosen), ("data sets", shares)):
        if given and not any(given.values()):
            raise InputError(f"All {what} have weight 0; give at least one of them a weight.")
    return Weights(tuple(chosen.values()), tuple(shares.values()))


def parse_weights(text: str, names: Sequence[str], *, what: str) -> dict[str, float]:
    """Weights by name from "4|1|1", in the order of `names`; `what` is the parameter's name."""
    parts = text.split("|") if text else []
    if len(parts) != len(names):
        raise InputError(
            f"{what} takes {len(names)} numbers separated by '|' ({'|'.join(names)}); "
            f"got {len(parts)}."
        )
    return {name: _number(part, name, what) for name, part in zip(names, parts, strict=True)}


def _number(text: str, name: str, what: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not isfinite(found) or found < 0:
        raise InputError(
            f"{what}: the weight of '{name}' must be a number of 0 or more; got '{text}'."
        )
    return found


def _check(what: str, name: str, weight: float, known: Mapping[str, float]) -> None:
    if name not in known:
        raise InputError(
            f"The board has no {what} '{name}'.{near(name, known)} "
            f"It has: {', '.join(known) or 'none'}."
        )
    if not isfinite(weight) or weight < 0:
        raise InputError(f"The weight of '{name}' must be a number of 0 or more; got {weight:g}.")
