"""Parts of the application that are imported on their first request.

The researcher's pages and the API are larger than everything a participant sees; a process that
nobody asks for them does not hold them. They are imported beside the event loop: the first request
waits for them, and nobody else does.
"""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, Generic, TypeVar

from starlette.routing import BaseRoute, Match, Mount, Router
from starlette.types import ASGIApp, Receive, Scope, Send

T = TypeVar("T")


class Late(Generic[T]):
    """What a thread of its own makes at its first use, while the event loop goes on."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: T | None = None
        # One thread, so that it is made once; who comes meanwhile waits without a thread.
        self._maker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="palaver-import")

    async def get(self) -> T:
        """The thing, made now if need be."""
        if self._made is not None:
            return self._made
        return await asyncio.get_running_loop().run_in_executor(self._maker, self._make_once)

    def _make_once(self) -> T:
        if self._made is None:
            self._made = self._make()
        return self._made


class LazyApp:
    """Stands in for `module:factory(argument)` until somebody calls it."""

    def __init__(self, target: str, argument: Any) -> None:
        self._app = Late(partial(_build, target, argument))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await self._app.get()
        await app(scope, receive, send)


def _build(target: str, argument: Any) -> ASGIApp:
    module, _, factory = target.partition(":")
    app: ASGIApp = getattr(import_module(module), factory)(argument)
    return app


class WholeMount(Mount):
    """A mount that also gets addresses with a line break in them; Starlette's would pass them by."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        super().__init__(path, app=app)
        self.path_regex = re.compile(self.path_regex.pattern, re.DOTALL)


class LazyRoutes(BaseRoute):
    """The `routes` of a module, which are all there is below one path."""

    def __init__(self, path: str, module: str) -> None:
        self.path = path
        self._module = module
        self._router = Late(lambda: Router(self.module().routes))

    def module(self) -> ModuleType:
        """The module, imported now if need be."""
        return import_module(self._module)

    def covers(self, path: str) -> bool:
        """Whether an address lies below this path."""
        return path == self.path or path.startswith(f"{self.path}/")

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Every address below the path; which route it is, the module's own router finds out."""
        covered = scope["type"] == "http" and self.covers(scope["path"])
        return (Match.FULL if covered else Match.NONE), {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        router = await self._router.get()
        await router(scope, receive, send)
