"""Parts of the application that are imported on their first request.

The researcher's pages and the API are larger than everything a participant sees; a process that
nobody asks for them does not hold them.
"""

import re
from importlib import import_module
from types import ModuleType
from typing import Any

from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Receive, Scope, Send


class LazyApp:
    """Stands in for `module:factory(argument)` until somebody calls it."""

    def __init__(self, target: str, argument: Any) -> None:
        self._target = target
        self._argument = argument
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Build the application if need be, and pass the request on."""
        if self._app is None:
            module, _, factory = self._target.partition(":")
            self._app = getattr(import_module(module), factory)(self._argument)
        assert self._app is not None
        await self._app(scope, receive, send)


class WholeMount(Mount):
    """A mount that also gets addresses with a line break in them; Starlette's would pass them by."""

    def __init__(self, path: str, app: ASGIApp) -> None:
        super().__init__(path, app=app)
        self.path_regex = re.compile(self.path_regex.pattern, re.DOTALL)


class LazyRoutes(BaseRoute):
    """The `routes` of a module, all of which lie below one path."""

    def __init__(self, path: str, module: str) -> None:
        self.path = path
        self._module = module

    def module(self) -> ModuleType:
        """The module, imported now if need be."""
        return import_module(self._module)

    def covers(self, path: str) -> bool:
        """Whether an address lies below this path."""
        return path == self.path or path.startswith(f"{self.path}/")

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """The best match among the routes of the module."""
        partial: tuple[Match, Scope] = (Match.NONE, {})
        if scope["type"] != "http" or not self.covers(scope["path"]):
            return partial
        for route in self.module().routes:
            match, found = route.matches(scope)
            if match is not Match.NONE:
                found["palaver.route"] = route
            if match is Match.FULL:
                return match, found
            if match is Match.PARTIAL and partial[0] is Match.NONE:
                partial = match, found
        return partial

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route that matched answer."""
        route: BaseRoute = scope["palaver.route"]
        await route.handle(scope, receive, send)
