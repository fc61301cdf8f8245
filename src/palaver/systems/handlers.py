"""Python code of somebody's own that answers questions, in any of the shapes people write.

- a class with `predict(questions) -> list` or `answer(question) -> dict`, and `initialize` if it
  likes (with or without a context);
- a dynalab or TorchServe handler: a class with `initialize(context)`, `preprocess(data)`,
  `inference(x)` and `postprocess(y, data)`, or a function or method `handle(data, context)`; `data`
  is `[{"body": question}]`;
- a function `predict(questions) -> list`, or any other function of one question.

The same code runs on a thread of this process and, with `process: true`, in a process of its own:
then this module is that process, asked in JSON lines. The first line says what to load; every further
line is a list of questions. Whatever the handler prints goes to stderr, so that it cannot mix with
the answers.
"""

import asyncio
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from palaver.core.errors import InputError
from palaver.core.loading import load_own

Question = Mapping[str, Any]
_STEPS = ("preprocess", "inference", "postprocess")


class HandlerError(Exception):
    """Somebody's code raised or returned something else than answers; the text says what."""


@dataclass(frozen=True, slots=True)
class HandlerContext:
    """What a dynalab handler is told about where it runs."""

    model_name: str
    manifest: dict[str, Any] = field(default_factory=dict)
    system_properties: dict[str, Any] = field(default_factory=dict)


class Handler:
    """Loaded code; `start` once, then `answer` as often as needed."""

    def __init__(
        self, target: str, *, folder: Path, options: Mapping[str, Any], checkpoint: str = ""
    ) -> None:
        self._target = target
        self._folder = folder.resolve()
        self._context = HandlerContext(
            model_name=folder.resolve().name,
            manifest={"model": {"serializedFile": checkpoint}},
            system_properties={
                "model_dir": str(self._folder),
                "gpu_id": os.environ.get("CUDA_VISIBLE_DEVICES") or None,
                "batch_size": 1,
            },
        )
        thing = _loaded(target, self._folder)
        self._thing = self._guarded(lambda: thing(**options)) if inspect.isclass(thing) else thing
        self._call = self._shape()

    def start(self) -> None:
        """Let the code load what it needs."""
        initialize = getattr(self._thing, "initialize", None)
        if callable(initialize):
            takes = bool(inspect.signature(initialize).parameters)
            self._guarded(lambda: initialize(self._context) if takes else initialize())

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """What the code answers, as plain JSON values; HandlerError if it raises."""
        answers = self._guarded(lambda: self._call([dict(question) for question in questions]))
        try:
            return [_plain(answer) for answer in answers]
        except (TypeError, ValueError) as error:
            raise HandlerError(
                f"'{self._target}' answered with something other than JSON: {error}"
            ) from None

    def _shape(self) -> Callable[[list[dict[str, Any]]], list[Any]]:
        thing = self._thing
        if inspect.isroutine(thing):
            name = getattr(thing, "__name__", "")
            if name == "handle":
                return lambda questions: [self._handled(thing, question) for question in questions]
            if name == "predict":
                return lambda questions: self._listed(thing(questions), questions)
            return lambda questions: [_awaited(thing(question)) for question in questions]
        if callable(getattr(thing, "predict", None)):
            return lambda questions: self._listed(thing.predict(questions), questions)
        if callable(getattr(thing, "answer", None)):
            return lambda questions: [_awaited(thing.answer(question)) for question in questions]
        if callable(getattr(thing, "handle", None)):
            return lambda questions: [
                self._handled(thing.handle, question) for question in questions
            ]
        if all(callable(getattr(thing, step, None)) for step in _STEPS):
            return lambda questions: [self._stepped(question) for question in questions]
        raise InputError(
            f"'{self._target}' has none of predict(questions), answer(question), "
            "handle(data, context), or preprocess, inference and postprocess together."
        )

    def _handled(self, handle: Callable[..., Any], question: dict[str, Any]) -> Any:
        return self._only(handle([{"body": question}], self._context))

    def _stepped(self, question: dict[str, Any]) -> Any:
        data = [{"body": question}]
        inferred = self._thing.inference(self._thing.preprocess(data))
        return self._only(self._thing.postprocess(inferred, data))

    def _only(self, answer: Any) -> Any:
        answer = _awaited(answer)
        if isinstance(answer, (list, tuple)):
            if len(answer) != 1:
                raise HandlerError(f"expected a list of one answer; got {len(answer)} of them")
            answer = answer[0]
        if isinstance(answer, (str, bytes)):
            try:
                return msgspec.json.decode(answer)
            except msgspec.DecodeError as error:
                raise HandlerError(
                    f"expected an answer as an object or as JSON text ({error}); "
                    f"got {answer!r:.200}"
                ) from None
        return answer

    def _listed(self, answers: Any, questions: Sequence[Any]) -> list[Any]:
        answers = _awaited(answers)
        if isinstance(answers, (str, bytes, Mapping)) or not hasattr(answers, "__iter__"):
            raise HandlerError(f"expected a list of answers; got {answers!r:.200}")
        found = list(answers)
        if len(found) != len(questions):
            raise HandlerError(f"expected {len(questions)} answers; got {len(found)}")
        return found

    def _guarded(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except HandlerError as error:
            raise HandlerError(f"'{self._target}': {error}.") from None
        except (Exception, SystemExit) as error:
            # Somebody's code may raise anything, and may even want to leave.
            where = self._place(error)
            raise HandlerError(
                f"'{self._target}' raised {type(error).__name__}: {error}{where}"
            ) from error

    def _place(self, error: BaseException) -> str:
        """The deepest line of the model's own folder that was running."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if Path(frame.filename).is_relative_to(self._folder)]
        return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def main() -> None:
    """Serve until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines = sys.stdin.buffer
    first = lines.readline()
    if not first:
        return
    handler = _start(msgspec.json.decode(first), answers)
    while handler is not None and (line := lines.readline()):
        try:
            told: dict[str, Any] = {"records": handler.answer(msgspec.json.decode(line))}
        except HandlerError as error:
            told = {"error": str(error)}
        _tell(answers, told)


def _loaded(target: str, folder: Path) -> Any:
    whole = target if ":" in target else f"{target}:handle"
    return load_own(whole, folder=folder, what="Option 'handler' takes", kind="Name")


def _awaited(value: Any) -> Any:
    return asyncio.run(_wait_for(value)) if inspect.isawaitable(value) else value


async def _wait_for(value: Any) -> Any:
    return await value


def _plain(value: Any) -> Any:
    """Plain values out of those that numeric libraries return."""
    return msgspec.to_builtins(value, str_keys=True, enc_hook=_unpacked)


def _unpacked(value: Any) -> Any:
    unpack = getattr(value, "tolist", None)
    if callable(unpack):
        return unpack()
    raise TypeError(f"{type(value).__name__} {value!r:.80}")


def _start(given: dict[str, Any], answers: BinaryIO) -> Handler | None:
    try:
        handler = Handler(
            given["handler"],
            folder=Path(given["folder"]),
            options=given["options"],
            checkpoint=given["checkpoint"],
        )
        handler.start()
    except (HandlerError, InputError) as error:
        _tell(answers, {"error": str(error)})
        return None
    _tell(answers, {"ready": True})
    return handler


def _tell(answers: BinaryIO, told: Any) -> None:
    answers.write(msgspec.json.encode(told) + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
