"""`kind: handler`: Python of somebody's own, on a thread here or in a process of its own."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.core.errors import InputError
from palaver.systems.answers import match
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.handlers import Handler, HandlerError
from palaver.systems.options import CodeOptions, PredictorOptions
from palaver.systems.programs import Child, ProcessRespondent
from palaver.systems.registry import Question
from palaver.systems.threads import Lazy, in_thread

_MODULE = "palaver.systems.handlers"


class HandlerOptions(CodeOptions):
    """Which code, and where it runs."""

    handler: str = Field(description="the class or function, as module:Name")
    options: dict[str, Any] = Field(default={}, description="keyword arguments for a class")
    checkpoint: str = Field(
        default="", description="the model's file in the folder, for dynalab handlers"
    )
    process: bool = Field(
        default=False, description="whether it runs in processes of its own, one per call at a time"
    )


class ThreadHandler:
    """Code that runs on threads of this process."""

    def __init__(self, options: HandlerOptions, *, folder: Path) -> None:
        self._code: Lazy[Handler] = Lazy(lambda: _started(options, folder))
        self.ready = False

    async def start(self) -> None:
        await self._code.get()
        self.ready = True

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        handler = await self._code.get()
        try:
            records = await in_thread(lambda: handler.answer(questions))
        except HandlerError as error:
            raise AttemptError("error", str(error)) from error
        return match(records, questions)

    def memory(self) -> None:
        """Not known: the process holds other things too."""

    async def close(self) -> None:
        self.ready = False
        self._code.forget()


class ProcessHandler(ProcessRespondent):
    """Code that runs in processes of its own."""

    def __init__(self, options: HandlerOptions, *, folder: Path) -> None:
        super().__init__(number=options.concurrency)
        self._folder = folder.resolve()
        self._told = {
            "handler": options.handler,
            "folder": str(self._folder),
            "options": options.options,
            "checkpoint": options.checkpoint,
        }

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        said: list[Any] = []
        async with self._child() as child:
            message = [dict(question) for question in questions]
            await child.exchange([message], lambda line: _is_answer(line, said))
        if "error" in said[0]:
            raise AttemptError("error", str(said[0]["error"]))
        return match(said[0]["records"], questions)

    async def _begin(self) -> Child:
        child = await Child.start([sys.executable, "-m", _MODULE], folder=self._folder)
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
        return self._inner.ready

    async def start(self) -> None:
        await self._inner.start()

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        return await self._inner.answer(questions)

    def memory(self) -> float | None:
        """GiB that its processes take now; None on a thread."""
        return self._inner.memory()

    async def close(self) -> None:
        await self._inner.close()


def _started(options: HandlerOptions, folder: Path) -> Handler:
    try:
        handler = Handler(
            options.handler, folder=folder, options=options.options, checkpoint=options.checkpoint
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
