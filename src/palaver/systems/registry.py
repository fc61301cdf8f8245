"""Systems by name; one of another package registers under the entry point `palaver.systems`."""

from pathlib import Path
from typing import Any, ClassVar, Protocol

from palaver.core.protocols import Place, Session
from palaver.core.registry import Registry
from palaver.systems.options import CallOptions


class Connector(Protocol):
    """A system that is made from options; paths in them are relative to `folder`."""

    options_type: ClassVar[type[CallOptions]]

    def __init__(self, options: Any, *, folder: Path) -> None: ...

    def new_session(self, place: Place) -> Session:
        """A session that has seen nothing yet."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...


SYSTEMS: Registry[type[Connector]] = Registry(
    "kind of system",
    "palaver.systems",
    {
        "scripted": "palaver.systems.scripted:Scripted",
        "pattern": "palaver.systems.pattern:PatternBot",
        "retrieval": "palaver.systems.retrieval:Retrieval",
        "openai": "palaver.systems.openai:OpenAI",
        "http": "palaver.systems.http:Http",
        "command": "palaver.systems.command:Command",
        "python": "palaver.systems.python:PythonClass",
        "agent": "palaver.systems.agent:Agent",
        "local_lm": "palaver.systems.local_lm:LocalLM",
        "unconfigured": "palaver.systems.unconfigured:Unconfigured",
    },
)
