"""An engine by its address."""

from palaver.core.protocols import Engine
from palaver.engines.registry import ENGINES


def open_engine(address: str) -> Engine:
    """The engine at `address`: "local", "local://4", "dask://host:port", "ray://host:port".

    Nothing is reached yet: a cluster that does not answer is found out at the first piece.
    """
    kind, _, where = address.partition("://")
    return ENGINES.get(kind)(where)
