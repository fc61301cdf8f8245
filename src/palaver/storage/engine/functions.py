"""The database's own clock, so that hosts whose clocks differ agree on when a lease ends."""

from typing import Any

from sqlalchemy import Float, Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class store_now(FunctionElement[float]):  # noqa: N801  (reads as an SQL function)
    """Seconds since the epoch, as the database sees it."""

    type = Float(53)
    inherit_cache = True


@compiles(store_now, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(store_now, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    return "extract(epoch from clock_timestamp())::float8"


class json_text(FunctionElement[str]):  # noqa: N801  (reads as an SQL function)
    """`json_text(column, key)`: what stands under a key of a JSON object, as text."""

    type = Text()
    inherit_cache = True


@compiles(json_text, "sqlite")
def _json_text_sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, key = (compiler.process(clause, **options) for clause in element.clauses)
    return f"json_extract({column}, '$.' || {key})"


@compiles(json_text, "postgresql")
def _json_text_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    column, key = (compiler.process(clause, **options) for clause in element.clauses)
    # PostgreSQL refuses to unfold an escaped NUL; the replacement keeps the JSON whole.
    return f"(replace({column}, '\\u0000', '\\ufffd')::json ->> CAST({key} AS text))"
