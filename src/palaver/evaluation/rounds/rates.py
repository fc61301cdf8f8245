"""Verified error rates of a round: of all, and by model, label, tag and writer.

The rate is the share of answered tries that fooled the model and that others found right: what
Dynabench calls the validated model error rate, vMER = validated errors / examples. Tries of one writer
hang together, so writers are the unit of sampling (`analysis/clustered_shares`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palaver.analysis.clustered_shares import clustered_share
from palaver.analysis.means import difference
from palaver.core.estimates import Estimate
from palaver.core.evaluation.rounds import ErrorRate, Round, RoundRates, WrittenExample

ALL = "all"
WRITERS = "writers"
# Verdicts by which an example is verified not to be right.
REFUSED = ("incorrect", "flagged")


class _Outcome(NamedTuple):
    """What an error rate knows of an example."""

    writer: str
    is_fooling: bool
    is_verified: bool
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """How much more often one model of a round was fooled than another, by writers."""

    model: str
    other: str
    difference: Estimate


def round_rates(
    round_: Round, examples: Sequence[WrittenExample], *, label_field: str = ""
) -> RoundRates:
    """The error rates of a round; `label_field` names the gold field whose labels are told apart."""
    # An example counts for several rates; what became of it is asked once.
    outcomes = list(map(_outcome, examples))
    labels = [_label(each, label_field) for each in examples] if label_field else []
    return RoundRates(
        task=round_.task,
        round=round_.number,
        overall=_rate(ALL, outcomes),
        models=_by(
            [each.model for each in examples], outcomes, first=[m.system for m in round_.models]
        ),
        labels=_by(labels, outcomes, first=round_.terms.labels, but=""),
        tags=_by([each.tag for each in examples], outcomes, but=""),
        writers=_by([each.writer for each in examples], outcomes),
    )


def error_rate(name: str, examples: Sequence[WrittenExample]) -> ErrorRate:
    """How often models were fooled in these examples.

    Refused is what fooled the model but not the validators: wrong, flagged, split, or said before.
    """
    return _rate(name, list(map(_outcome, examples)))


def _outcome(example: WrittenExample) -> _Outcome:
    return _Outcome(
        writer=example.writer,
        is_fooling=example.is_fooling,
        is_verified=example.is_verified,
        is_waiting=example.is_fooling
        and example.standing == "waiting"
        and not example.is_duplicate,
    )


def _rate(name: str, outcomes: Sequence[_Outcome]) -> ErrorRate:
    fooling = sum(each.is_fooling for each in outcomes)
    verified = sum(each.is_verified for each in outcomes)
    waiting = sum(each.is_waiting for each in outcomes)
    writers = [each.writer for each in outcomes]
    return ErrorRate(
        name=name,
        examples=len(outcomes),
        fooling=fooling,
        verified=verified,
        refused=fooling - verified - waiting,
        waiting=waiting,
        writers=len(set(writers)),
        rate=clustered_share([each.is_verified for each in outcomes], writers, what=WRITERS),
    )


def board_mer(examples: Sequence[WrittenExample]) -> float | None:
    """The error rate of Dynabench's user board, in percent; None where nothing was submitted.

    100 · (fooled − verified not correct) / submitted: what still waits, or was split, counts as if it
    were right. For comparison with released numbers; it has no interval.
    """
    if not examples:
        return None
    stands = [each.is_fooling and each.standing not in REFUSED for each in examples]
    return 100 * sum(stands) / len(examples)


def compare_models(examples: Sequence[WrittenExample]) -> tuple[ModelDifference, ...]:
    """The differences of the rates of every two models, in the order of their names."""
    names = sorted({each.model for each in examples})
    return tuple(
        ModelDifference(one, other, _difference(examples, one, other))
        for place, one in enumerate(names)
        for other in names[place + 1 :]
    )


def _difference(examples: Sequence[WrittenExample], one: str, other: str) -> Estimate:
    sides = [[each for each in examples if each.model == name] for name in (one, other)]
    first, second = ([float(each.is_verified) for each in side] for side in sides)
    writers = [[each.writer for each in side] for side in sides]
    return difference(first, second, [writers[0]], [writers[1]])


def _by(
    names: Iterable[str],
    outcomes: Iterable[_Outcome],
    *,
    first: Sequence[str] = (),
    but: str | None = None,
) -> tuple[ErrorRate, ...]:
    """A rate for each name `but` one; those of `first` come first, also without examples.

    The others come by name. There is a name for each outcome, or none for any.
    """
    found: dict[str, list[_Outcome]] = {}
    for name, outcome in zip(names, outcomes, strict=False):
        if name != but:
            found.setdefault(name, []).append(outcome)
    ordered = dict.fromkeys([*first, *sorted(found)])
    return tuple(_rate(name, found.get(name, ())) for name in ordered)


def _label(example: WrittenExample, field: str) -> str:
    value = example.values.get(field)
    return value if isinstance(value, str) else ""
