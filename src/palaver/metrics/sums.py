"""Metrics in additive form: what each item adds, and the value of what was added.

A `Form` says `rows(metric, predictions, references, **options)`, one row of numbers per item, and
`value(sums)`, such that the value of the sum of all rows is the metric. A bootstrap then draws how
often each item occurs and multiplies: counts (samples × items) @ rows (items × numbers). The sums may
have any axes before the last. A metric without a form must be computed anew for every sample. Rows are
kept beside a score in few bytes.

    form = form_for(metric, options)
    form.value(form.rows(metric, predictions, references, **options).sum(axis=0))
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np
from palaver.metrics import class_sums
from palaver.metrics.class_sums import ratio_value
from palaver.metrics.metric import Metric
from palaver.metrics.text import error_rates, text_sums
from palaver.metrics.text.bleu import SMOOTHING

# From the narrowest to the widest; a column of counts takes the first that holds it exactly.
COUNTS = ("u1", "<u2", "<i4", "<i8")
# Other numbers keep seven digits, which is plenty for a bootstrap; all of them where that is too few.
SHORT, LONG = "<f4", "<f8"
DIGITS = 1e-6
LEVEL = 6


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which items add up; `name` is what a stored score remembers of it."""

    name: str
    rows: Callable[..., Numbers]
    value: Callable[[Numbers], Numbers]


class _Head(msgspec.Struct):
    items: int
    types: list[str]


def mean_rows(values: Any) -> Numbers:
    """Rows of a mean: the value of each item, and 1; an item without a value (NaN) adds nothing."""
    found = np.asarray(values, dtype=np.float64)
    there = np.isfinite(found)
    rows: Numbers = np.stack([np.where(there, found, 0.0), there.astype(np.float64)], axis=1)
    return rows


def time_rows(seconds: Any, busy: float) -> Numbers:
    """Rows of a throughput: 1, and each item's share of the seconds the model was busy."""
    found = np.asarray(seconds, dtype=np.float64)
    rows: Numbers = np.stack([np.ones(len(found)), found * (busy / found.sum())], axis=1)
    return rows


def form_for(metric: Metric, options: Mapping[str, Any] | None = None) -> Form | None:
    """The form of a metric with these options; None where it must be computed anew."""
    if metric.family == "own":
        return None
    if metric.decomposes:
        return FORMS["mean"]
    return FORMS.get(_form_name(metric.name, options or {}))


def pack_rows(rows: Numbers, *, exact: bool = False) -> bytes:
    """The rows (items × columns), each column in the narrowest type that holds it, compressed.

    With `exact` every digit is kept, so that what is computed from them again is the same number.

    >>> unpack_rows(pack_rows(np.array([[1, 0.5], [0, 2]]))).tolist()
    [[1.0, 0.5], [0.0, 2.0]]
    """
    columns = [_narrow(rows[:, n], exact=exact) for n in range(rows.shape[1])]
    head = msgspec.json.encode(_Head(len(rows), [column.dtype.str for column in columns]))
    body = b"".join(column.tobytes() for column in columns)
    return head + b"\n" + zlib.compress(body, LEVEL)


def unpack_rows(packed: bytes) -> Numbers:
    """The rows that were packed, as floats."""
    start, _, body = packed.partition(b"\n")
    try:
        head = msgspec.json.decode(start, type=_Head)
        content = zlib.decompress(body)
    except (msgspec.MsgspecError, zlib.error) as error:
        raise InputError(f"The stored rows of a score cannot be read: {error}.") from error
    rows: Numbers = np.empty((head.items, len(head.types)))
    place = 0
    for n, kind in enumerate(head.types):
        column = np.frombuffer(content, dtype=kind, count=head.items, offset=place)
        rows[:, n] = column
        place += column.nbytes
    return rows


def _form_name(metric: str, options: Mapping[str, Any]) -> str:
    if metric in ("bleu", "sp_bleu"):
        ending = "-effective" if options.get("effective_order") else ""
        smooth = options.get("smooth", "exp")
        return metric + ("" if smooth == "exp" else f"-{smooth}") + ending
    if metric == "dataperf_f1" and options.get("legacy"):
        return "dataperf_f1-legacy"
    return metric


def _checked(
    make: Callable[..., Numbers], *, unused: tuple[str, ...] = ()
) -> Callable[..., Numbers]:
    """Rows from items that the metric has checked first."""

    def rows(metric: Metric, predictions: Any, references: Any, **options: Any) -> Numbers:
        sides = metric.checked(predictions, references, **options)
        return make(*sides, **{k: v for k, v in options.items() if k not in unused})

    return rows


def _item_values(
    metric: Metric, predictions: Any, references: Any = None, **options: Any
) -> Numbers:
    return mean_rows(metric.compute(predictions, references, **options).per_item)


def _time_values(metric: Metric, predictions: Any, references: Any, **options: Any) -> Numbers:
    return time_rows(predictions, float(np.sum(predictions)))


def _edits(count: Callable[..., list[tuple[int, int]]]) -> Callable[..., Numbers]:
    def rows(*sides: Any, **options: Any) -> Numbers:
        return np.array(count(*sides, **options), dtype=np.float64)

    return rows


def _bleu_forms() -> list[Form]:
    found = []
    for metric, rows in (("bleu", text_sums.bleu_rows), ("sp_bleu", text_sums.sp_bleu_rows)):
        for smooth in SMOOTHING:
            for effective in (False, True):
                name = _form_name(metric, {"smooth": smooth, "effective_order": effective})
                value = partial(text_sums.bleu_value, smooth=smooth, effective_order=effective)
                found.append(Form(name, _checked(rows), value))
    return found


def _class_form(name: str, value: Callable[[Numbers], Numbers]) -> Form:
    return Form(name, _checked(class_sums.class_rows), value)


def _narrow(column: Numbers, *, exact: bool) -> Numbers:
    for kind in COUNTS:
        with np.errstate(invalid="ignore"):
            found: Numbers = column.astype(kind)
        if np.array_equal(found, column):
            return found
    with np.errstate(over="ignore", under="ignore"):
        short: Numbers = column.astype(SHORT)
    if not exact and np.allclose(short, column, rtol=DIGITS, atol=0):
        return short
    long: Numbers = column.astype(LONG)
    return long


FORMS: Mapping[str, Form] = {
    form.name: form
    for form in (
        Form("mean", _item_values, ratio_value),
        Form("throughput", _time_values, ratio_value),
        _class_form("macro_f1", class_sums.macro_f1_value),
        _class_form("macro_precision", class_sums.macro_precision_value),
        _class_form("macro_recall", class_sums.macro_recall_value),
        _class_form("micro_f1", class_sums.micro_f1_value),
        _class_form("weighted_f1", class_sums.weighted_f1_value),
        _class_form("balanced_accuracy", class_sums.balanced_accuracy_value),
        _class_form("dataperf_balanced_accuracy", class_sums.balanced_accuracy_value),
        _class_form("mcc", class_sums.matthews_value),
        Form("f1", _checked(class_sums.one_class_rows), class_sums.micro_f1_value),
        Form("fpr", _checked(class_sums.false_positive_rows), ratio_value),
        Form(
            "dataperf_f1",
            _checked(class_sums.label_set_rows, unused=("legacy",)),
            class_sums.macro_f1_value,
        ),
        Form(
            "dataperf_f1-legacy",
            _checked(class_sums.label_agreement_rows, unused=("legacy",)),
            class_sums.label_agreement_value,
        ),
        Form("dataperf_fraction_of_fixes", _checked(class_sums.count_rows), ratio_value),
        Form("cer", _checked(_edits(error_rates.character_errors)), ratio_value),
        Form("wer", _checked(_edits(error_rates.word_errors)), ratio_value),
        Form("chrf", _checked(text_sums.chrf_rows), text_sums.chrf_value),
        Form("chrf_pp", _checked(text_sums.chrf_plus_plus_rows), text_sums.chrf_value),
        Form("ter", _checked(text_sums.ter_rows), text_sums.ter_value),
        *_bleu_forms(),
    )
}
