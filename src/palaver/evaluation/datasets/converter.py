"""A researcher's own converter: one function, record → record, several records, or None to skip."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.loading import load_own
from palaver.formats.datasets.mapping import FieldMap
from palaver.formats.datasets.reader import LeftOut, ReadRow
from palaver.formats.datasets.records import Record

Convert = Callable[[Record], Any]
SKIPPED = "the converter left it out"


def load_function(target: str, *, folder: Path) -> Callable[..., Any]:
    """The function that "module:function" names; a file in `folder` comes before what is installed."""
    found = load_own(target, folder=folder, what="Your own function is")
    if not callable(found):
        raise InputError(f"'{target}' is {type(found).__name__}; expected a function.")
    return found  # type: ignore[no-any-return]


def converted(
    rows: Iterator[ReadRow], mapping: FieldMap | None, convert: Convert | None
) -> Iterator[ReadRow]:
    """The rows after the mapping and then the function, where there are any."""
    if mapping:
        rows = (mapped for row in rows for mapped in _mapped(row, mapping))
    if convert is not None:
        rows = (made for row in rows for made in _made(row, convert))
    return rows


def _mapped(row: ReadRow, mapping: FieldMap) -> Iterator[ReadRow]:
    if row.record is None:
        yield row
        return
    try:
        made = mapping.apply(row.record)
    except InputError as error:
        yield row._replace(record=None, problem=str(error))
        return
    if isinstance(made, LeftOut):
        yield row._replace(record=None, left_out=made.why)
    else:
        yield row._replace(record=made)


def _made(row: ReadRow, convert: Convert) -> Iterator[ReadRow]:
    if row.record is None:
        yield row
        return
    try:
        several = _called(convert, row.record)
    except InputError as error:
        yield row._replace(record=None, problem=str(error))
        return
    for each in several:
        if each is None:
            yield row._replace(record=None, left_out=SKIPPED)
        elif isinstance(each, dict):
            yield row._replace(record=each)
        else:
            problem = f"The converter takes a record and returns one; got {each!r:.60}."
            yield row._replace(record=None, problem=problem)


def _called(convert: Convert, record: Record) -> list[Any]:
    try:
        made = convert(record)
        return [made] if made is None or isinstance(made, dict) else list(made)
    except Exception as error:
        # A researcher's function may raise anything.
        raise InputError(f"The converter failed: {type(error).__name__}: {error}.") from error
