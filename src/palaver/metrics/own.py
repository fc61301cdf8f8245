"""A metric of one's own: a function `(predictions, references) -> number`, and nothing else needed.

The function may return a number, a mapping with a "value" (and "per_item", the rest being parts), or
a `Score`. One parameter instead of two: it takes no references. Keyword-only parameters are its
options. What is known of it may be set as attributes:

    def polite(predictions, references):
        '''The share of replies that say please.'''
        return sum("please" in text.lower() for text in predictions) / len(predictions)

    polite.direction = "higher"   # or "lower"; "none" if not given
    polite.low, polite.high = 0, 1
    polite.unit, polite.paper, polite.title = "share", "A. Author (2020)", "Politeness"
"""

import hashlib
import inspect
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

from palaver.core.errors import InputError, PalaverError
from palaver.core.loading import load_own
from palaver.metrics.metric import Direction, Metric, Score
from palaver.metrics.shapes import PRESENT, fit_number


def own_metric(target: str, *, folder: Path) -> Metric:
    """The metric that "module:function" names; a file in `folder` comes before what is installed."""
    found = load_own(target, folder=folder, what="Your own metric is")
    return as_metric(found, target)


def as_metric(found: Any, name: str) -> Metric:
    """What an entry point or a target led to, as a metric."""
    if isinstance(found, Metric):
        return found
    if not callable(found):
        raise InputError(f"'{name}' is {type(found).__name__}; expected a function or a Metric.")
    takes_references, options = _parameters(found, name)
    return Metric(
        name=name,
        title=str(getattr(found, "title", name)),
        family="own",
        about=str(getattr(found, "about", _first_line(found))),
        direction=_direction(getattr(found, "direction", "none"), name),
        unit=str(getattr(found, "unit", "")),
        low=float(getattr(found, "low", -math.inf)),
        high=float(getattr(found, "high", math.inf)),
        paper=str(getattr(found, "paper", "")),
        predictions=PRESENT,
        references=PRESENT if takes_references else None,
        options=dict.fromkeys(options, "an option of the function"),
        function=_guarded(found, name),
        version=source_digest(found),
    )


def source_digest(function: Any) -> str:
    """A short digest of the file a function stands in, which changes when its code does.

    The whole file counts, because a function may call others in it. Where there is no file the
    function's own code counts.
    """
    try:
        content = Path(inspect.getfile(function)).read_bytes()
    except (TypeError, OSError):
        code = getattr(function, "__code__", None)
        content = code.co_code if code else repr(type(function)).encode()
    return hashlib.sha256(content).hexdigest()[:12]


def _guarded(function: Callable[..., Any], name: str) -> Callable[..., Score]:
    def compute(*sides: list[Any], **options: Any) -> Score:
        try:
            result = function(*sides, **options)
        except PalaverError:
            raise
        except Exception as error:
            # A researcher's function may raise anything.
            raise InputError(f"Metric '{name}' failed: {type(error).__name__}: {error}") from error
        return _as_score(result, name, len(sides[0]))

    return compute


def _as_score(result: Any, name: str, items: int) -> Score:
    if isinstance(result, Score):
        return result
    parts = dict(result) if isinstance(result, Mapping) else {"value": result}
    if "value" not in parts:
        raise InputError(f"Metric '{name}' returned a mapping without 'value': {list(parts)}.")
    value, per_item = parts.pop("value"), parts.pop("per_item", ())
    values = tuple(_number(each, name) for each in per_item)
    if values and len(values) != items:
        raise InputError(f"Metric '{name}' returned {len(values)} values for {items} items.")
    if isinstance(value, float) and math.isnan(value):
        return Score.undefined("the function returned nan", parts=parts, per_item=values)
    return Score(value=_number(value, name), parts=parts, per_item=values)


def _number(value: Any, name: str) -> float:
    try:
        return fit_number(value)
    except ValueError as error:
        raise InputError(f"Metric '{name}' returned {value!r}; expected a number.") from error


def _parameters(function: Callable[..., Any], name: str) -> tuple[bool, list[str]]:
    """Whether it takes references, and the names of its options."""
    parameters = inspect.signature(function).parameters.values()
    sides = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not 1 <= len(sides) <= 2:
        raise InputError(
            f"Metric '{name}' must take predictions, or predictions and references; "
            f"it takes {len(sides)} parameters. Make options keyword-only."
        )
    return len(sides) == 2, [p.name for p in parameters if p.kind == p.KEYWORD_ONLY]


def _direction(value: Any, name: str) -> Direction:
    for known in get_args(Direction):
        if value == known:
            direction: Direction = known
            return direction
    known_words = ", ".join(get_args(Direction))
    raise InputError(f"Metric '{name}': direction must be one of {known_words}; got {value!r}.")


def _first_line(function: Any) -> str:
    return (inspect.getdoc(function) or "Your own metric.").splitlines()[0]
