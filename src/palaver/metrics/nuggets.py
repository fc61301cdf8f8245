"""How far predicted labels of a dialogue's turns are from those of its annotators.

A dialogue's distance is α times the mean over the customer's turns plus 1 − α times the mean over the
others' (the helpdesk's), each turn compared by a distance for labels without an order. A dialogue in
which one side says nothing has no distance; the mean is over the others, and says how many they are.

So the shared tasks STC-3 and DialEval measure nugget detection: their code weighs the two sides, and
their worked example comes out so to the last printed digit. A mean over all turns of a dialogue, which
weighs a side by how often it speaks, does not give it (docs/dialeval.md).
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.metrics.distances import Distance, jsd, rnss
from palaver.metrics.metric import Example, Metric, Score
from palaver.metrics.shapes import TURN_MASSES, fit_number

# How the customer's turns weigh against the others'.
ALPHA = 0.5
CUSTOMER = "customer"
ONE_SIDED = "no dialogue has turns of both sides"
ZENG = "Z. Zeng, S. Kato, T. Sakai (2019), Overview of the NTCIR-14 Short Text Conversation task: "
ZENG += "dialogue quality and nugget detection subtasks, NTCIR-14."

Turns = tuple[tuple[str, tuple[float, ...]], ...]
_PREDICTED = [[["customer", [0.5, 0.5]], ["helpdesk", [0.0, 1.0]], ["customer", [1.0, 0.0]]]]
_TRUE = [[["customer", [19, 0]], ["helpdesk", [0, 19]], ["customer", [19, 0]]]]


def dialogue_distances(
    distance: Distance,
    predicted: Numbers,
    true: Numbers,
    *,
    dialogue_of: Numbers,
    is_customer: Numbers,
    dialogues: int,
    alpha: float = ALPHA,
) -> Numbers:
    """The distance of each dialogue; NaN where a side that weighs has no turn.

    Turns of all dialogues stand below each other (turns × labels); `dialogue_of` and `is_customer` say
    of each whose it is.
    """
    turns = distance(predicted, true)
    found = np.zeros(dialogues)
    for weight, side in ((alpha, is_customer), (1 - alpha, ~is_customer)):
        if weight > 0:
            found += weight * _mean_by_dialogue(turns[side], dialogue_of[side], dialogues)
    return found


def nugget_jsd(predictions: Sequence[Turns], references: Sequence[Turns], **options: Any) -> Score:
    """The mean over dialogues of the Jensen–Shannon divergence of their turns, each side half."""
    return _mean(jsd, predictions, references, **options)


def nugget_rnss(predictions: Sequence[Turns], references: Sequence[Turns], **options: Any) -> Score:
    """The mean over dialogues of the root normalised sum of squares of their turns, each side half."""
    return _mean(rnss, predictions, references, **options)


def _mean(
    distance: Distance,
    predictions: Sequence[Turns],
    references: Sequence[Turns],
    *,
    alpha: Any = ALPHA,
) -> Score:
    _check_turns(predictions, references)
    lengths = [len(dialogue) for dialogue in references]
    every = [turn for dialogue in references for turn in dialogue]
    values = dialogue_distances(
        distance,
        _matrix([turn for dialogue in predictions for turn in dialogue]),
        _matrix(every),
        dialogue_of=np.repeat(np.arange(len(lengths)), lengths),
        is_customer=np.array([speaker == CUSTOMER for speaker, _ in every], dtype=bool),
        dialogues=len(lengths),
        alpha=_alpha(alpha),
    )
    known = values[~np.isnan(values)].tolist()
    undefined = len(values) - len(known)
    parts = {"undefined": undefined} if undefined else {}
    if not known:
        return Score.undefined(ONE_SIDED, parts=parts)
    warned = f"Left out: {undefined} of {len(values)} dialogues, in which one side says nothing."
    return Score(
        value=math.fsum(known) / len(known),
        n=len(known),
        per_item=tuple(values.tolist()),
        parts=parts,
        warnings=(warned,) if undefined else (),
    )


def _check_turns(predictions: Sequence[Turns], references: Sequence[Turns]) -> None:
    for item, (given, right) in enumerate(zip(predictions, references, strict=True), start=1):
        if len(given) != len(right):
            raise InputError(
                f"Item {item} has {len(given)} turns in the prediction and {len(right)} in the "
                "reference."
            )
        for n, (one, other) in enumerate(zip(given, right, strict=True), start=1):
            if one[0] != other[0] or len(one[1]) != len(other[1]):
                raise InputError(
                    f"Item {item}, turn {n}: the prediction is of '{one[0]}' with {len(one[1])} "
                    f"labels, the reference of '{other[0]}' with {len(other[1])}."
                )


def _matrix(turns: Sequence[tuple[str, tuple[float, ...]]]) -> Numbers:
    """Turns × labels; those with fewer labels are filled up with 0, which changes no distance."""
    width = max((len(masses) for _, masses in turns), default=1)
    found = np.zeros((len(turns), width))
    for row, (_, masses) in zip(found, turns, strict=True):
        row[: len(masses)] = masses
    return found


def _mean_by_dialogue(values: Numbers, dialogue: Numbers, dialogues: int) -> Numbers:
    """The mean over the turns of each dialogue, NaN where it has none."""
    sums = np.bincount(dialogue, weights=values, minlength=dialogues)
    with np.errstate(invalid="ignore"):
        found: Numbers = sums / np.bincount(dialogue, minlength=dialogues)
    return found


def _alpha(value: Any) -> float:
    try:
        found = fit_number(value)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise InputError(f"Option 'alpha' takes a number from 0 to 1; got {value!r}.")
    return found


_nugget_metric = partial(
    Metric,
    family="distribution",
    direction="lower",
    paper=ZENG,
    predictions=TURN_MASSES,
    references=TURN_MASSES,
    options={"alpha": "how much the customer's turns count, 0 to 1; 0.5 if not given"},
    decomposes=True,
)
NUGGET_JSD = _nugget_metric(
    name="nugget_jsd",
    title="Nugget JSD",
    about="Jensen–Shannon divergence of a dialogue's turns, the customer's and the others' half each.",
    unit="bits",
    function=nugget_jsd,
    example=Example(_PREDICTED, _TRUE, 0.25 * jsd([0.5, 0.5], [1, 0])),
)
NUGGET_RNSS = _nugget_metric(
    name="nugget_rnss",
    title="Nugget RNSS",
    about="Root normalised sum of squares of a dialogue's turns, the two sides half each.",
    unit="distance",
    function=nugget_rnss,
    example=Example(_PREDICTED, _TRUE, 0.125),
)
