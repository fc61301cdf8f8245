"""A table of others as the subject of a report: votes or ratings, read strictly."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, cast

from palaver.analysis.agreement import Measured as Level
from palaver.analysis.ranking.votes import Votes
from palaver.core.errors import InputError
from palaver.formats.frames import Frame
from palaver.formats.judgements import read_judged
from palaver.reports.report.subject import (
    LEVELS,
    RATING_COLUMNS,
    VOTE_COLUMNS,
    QuestionRatings,
    QuestionVotes,
    Slugs,
    Subject,
)


def of_table(
    frame: Frame,
    *,
    title: str,
    votes: Sequence[str] | None = None,
    ratings: Sequence[str] | None = None,
    level: str | None = None,
    by: str | None = None,
    only: Collection[str] = (),
    planned: int | None = None,
    columns: dict[str, str | None] | None = None,
) -> Subject:
    """A table of others: `votes` are the columns of first, second and winner, `ratings` those of
    unit, rater and value; `columns` name what else it has (rater, dialogue, system, seconds) and
    `by` the column that tells questions apart.
    """
    extra = {name: column for name, column in (columns or {}).items() if column}
    groups = _grouped(frame, by, only)
    named = Slugs()
    if votes is not None:
        _check_votes(frame, votes)
        given = dict(zip(("model_a", "model_b", "winner"), votes, strict=True)) | extra
        tables = tuple(
            QuestionVotes(
                name=name,
                slug=named.of(name),
                text="",
                frame=_columns(group, given, VOTE_COLUMNS, texts=VOTE_COLUMNS[:-1]),
                planned=planned,
            )
            for name, group in groups.items()
        )
        return Subject(title=title, kind="table", name=frame.name, votes=tables)
    if ratings is None or level is None:
        raise InputError(
            "A table of ratings needs --unit, --rater, --value and --level; "
            "a table of votes needs --a, --b and --winner."
        )
    _check_ratings(frame, ratings, level, by)
    given = dict(zip(("unit", "rater", "value"), ratings, strict=True)) | extra
    return Subject(
        title=title,
        kind="table",
        name=frame.name,
        ratings=tuple(
            _rated(name, named.of(name), level, group, given) for name, group in groups.items()
        ),
    )


def _check_votes(frame: Frame, names: Sequence[str]) -> None:
    """InputError names the row of a vote that cannot be read."""
    if not len(frame):
        raise InputError(f"{frame.name} has no votes; a report needs at least one row.")
    first, second, winner = (frame.texts(name) for name in names)
    Votes.of(first, second, winner, row=frame.row)


def _check_ratings(frame: Frame, names: Sequence[str], level: str, by: str | None) -> None:
    """InputError names the row of a rating that cannot be read."""
    if level not in LEVELS:
        raise InputError(f"A level is one of {', '.join(LEVELS)}; got '{level}'.")
    unit, rater, value = names
    read_judged(frame, unit=unit, rater=rater, value=value, level=cast(Level, level), by=by)


def _grouped(frame: Frame, by: str | None, only: Collection[str]) -> dict[str, Frame]:
    if by is None:
        return {frame.name.rpartition(".")[0] or frame.name: frame}
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(frame.texts(by)):
        if name is not None and (not only or name in only):
            rows.setdefault(name, []).append(row)
    return {
        name: Frame(
            frame.name, {key: [cells[row] for row in kept] for key, cells in frame.columns.items()}
        )
        for name, kept in rows.items()
    }


def _columns(
    frame: Frame, given: dict[str, str], wanted: Sequence[str], *, texts: Collection[str]
) -> Frame:
    cells: dict[str, list[Any]] = {}
    for name in wanted:
        if name not in given:
            cells[name] = [None] * len(frame)
        elif name in texts:
            cells[name] = list(frame.texts(given[name]))
        else:
            cells[name] = [None if each != each else each for each in frame.numbers(given[name])]
    if "unit" not in given:
        cells["unit"] = [str(row + frame.first_row) for row in range(len(frame))]
    return Frame(frame.name, cells, frame.first_row)


def _rated(
    name: str, slug: str, level: str, frame: Frame, given: dict[str, str]
) -> QuestionRatings:
    texts = {"unit", "rater", "dialogue", "system"} | ({"value"} if level == "nominal" else set())
    found = _columns(frame, given, RATING_COLUMNS, texts=texts)
    found = _kept(found)
    values = found.column("value")
    found.columns["answer"] = [
        f"{value:g}" if isinstance(value, float) else value for value in values
    ]
    order = sorted(set(values)) if level != "nominal" else list(dict.fromkeys(values))
    return QuestionRatings(
        name=name,
        slug=slug,
        text="",
        level=level,
        answers=tuple(f"{each:g}" if isinstance(each, float) else each for each in order),
        frame=found,
        is_presence=level == "nominal" and set(values) <= {"0", "1"},
    )


def _kept(frame: Frame) -> Frame:
    """The rows that have a value: a missing rating is no rating."""
    rows = [row for row, value in enumerate(frame.column("value")) if value is not None]
    columns = {name: [cells[row] for row in rows] for name, cells in frame.columns.items()}
    return replace(frame, columns=columns)
