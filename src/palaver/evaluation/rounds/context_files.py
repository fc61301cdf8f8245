"""Files of contexts that writers write about: JSON lines, each checked by the task's own fields."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import RoundContext
from palaver.core.tasks import Field, Task
from palaver.games.model_in_the_loop.form import context_fields

# So many problems of a file are told at once.
MOST_TOLD = 10
OWN_KEYS = frozenset({"id", "context", "context_json", "tag", "quota", "metadata", "metadata_json"})


class _Line(msgspec.Struct, forbid_unknown_fields=False):
    """A line of a file of contexts; Dynabench calls two of its keys otherwise in its exports."""

    context: dict[str, Any] | None = None
    context_json: str | dict[str, Any] | None = None
    id: str | int | None = None
    tag: str | None = None
    quota: int | None = None
    metadata: dict[str, Any] | None = None
    metadata_json: str | dict[str, Any] | None = None


def contexts_of_file(file: Path, task: Task, *, talks: bool = False) -> tuple[RoundContext, ...]:
    """The contexts in a file of JSON lines; InputError names every line that is wrong."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"The contexts in {file} cannot be read: {error.strerror}.") from error
    fields = context_fields(task, talks=talks)
    found = tuple(_read_lines(lines, fields, name=file.name))
    if not found:
        raise InputError(
            f'{file} has no contexts. A line of it is {{"context": {{…}}, "tag": "…"}}.'
        )
    return found


def _read_lines(
    lines: Iterable[bytes], fields: Sequence[Field], *, name: str
) -> Iterator[RoundContext]:
    problems: list[str] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            made = _context(line, fields, number)
            if made.id in seen:
                raise InputError(f"the id '{made.id}' is that of line {seen[made.id]}")
            seen[made.id] = number
            yield made
        except (InputError, msgspec.MsgspecError) as error:
            problems.append(f"{name}:{number}: {str(error).rstrip('.')}.")
        if len(problems) == MOST_TOLD:
            break
    if problems:
        raise InputError("\n".join(problems))


def _context(line: bytes, fields: Sequence[Field], number: int) -> RoundContext:
    given = msgspec.json.decode(line, type=_Line)
    values = _mapping(given.context if given.context is not None else given.context_json)
    if not values:
        raise InputError("it has no 'context', a mapping from field to value")
    if given.quota is not None and given.quota < 0:
        raise InputError(f"'quota' is 0 or more; got {given.quota}")
    return RoundContext(
        id=str(given.id) if given.id is not None else f"c{number}",
        values=checked_context(values, fields),
        tag=given.tag or "",
        quota=given.quota,
        metadata=_mapping(given.metadata if given.metadata is not None else given.metadata_json),
    )


def checked_context(values: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any]:
    """The values of a task's context fields; InputError says which is wrong or missing."""
    names = [each.name for each in fields]
    extra = sorted(set(values) - set(names))
    if extra:
        raise InputError(
            f"'{extra[0]}' is no context of the task; it has {', '.join(names) or 'none'}"
        )
    checked: dict[str, Any] = {}
    for each in fields:
        try:
            value = values[each.name] if each.name in values else each.absent()
            checked[each.name] = each.check(value, checked)
        except ValueError as error:
            raise InputError(f"'{each.name}': {error}") from None
    return checked


def _mapping(given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """A mapping as it is, or as a text in which an export keeps it."""
    if isinstance(given, str):
        return msgspec.json.decode(given, type=dict[str, Any]) if given.strip() else {}
    return dict(given or {})
