"""An application that is imported and built on its first request."""

from importlib import import_module
from typing import Any

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
