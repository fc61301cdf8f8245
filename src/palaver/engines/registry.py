"""Engines by name; one of another package registers under the entry point `palaver.engines`."""

from collections.abc import Callable

from palaver.core.protocols import Engine
from palaver.core.registry import Registry


def open_engine(address: str) -> Engine:
    """The engine at `address`: "local", "processes://2", "dask://host:port", "ray://host:port".

    Nothing is reached yet: a cluster that does not answer is found out at the first piece.
    """
    kind, _, where = address.partition("://")
    return ENGINES.get(kind)(where)


# Each is made with the part of the address after "://".
ENGINES: Registry[Callable[[str], Engine]] = Registry(
    "engine",
    "palaver.engines",
    {
        "local": "palaver.engines.local:LocalEngine",
        "processes": "palaver.engines.processes:ProcessEngine",
        "dask": "palaver.engines.dask:DaskEngine",
        "ray": "palaver.engines.ray:RayEngine",
    },
)
