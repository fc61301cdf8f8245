"""Statements of the hot paths: written once per database and run without the wrappers around them.

Building, caching and wrapping a statement costs ten times what SQLite needs to run it. A prepared
statement is still written in SQLAlchemy's terms, so that both databases accept it; what runs is its
text. It takes plain values (and lists for `IN`) and gives plain tuples.
"""

from collections import namedtuple
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, ClauseElement, Column, Connection, Table, bindparam, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.visitors import iterate

from palaver.storage.engine.characters import check_characters

Parameters = tuple[Any, ...] | dict[str, Any]

# How many rows one statement inserts at most.
AT_ONCE = 64
# How many rows of a large result are held at once.
ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class _Text:
    """A statement as one database takes it, for lists of given lengths.

    `order` names the parameters by position, or is None where they go by name. `fixed` holds the
    values that the statement brings along, `lists` the names that a list is spread over.
    """

    sql: str
    order: Sequence[str] | None
    fixed: Mapping[str, Any]
    lists: Mapping[str, Sequence[str]]

    def parameters(self, given: dict[str, Any]) -> Parameters:
        values = {**self.fixed, **given} if self.fixed or self.lists else given
        for name, names in self.lists.items():
            values.update(zip(names, values.pop(name), strict=True))
        return values if self.order is None else tuple(values[name] for name in self.order)


def _row_type(columns: list[str]) -> Any:
    return namedtuple("Row", columns, rename=True)


class Prepared:
    """One statement; its parameters are given by name."""

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        # By the name of the database, and the lengths of the lists where there are any.
        self._texts: dict[str | tuple[Any, ...], _Text] = {}
        self._has_lists = any(
            b.expanding for b in iterate(statement) if isinstance(b, BindParameter)
        )
        self._row: Any = None

    def named(self, connection: Connection, **given: Any) -> list[Any]:
        """Every row, its values by the names of the columns."""
        if self._row is None:
            columns = self._statement.selected_columns.keys()  # type: ignore[attr-defined]
            self._row = _row_type(columns)
        return [self._row._make(row) for row in self._run(connection, given).fetchall()]

    def all(self, connection: Connection, **given: Any) -> list[tuple[Any, ...]]:
        return self._run(connection, given).fetchall()  # type: ignore[no-any-return]

    def each(self, connection: Connection, **given: Any) -> Iterator[tuple[Any, ...]]:
        """The rows one after the other, for results that are large."""
        yield from self._run(connection, given)

    def batches(self, connection: Connection, **given: Any) -> Iterator[list[tuple[Any, ...]]]:
        """The rows some thousands at a time, for results that are turned into columns."""
        found = self._run(connection, given)
        while rows := found.fetchmany(ROWS_AT_ONCE):
            yield rows

    def first(self, connection: Connection, **given: Any) -> tuple[Any, ...] | None:
        return self._run(connection, given).fetchone()  # type: ignore[no-any-return]

    def scalar(self, connection: Connection, **given: Any) -> Any:
        """The first value of the first row, or None."""
        row = self._run(connection, given).fetchone()
        return None if row is None else row[0]

    def change(self, connection: Connection, **given: Any) -> int:
        """Run a statement that gives no rows; how many it changed."""
        return int(self._run(connection, given).rowcount)

    def _run(self, connection: Connection, given: dict[str, Any]) -> Any:
        if not connection.in_transaction():
            connection.begin()
        dialect = connection.dialect
        key: str | tuple[Any, ...] = dialect.name
        if self._has_lists:
            given = {name: _filled(v) if type(v) is list else v for name, v in given.items()}
            key = (key, *(len(value) for value in given.values() if type(value) is list))
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = self._write(connection, given)
        parameters = text.parameters(given)
        check_characters(parameters.values() if isinstance(parameters, dict) else parameters)
        driver: Any = connection.connection.driver_connection
        try:
            return driver.execute(text.sql, parameters)
        except dialect.loaded_dbapi.Error as error:
            raise DBAPIError.instance(
                text.sql,
                parameters,
                error,
                dialect.loaded_dbapi.Error,
                connection_invalidated=dialect.is_disconnect(error, driver, None),
                dialect=dialect,
            ) from error

    def _write(self, connection: Connection, given: Mapping[str, Any]) -> _Text:
        compiled: Any = self._statement.compile(dialect=connection.dialect)
        state = compiled.construct_expanded_state(dict(given))
        fixed = {
            name: value
            for name, value in compiled.construct_params(_check=False).items()
            if name not in given
        }
        order = state.positiontup if compiled.positional else None
        return _Text(state.statement, order, fixed, state.parameter_expansion)


class PreparedInsert:
    """Inserts rows into a table, many with one statement, and gives back columns of each."""

    def __init__(
        self, table: Table, columns: Sequence[str], returning: Sequence[Column[Any]]
    ) -> None:
        self._table = table
        self._columns = [table.c[name] for name in columns]
        self._returning = returning
        self._of = cache(self._statement)

    def all(
        self, connection: Connection, rows: Sequence[Mapping[str, Any]]
    ) -> list[tuple[Any, ...]]:
        """Insert rows; what was asked for of each, in no order."""
        found: list[tuple[Any, ...]] = []
        start = 0
        while start < len(rows):
            # By powers of two: a few statements serve any number of rows.
            size = min(AT_ONCE, 1 << (len(rows) - start).bit_length() - 1)
            some = rows[start : start + size]
            given = {f"{name}_{n}": row[name] for n, row in enumerate(some) for name in row}
            found += self._of(size).all(connection, **given)
            start += size
        return found

    def _statement(self, size: int) -> Prepared:
        rows = [
            {c.name: bindparam(f"{c.name}_{number}", type_=c.type) for c in self._columns}
            for number in range(size)
        ]
        return Prepared(insert(self._table).values(rows).returning(*self._returning))


def _filled(values: list[Any]) -> list[Any]:
    """The values of an `IN`, the last one repeated up to a power of two.

    Statements are written for lists of given lengths: so a few serve any.
    """
    missing = (1 << (len(values) - 1).bit_length()) - len(values) if values else 0
    return values + values[-1:] * missing if missing else values
