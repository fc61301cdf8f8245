"""How answers to a task are written where they are not written as its outputs.

An official file of a shared task may nest what a task calls outputs, or hold the answers to several
tasks. A form turns such a record into one with the outputs of the task, in the one place where answers
are read (`Task.read_answer`), so that every door takes the same file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from palaver.core.errors import AnswerError, InputError
from palaver.core.loading import own_function
from palaver.core.tasks.fields import shown

# What may stand in an answer beside its outputs.
BESIDE = frozenset({"id", "uid", "signed", "signature"})
_NOT_THERE = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerForm:
    """Where each output stands in a record, or the function that finds out.

    `paths` are dotted, by output: `{"A": "quality.A"}`; an output without one stands under its own
    name. `function` is "module:function", record → record. What else a record holds is ignored, except
    beside an output inside the same part: there it is a slip of the pen.
    """

    paths: Mapping[str, str] = field(default_factory=dict)
    function: str = ""

    def __bool__(self) -> bool:
        return bool(self.paths or self.function)

    def name(self, output: str) -> str:
        """How messages call an output: as it is written."""
        return self.paths.get(output, output)

    def read(self, record: Mapping[str, Any], outputs: Iterable[str], *, folder: str) -> Any:
        """The record with the outputs by name; AnswerError says what is in the way."""
        if self.function:
            return _converted(record, self.function, folder)
        if not self.paths:
            return record
        names = list(outputs)
        if wrong := next(self._slips(record, names), ""):
            raise AnswerError(wrong)
        return {**_beside(record), **self.found(record, names)}

    def found(self, record: Mapping[str, Any], outputs: Iterable[str]) -> dict[str, Any]:
        """The outputs that stand where they should, by name; all there is, where a function decides."""
        if self.function:
            return {key: value for key, value in record.items() if key not in BESIDE}
        there = {output: _at(record, _steps(self.name(output))) for output in outputs}
        return {output: value for output, value in there.items() if value is not _NOT_THERE}

    def written(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The record that holds these values; keys that are no output stay where they are."""
        record: dict[str, Any] = {}
        for name, value in values.items():
            *above, last = _steps(self.name(name))
            place = record
            for step in above:
                place = place.setdefault(step, {})
            place[last] = value
        return record

    def _slips(self, record: Mapping[str, Any], outputs: list[str]) -> Iterator[str]:
        """What stands inside a part that holds outputs and is none of them."""
        for above, known in _parts(tuple(map(self.name, outputs))):
            part, where = _at(record, above), ".".join(above)
            if part is _NOT_THERE:
                continue
            if not isinstance(part, Mapping):
                yield f"'{where}': expected an object with {', '.join(known)}; got {shown(part)}"
                continue
            for key in part:
                if key not in known:
                    yield f"unexpected '{where}.{key}'; '{where}' holds {', '.join(known)}"


@lru_cache(maxsize=1024)
def _steps(name: str) -> tuple[str, ...]:
    return tuple(name.split("."))


@lru_cache(maxsize=64)
def _parts(names: tuple[str, ...]) -> list[tuple[list[str], list[str]]]:
    """The parts of a record that hold outputs, outer ones first, and what stands in each of them."""
    wanted = [name.split(".") for name in names]
    parts = {tuple(steps[:n]) for steps in wanted for n in range(1, len(steps))}
    return [
        (
            list(above),
            list(
                dict.fromkeys(
                    steps[len(above)] for steps in wanted if tuple(steps[: len(above)]) == above
                )
            ),
        )
        for above in sorted(parts, key=lambda steps: (len(steps), steps))
    ]


def _beside(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: record[key] for key in record if key in BESIDE}


def _at(record: Any, steps: Sequence[str]) -> Any:
    for step in steps:
        if not isinstance(record, dict | Mapping) or step not in record:
            return _NOT_THERE
        record = record[step]
    return record


def _converted(record: Mapping[str, Any], target: str, folder: str) -> dict[str, Any]:
    try:
        made = converter(target, folder)(dict(record))
    except InputError as error:
        raise AnswerError(str(error).rstrip(".")) from error
    except Exception as error:
        # A researcher's function may raise anything.
        raise AnswerError(f"'{target}' failed: {type(error).__name__}: {error}") from error
    if not isinstance(made, Mapping):
        raise AnswerError(f"'{target}' takes a record and returns one; got {shown(made)}")
    return {**_beside(record), **made}


def converter(target: str, folder: str) -> Callable[[dict[str, Any]], Any]:
    """The function of a form; InputError if there is none such."""
    return own_function(target, folder=Path(folder or "."), what="'answers' takes")
