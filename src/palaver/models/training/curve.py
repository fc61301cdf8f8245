"""The curve of a training: a row per epoch, and how it looks in a terminal."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

_BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveRow:
    """One epoch: the loss it had on average, and what was measured after it."""

    epoch: int
    loss: float
    rate: float
    seconds: float
    measured: Mapping[str, float] = field(default_factory=dict)
    is_best: bool = False

    def as_json(self) -> dict[str, Any]:
        """The row as JSON, which has no NaN: what is not a number is null."""
        measured = {n: v if math.isfinite(v) else None for n, v in self.measured.items()}
        return {**asdict(self), "measured": measured}


def read_rows(given: Sequence[Mapping[str, Any]]) -> list[CurveRow]:
    """The rows that were written down."""
    rows = [CurveRow(**each) for each in given]
    return [replace(row, measured=_with_nan(row.measured)) for row in rows]


def sparkline(values: Sequence[float], width: int = 24) -> str:
    """The last values as blocks, the least lowest.

    >>> sparkline([3.0, 2.0, 1.0])
    '█▅▁'
    """
    shown = [value for value in values if math.isfinite(value)][-width:]
    if not shown:
        return ""
    least, most = min(shown), max(shown)
    scale = (len(_BLOCKS) - 1) / (most - least) if most > least else 0.0
    # Halves are rounded up, so that the middle of three stands above the middle.
    return "".join(_BLOCKS[int((value - least) * scale + 0.5)] for value in shown)


def epoch_line(row: CurveRow, *, epochs: int, watched: str, rows: Sequence[CurveRow]) -> str:
    """One epoch as a line of a terminal."""
    names = [watched, *(name for name in row.measured if name != watched)]
    told = [f"{name.replace('_', ' ')} {shown(row.measured[name])}" for name in names[:4]]
    line = sparkline([each.measured[watched] for each in rows])
    best = "  best so far" if row.is_best else ""
    return (
        f"epoch {row.epoch:>{len(str(epochs))}}/{epochs}  loss {shown(row.loss)}  {'  '.join(told)}  "
        f"{row.seconds:.1f} s  {line}{best}"
    )


def _with_nan(measured: Mapping[str, float | None]) -> dict[str, float]:
    return {name: math.nan if value is None else value for name, value in measured.items()}


def shown(value: float) -> str:
    """A measure with as many digits as one reads.

    >>> shown(5.4321), shown(0.034567), shown(1234.5)
    ('5.432', '0.03457', '1234')
    """
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
