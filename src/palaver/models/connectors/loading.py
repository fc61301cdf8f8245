"""From the options of a connector to a model in memory: the folder, the device, the threads.

What is wrong with a checkpoint is said when a connector is built, which reads JSON and no weights.
PyTorch and the weights load with the first answer, on a thread: whoever names no checkpoint never
imports PyTorch.
"""

import asyncio
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from pydantic import Field

from palaver.core.errors import InputError, MissingExtraError
from palaver.models.answering import answer_unless
from palaver.models.checkpoints.folder import Checkpoint, check_model, open_checkpoint
from palaver.models.memory import is_out_of_memory
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CallOptions
from palaver.systems.threads import Lazy, in_thread

if TYPE_CHECKING:
    import torch

M = TypeVar("M")
R = TypeVar("R")

Device = Literal["auto", "cpu", "cuda"]

_PACKAGES = ("torch", "safetensors")
# How long an answer that was given up may take to notice it.
_GIVEN_UP_SECONDS = 10.0


class CheckpointOptions(CallOptions):
    """Which checkpoint, and how much of the machine it takes."""

    # With the same dice it would think the same, for as long.
    late_is_final: ClassVar[bool] = True

    checkpoint: Path = Field(description="folder of a trained model, as palaver train writes it")
    device: Device = Field(
        default="auto",
        description="where it computes: auto (a GPU where there is one), cpu or cuda",
    )
    threads: int = Field(default=1, ge=1, le=256, description="processor threads it may use")

    def opened(self, folder: Path, *, what: str, kinds: Sequence[str]) -> Checkpoint:
        """The checkpoint, without its weights; InputError where it cannot be used for `what`.

        `kinds` are the kinds of models that can.
        """
        if any(importlib.util.find_spec(package) is None for package in _PACKAGES):
            raise MissingExtraError(f"A {what} of kind 'checkpoint'", "torch")
        found = open_checkpoint(folder / self.checkpoint.expanduser())
        for each in (found, *found.members):
            check_model(each, tuple(kinds))
        return found


class LoadedModel(Generic[M]):
    """A model that loads on a thread when it is first needed, and is asked on threads."""

    def __init__(
        self, make: Callable[["torch.device"], M], options: CheckpointOptions, *, helps: str
    ) -> None:
        self._options = options
        self._helps = helps
        self._model: Lazy[M] = Lazy(lambda: make(_device(options.device)))
        self._answers: set[asyncio.Future[Any]] = set()
        self.is_loaded = False

    async def load(self) -> M:
        """The model; AttemptError where it cannot be loaded."""
        with self._told():
            model = await self._model.get()
        self.is_loaded = True
        return model

    async def ask(self, question: Callable[[M], R]) -> R:
        """What `question` makes of the model; AttemptError where it has no answer."""
        model = await self.load()
        given_up = Event()
        answer = asyncio.ensure_future(in_thread(lambda: self._answered(question, model, given_up)))
        self._answers.add(answer)
        answer.add_done_callback(self._is_over)
        with self._told():
            try:
                await asyncio.wait([answer])
            finally:
                given_up.set()
            return answer.result()

    async def close(self) -> None:
        """Let go of the model, and wait a little for threads whose answers were given up: a thread
        that computes while the interpreter ends would take it down."""
        self.forget()
        if self._answers:
            await asyncio.wait(self._answers, timeout=_GIVEN_UP_SECONDS)

    def forget(self) -> None:
        """Let go of the model; the next question loads it again."""
        self.is_loaded = False
        self._model.forget()

    def _is_over(self, answer: "asyncio.Future[Any]") -> None:
        self._answers.discard(answer)
        if not answer.cancelled():
            answer.exception()  # of an answer that was given up, nobody else asks for it

    def _answered(self, question: Callable[[M], R], model: M, given_up: Event) -> R:
        import torch

        # PyTorch counts threads for each thread that calls it, and each answer has one of its own.
        torch.set_num_threads(self._options.threads)
        return answer_unless(given_up, lambda: question(model))

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong inside, as a failed attempt that says what helps."""
        try:
            yield
        except AttemptError:
            raise
        except InputError as error:
            raise AttemptError("refused", str(error), may_pass=False) from error
        except Exception as error:  # a model may raise anything
            raise AttemptError("error", self._words(error)) from error

    def _words(self, error: Exception) -> str:
        if is_out_of_memory(error):
            return f"The model needs more memory than there is. {self._helps}"
        return f"The model failed: {type(error).__name__}: {error}"


def _device(name: Device) -> "torch.device":
    import torch

    has_gpu = torch.cuda.is_available()
    if name == "cuda" and not has_gpu:
        raise InputError(
            "Option 'device' is cuda, and PyTorch finds no GPU here. Write 'device: auto', or cpu."
        )
    return torch.device("cuda" if has_gpu and name != "cpu" else "cpu")
