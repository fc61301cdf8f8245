"""One text out of a JSON column, for both databases."""

from typing import Any

from sqlalchemy import Text
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement


class json_text(FunctionElement[str]):  # noqa: N801  (reads as an SQL function)
    """`json_text(column, key)`: what stands under a key of a JSON object, as text."""

    type = Text()
    inherit_cache = True


@compiles(json_text, "sqlite")
def _sqlite(element: Any, compiler: Any, **options: Any) -> str:
    column, key = (compiler.process(clause, **options) for clause in element.clauses)
    return f"json_extract({column}, '$.' || {key})"


@compiles(json_text, "postgresql")
def _postgresql(element: Any, compiler: Any, **options: Any) -> str:
    column, key = (compiler.process(clause, **options) for clause in element.clauses)
    # PostgreSQL refuses to unfold an escaped NUL; the replacement keeps the JSON whole.
    return f"(replace({column}, '\\u0000', '\\ufffd')::json ->> CAST({key} AS text))"
