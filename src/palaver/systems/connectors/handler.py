"""`kind: handler`: Python of somebody's own, on a thread here or in a process of its own."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.core.errors import InputError
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import PredictorOptions
from palaver.systems.processes.children import Child, Children
from palaver.systems.processes.handlers import Handler, HandlerError
from palaver.systems.record_matching import match
from palaver.systems.registry import Question
from palaver.systems.threads import Lazy, in_thread

_MODULE = "palaver.systems.processes.handler_process"


class HandlerOptions(PredictorOptions):
    """Which code, and where it runs."""

    handler: str = Field(description="the class or function, as module:Name")
    options: dict[str, Any] = Field(default={}, description="keyword arguments for a class")
    checkpoint: str = Field(
        default="", description="the model's file in the folder, for dynalab handlers"
    )
    process: bool = Field(
        default=False, description="whether it runs in processes of its own, one per call at a time"
    )
    concurrency: int = Field(
        default=1, ge=1, le=1000, description="calls at the same time; the code must support it"
    )
    timeout: float = Field(
        default=300.0,
        gt=0,
        le=86_400,
        description="how many seconds one attempt at an answer may take",
    )


class ThreadHandler:
    """Code that runs on threads of this process."""

    def __init__(self, options: HandlerOptions, *, folder: Path) -> None:
        self._code: Lazy[Handler] = Lazy(lambda: _started(options, folder))
        self.ready = False

    async def start(self) -> None:
        """Load the code and let it load its model."""
        await self._code.get()
        self.ready = True

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """What the code answers."""
        handler = await self._code.get()
        try:
            records = await in_thread(lambda: handler.answer(questions))
        except HandlerError as error:
            raise AttemptError("error", str(error)) from error
        return match(records, questions)

    def memory(self) -> None:
        """Not known: the process holds other things too."""

    async def close(self) -> None:
        """Let go of the code."""
        self.ready = False
        self._code.forget()


class ProcessHandler:
    """Code that runs in processes of its own."""

    def __init__(self, options: HandlerOptions, *, folder: Path) -> None:
        self._folder = folder.resolve()
        self._told = {
            "handler": options.handler,
            "folder": str(self._folder),
            "options": options.options,
            "checkpoint": options.checkpoint,
        }
        self._children = Children(self._begin, number=options.concurrency)

    @property
    def ready(self) -> bool:
        """Whether every process runs."""
        return self._children.complete

    async def start(self) -> None:
        """Start the processes that do not run, and let them load the model."""
        await self._children.fill()

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """What the code answers."""
        said: list[Any] = []
        async with self._children.one() as child:
            message = [dict(question) for question in questions]
            await child.exchange([message], lambda line: _is_answer(line, said))
        if "error" in said[0]:
            raise AttemptError("error", str(said[0]["error"]))
        return match(said[0]["records"], questions)

    def memory(self) -> float | None:
        """GiB that the processes take now."""
        return self._children.memory()

    async def close(self) -> None:
        """End the processes."""
        await self._children.close()

    async def _begin(self) -> Child:
        child = await Child.begin([sys.executable, "-m", _MODULE], folder=self._folder)
        said: list[Any] = []
        await child.exchange([self._told], lambda line: _is_answer(line, said))
        if "error" in said[0]:
            await child.stop()
            raise AttemptError("refused", str(said[0]["error"]))
        return child


class HandlerModel:
    """A model that is Python code."""

    options_type: ClassVar[type[PredictorOptions]] = HandlerOptions

    def __init__(self, options: HandlerOptions, *, folder: Path) -> None:
        kind = ProcessHandler if options.process else ThreadHandler
        self._inner: ProcessHandler | ThreadHandler = kind(options, folder=folder)

    @property
    def ready(self) -> bool:
        """Whether the code is loaded."""
        return self._inner.ready

    async def start(self) -> None:
        """Load the code and let it load its model."""
        await self._inner.start()

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """What the code answers."""
        return await self._inner.answer(questions)

    def memory(self) -> float | None:
        """GiB that its processes take now; None on a thread."""
        return self._inner.memory()

    async def close(self) -> None:
        """Let go of code and processes."""
        await self._inner.close()


def _started(options: HandlerOptions, folder: Path) -> Handler:
    try:
        handler = Handler(
            options.handler,
            folder=folder,
            options=options.options,
            checkpoint=options.checkpoint,
        )
        handler.start()
    except (HandlerError, InputError) as error:
        raise AttemptError("refused", str(error)) from error
    return handler


def _is_answer(line: Any, said: list[Any]) -> bool:
    if not isinstance(line, dict):
        told = f"The handler's process said {shorten(repr(line))}."
        raise AttemptError("garbage", told, came=line)
    said.append(line)
    return True
