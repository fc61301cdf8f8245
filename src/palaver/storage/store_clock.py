"""The database's own clock, so that hosts whose clocks differ agree on when a lease ends."""

from typing import Any

from sqlalchemy import Float
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
