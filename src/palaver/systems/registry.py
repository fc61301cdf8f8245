"""Kinds of connectors by name, one file each; a kind may have a face for dialogues, for tasks, or both.

In a dialogue a connector is a system: it makes a session per dialogue. On a task it is a model: it
answers questions, in one attempt and without patience; time limits, retries, pace and the search for
the one question that spoils a batch are the guard's, once for all kinds. Other packages register a
system under the entry point `palaver.systems` and a model under `palaver.predictors`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from palaver.core.protocols import Place, Session
from palaver.core.registry import Registry
from palaver.systems.options import CallOptions, PredictorOptions

Question = Mapping[str, Any]


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


class Respondent(Protocol):
    """A model that is made from options; paths in them are relative to `folder`."""

    options_type: ClassVar[type[PredictorOptions]]

    def __init__(self, options: Any, *, folder: Path) -> None: ...

    @property
    def ready(self) -> bool:
        """Whether it can answer as it is; otherwise it must be started, for the first time or again."""
        ...

    async def start(self) -> None:
        """Connect or load what is not there yet."""
        ...

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        """One record per question, in their order, out of one attempt."""
        ...

    def memory(self) -> float | None:
        """GiB that the model takes now, where that can be measured."""
        ...

    async def close(self) -> None:
        """Let go of connections and processes."""
        ...


_HERE = "palaver.systems.connectors"
# In a layer above: it knows games, and loads PyTorch when it is used.
_TRAINED = "palaver.models.connectors.checkpoint"

SYSTEMS: Registry[type[Connector]] = Registry(
    "kind of system",
    "palaver.systems",
    {
        "scripted": f"{_HERE}.scripted:Scripted",
        "pattern": f"{_HERE}.pattern:PatternBot",
        "retrieval": f"{_HERE}.retrieval:Retrieval",
        "openai": f"{_HERE}.openai:OpenAI",
        "http": f"{_HERE}.http:Http",
        "command": f"{_HERE}.command:Command",
        "python": f"{_HERE}.python:PythonClass",
        "agent": f"{_HERE}.agent:Agent",
        "local_lm": f"{_HERE}.local_lm:LocalLM",
        "checkpoint": f"{_TRAINED}:CheckpointSystem",
        "unconfigured": f"{_HERE}.unconfigured:UnconfiguredSystem",
    },
)
PREDICTORS: Registry[type[Respondent]] = Registry(
    "kind of model",
    "palaver.predictors",
    {
        "torchserve": f"{_HERE}.torchserve:TorchServe",
        "dynabench": f"{_HERE}.dynabench:Dynabench",
        "askbatch": f"{_HERE}.askbatch:AskBatch",
        "advice_retrieval": f"{_HERE}.advice_retrieval:AdviceRetrieval",
        "openai": f"{_HERE}.openai:OpenAIModel",
        "local_lm": f"{_HERE}.local_lm:LocalLMModel",
        "checkpoint": f"{_TRAINED}:CheckpointModel",
        "http": f"{_HERE}.http:HttpModel",
        "handler": f"{_HERE}.handler:HandlerModel",
        "command": f"{_HERE}.command:CommandModel",
        "overlap": f"{_HERE}.overlap:OverlapModel",
    },
)
