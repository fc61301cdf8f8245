"""`dask://host:port`: work on an existing Dask cluster.

Palaver must be installed on its workers. A worker that dies costs a repetition of its pieces; Dask
gives up on a piece only after several workers died of it.
"""

from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, TypeVar

from palaver.core.errors import EngineError, InputError, MissingExtraError
from palaver.engines.local import flow

T = TypeVar("T")
R = TypeVar("R")

CONNECT_SECONDS = 15
# Pieces under way for each thread of the cluster: one to work on, one to follow.
AHEAD = 2


class DaskEngine:
    """A Dask scheduler and its workers."""

    def __init__(self, address: str) -> None:
        if not address:
            raise InputError("Give the scheduler's address: --engine dask://HOST:8786.")
        try:
            import distributed
        except ImportError as error:
            raise MissingExtraError("The engine dask", "dask") from error
        self._distributed: Any = distributed
        self._address = address
        self._client: Any = None

    async def _connected(self) -> Any:
        if self._client is None:
            try:
                self._client = await self._distributed.Client(
                    f"tcp://{self._address}",
                    asynchronous=True,
                    timeout=CONNECT_SECONDS,
                    set_as_default=False,
                )
            except (OSError, TimeoutError) as error:
                raise InputError(
                    f"No Dask scheduler answers at {self._address} ({error}). "
                    "Start one with: dask scheduler"
                ) from error
        return self._client

    async def map(
        self, work: Callable[[T], R], pieces: Iterable[T], *, in_flight: int | None = None
    ) -> AsyncIterator[tuple[int, R]]:
        client = await self._connected()
        threads = sum((await client.nthreads()).values())

        async def start(piece: T) -> R:
            # pure=False: the same piece may be asked again and must be worked on again.
            future = client.submit(work, piece, pure=False)
            try:
                return await future  # type: ignore[no-any-return]
            except (self._distributed.KilledWorker, self._distributed.CancelledError) as error:
                raise EngineError(
                    f"The Dask cluster at {self._address} lost work: {error}"
                ) from error
            finally:
                future.release()

        async for found in flow(start, pieces, in_flight=in_flight or max(1, threads * AHEAD)):
            yield found

    async def close(self) -> None:
        """Let go of the scheduler; it and its workers go on."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()
