"""The only SQL in Palaver: SQLite by default, PostgreSQL for many processes."""

from palaver.storage.engine.store import Store

__all__ = ["Store"]
