"""Engines by name; one of another package registers under the entry point `palaver.engines`."""

from collections.abc import Callable

from palaver.core.protocols import Engine
from palaver.core.registry import Registry

# Each is made with the part of the address after "://".
ENGINES: Registry[Callable[[str], Engine]] = Registry(
    "engine",
    "palaver.engines",
    {
        "local": "palaver.engines.local:LocalEngine",
        "dask": "palaver.engines.dask:DaskEngine",
        "ray": "palaver.engines.ray:RayEngine",
    },
)
