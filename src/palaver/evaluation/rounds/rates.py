"""Verified error rates of a round: of all, and by model, label, tag and writer.

The rate is the share of answered tries that fooled the model and that others found right: what
Dynabench calls the validated model error rate, vMER = validated errors / examples. Tries of one writer
hang together, so writers are the unit of sampling (`analysis/clustered_shares`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from palaver.analysis.clustered_shares import clustered_share
from palaver.analysis.means import difference
from palaver.core.estimates import Estimate
from palaver.core.evaluation.rounds import ErrorRate, Round, RoundRates, WrittenExample

ALL = "all"
WRITERS = "writers"
# Verdicts by which an example is verified not to be right.
REFUSED = ("incorrect", "flagged")


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
    labelled = [each for each in examples if label_field and _label(each, label_field)]
    return RoundRates(
        task=round_.task,
        round=round_.number,
        overall=error_rate(ALL, examples),
        models=_by(examples, lambda each: each.model, first=[m.system for m in round_.models]),
        labels=_by(labelled, lambda each: _label(each, label_field), first=round_.terms.labels),
        tags=_by([each for each in examples if each.tag], lambda each: each.tag),
        writers=_by(examples, lambda each: each.writer),
    )


def error_rate(name: str, examples: Sequence[WrittenExample]) -> ErrorRate:
    """How often models were fooled in these examples.

    Refused is what fooled the model but not the validators: wrong, flagged, split, or said before.
    """
    fooling = [each for each in examples if each.is_fooling]
    verified = sum(each.is_verified for each in fooling)
    waiting = sum(each.standing == "waiting" and not each.is_duplicate for each in fooling)
    writers = [each.writer for each in examples]
    return ErrorRate(
        name=name,
        examples=len(examples),
        fooling=len(fooling),
        verified=verified,
        refused=len(fooling) - verified - waiting,
        waiting=waiting,
        writers=len(set(writers)),
        rate=clustered_share([each.is_verified for each in examples], writers, what=WRITERS),
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
    examples: Iterable[WrittenExample],
    name_of: Callable[[WrittenExample], str],
    *,
    first: Sequence[str] = (),
) -> tuple[ErrorRate, ...]:
    """A rate for each name; those of `first` come first, also without examples, others by name."""
    groups: dict[str, list[WrittenExample]] = {name: [] for name in first}
    found: dict[str, list[WrittenExample]] = {}
    for each in examples:
        found.setdefault(name_of(each), []).append(each)
    groups |= {name: found[name] for name in sorted(found)}
    groups = {name: groups[name] for name in dict.fromkeys([*first, *groups])}
    return tuple(error_rate(name, group) for name, group in groups.items())


def _label(example: WrittenExample, field: str) -> str:
    value = example.values.get(field)
    return value if isinstance(value, str) else ""
