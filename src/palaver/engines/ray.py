"""`ray://auto` and `ray://host:port`: work on an existing Ray cluster.

`ray://auto` joins the cluster that this machine is a node of (or that RAY_ADDRESS names);
`ray://host:10001` speaks to a cluster from outside through Ray's client server. Palaver must be
installed on its nodes.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, TypeVar

from palaver.core.errors import EngineError, InputError, MissingExtraError
from palaver.engines.local import flow

T = TypeVar("T")
R = TypeVar("R")

# Pieces under way for each processor of the cluster: one to work on, one to follow.
AHEAD = 2
# How often a piece is tried again after the process or the node that worked on it died.
RETRIES = 5


class RayEngine:
    """A Ray cluster."""

    def __init__(self, address: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
        except ImportError as error:
            raise MissingExtraError("The engine ray", "ray") from error
        self._ray: Any = ray
        self._address = address or "auto"
        self._connected = False

    def _connect(self) -> None:
        if self._connected:
            return
        inside = self._address == "auto"
        try:
            self._ray.init(
                address="auto" if inside else f"ray://{self._address}",
                log_to_driver=False,
                logging_level="error",
                ignore_reinit_error=True,
            )
        except ImportError as error:
            raise InputError(
                "Reaching a Ray cluster from outside needs its client: "
                f"pip install 'ray[client]' ({error})"
            ) from error
        except (ConnectionError, RuntimeError, OSError) as error:
            first = (str(error).splitlines() or [type(error).__name__])[0]
            raise InputError(
                f"No Ray cluster answers at ray://{self._address} ({first}). "
                "Start one with: ray start --head"
            ) from error
        self._connected = True

    async def map(
        self, work: Callable[[T], R], pieces: Iterable[T], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, R]]:
        self._connect()
        ray = self._ray
        # Spread: a node with free processors takes part from the first piece on.
        remote = ray.remote(max_retries=RETRIES, scheduling_strategy="SPREAD")(work)
        processors = int(ray.cluster_resources().get("CPU", 1))

        async def start(piece: T) -> R:
            try:
                return await asyncio.wrap_future(remote.remote(piece).future())
            except ray.exceptions.RayTaskError as error:
                raise _cause(error) from error
            except ray.exceptions.RayError as error:
                first = (str(error).splitlines() or [type(error).__name__])[0]
                raise EngineError(
                    f"The Ray cluster at {self._address} lost work: {first}"
                ) from error

        async for found in flow(start, pieces, in_flight=in_flight or max(1, processors * AHEAD)):
            yield found

    async def close(self) -> None:
        """Leave the cluster; it goes on."""
        if self._connected:
            self._connected = False
            await asyncio.to_thread(self._ray.shutdown)


def _cause(error: Any) -> BaseException:
    """The exception that the work raised, as it was where it ran."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, BaseException) else EngineError(str(error))
