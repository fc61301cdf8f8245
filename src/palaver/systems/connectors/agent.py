"""`kind: agent`: a class with ParlAI's methods observe, act and (if it has it) share.

The class is made once as `Class(opt)` or `Class(opt, None)`, on a thread, when the first dialogue
needs it. With `share()` every dialogue gets `Class(opt, shared)`, else an instance of its own.
What partners say is observed as {"id", "text", "episode_done"}; `act()` runs on a thread and
returns a dictionary whose "text" is the answer, no text being silence.

ParlAI agents note their own words when they act. In a replay nobody acts, so an agent that has
`self_observe` is told its own words through it. Who must speak first observes "__SILENCE__", and
persona lines come before the first text as "your persona: …", both as in ParlAI's own worlds.

With `python` the agent does not run here but in the environment of that interpreter (ParlAI is often
frozen at an old one): `bridges/parlai_bridge.py` is started there once and does the same.
"""

import copy
import inspect
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import msgspec
from pydantic import Field, model_validator

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import DraftListener, Place
from palaver.systems.answers import as_moves
from palaver.systems.attempt import AttemptError
from palaver.systems.bridges import parlai_bridge
from palaver.systems.connectors.command import Command, CommandChatOptions, CommandSession
from palaver.systems.options import CallOptions, load_class
from palaver.systems.threads import Lazy, in_thread

BRIDGE = Path(parlai_bridge.__file__)
# Seconds that an agent of another environment has for its first answer, in which its model is loaded.
LOADING = 300.0


class AgentOptions(CallOptions):
    """Which class, and its opt."""

    target: str = Field(default="", alias="class", description="the class, as module:Class")
    opt: dict[str, Any] = Field(default={}, description="the agent's opt dictionary")
    path: Path | None = Field(
        default=None, description="the folder that the class is imported from; none: the study's"
    )
    python: str | None = Field(
        default=None,
        description="the Python of another environment that the agent runs in; none: it runs here",
    )
    flags: str = Field(
        default="",
        description="with `python`: ParlAI's own options instead of a class, as in model_opts.yaml",
    )

    @model_validator(mode="before")
    @classmethod
    def _wait_for_the_other_environment(cls, given: Any) -> Any:
        # One process there answers one at a time, and loads the model with its first answer.
        if isinstance(given, dict) and given.get("python"):
            return {"concurrency": 1, "timeout": LOADING, **given}
        return given

    @model_validator(mode="after")
    def _name_an_agent(self) -> Self:
        if not self.target and not (self.python and self.flags):
            raise ValueError(
                "Name the agent with 'class' (module:Class), or give 'python' and ParlAI's 'flags'"
            )
        if self.flags and (self.target or not self.python):
            raise ValueError("'flags' go with 'python', and take the place of 'class'")
        return self


class Agent:
    """A system that is a ParlAI-style agent class."""

    options_type: ClassVar[type[CallOptions]] = AgentOptions

    def __init__(self, options: AgentOptions, *, folder: Path) -> None:
        self._elsewhere: Command | None = None
        if options.python:
            self._elsewhere = _elsewhere(options, folder)
            return
        self._class = load_class(
            options.target, folder=folder if options.path is None else folder / options.path
        )
        for method in ("observe", "act"):
            if not callable(getattr(self._class, method, None)):
                raise InputError(f"'{options.target}' has no method {method}().")
        self._opt = options.opt
        self._original: Lazy[Any] = Lazy(lambda: self._make(None))

    def new_session(self, place: Place) -> "AgentSession | CommandSession":
        """A session whose agent is made with its first turn."""
        if self._elsewhere is not None:
            return self._elsewhere.new_session(place)
        return AgentSession(self, place)

    async def close(self) -> None:
        """Call the agent's own shutdown(), if it has one; end the program of another environment."""
        if self._elsewhere is not None:
            await self._elsewhere.close()
            return
        original = self._original.forget()
        if original is not None and hasattr(original, "shutdown"):
            await in_thread(original.shutdown)

    async def new_agent(self) -> Any:
        if not hasattr(self._class, "share") or not self._takes_shared():
            return await in_thread(lambda: self._make(None))
        original = await self._original.get()
        return await in_thread(lambda: self._make(original.share()))

    def _make(self, shared: Any) -> Any:
        # Agents write into their opt; none of them gets ours.
        opt = copy.deepcopy(self._opt)
        agent = self._class(opt, shared) if self._takes_shared() else self._class(opt)
        if hasattr(agent, "reset"):
            agent.reset()
        return agent

    def _takes_shared(self) -> bool:
        try:
            inspect.signature(self._class).bind({}, None)
        except TypeError:
            return False
        return True


def _elsewhere(options: AgentOptions, folder: Path) -> Command:
    """The bridge, run by the Python of another environment; one process for all dialogues."""
    assert options.python is not None
    home = folder if options.path is None else folder / options.path
    run = [_interpreter(options.python, folder), str(BRIDGE), "--path", str(home.resolve())]
    if options.flags:
        run += ["--", *shlex.split(options.flags)]
    else:
        run += ["--class", options.target, "--opt", msgspec.json.encode(options.opt).decode()]
    shared = CommandChatOptions(run=run, share=True, timeout=options.timeout)
    return Command(shared, folder=folder)


def _interpreter(python: str, folder: Path) -> str:
    # A path that leads nowhere is told by its own option, not by the one of 'command'.
    found = shutil.which(str(folder / Path(python).expanduser()) if "/" in python else python)
    if found is None:
        raise InputError(
            f"Option 'python' names '{python}', which is not a program here. Give the Python of the "
            "environment that the agent runs in, such as /envs/parlai/bin/python."
        )
    return found


class AgentSession:
    """One dialogue with an agent; it is spoken to as the bridge does it elsewhere."""

    def __init__(self, system: Agent, place: Place) -> None:
        self._system = system
        self._place = place
        self._talk: parlai_bridge.ParlaiSession | None = None
        self._unheard: list[Event] = []

    def receive(self, event: Event) -> None:
        if event.action == MESSAGE and event.data is not None:
            self._unheard.append(event)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        seat = self._place.seat
        if self._talk is None:
            persona = list(self._place.scenario.persona(seat))
            self._talk = parlai_bridge.ParlaiSession(await self._system.new_agent(), seat, persona)
        talk = self._talk
        for event in self._unheard:
            talk.receive({"seat": event.seat, "action": event.action, "data": event.data})
        self._unheard = []
        act = await in_thread(talk.act)
        if not hasattr(act, "get"):
            raise AttemptError("garbage", f"act() returned {act!r:.200}; expected a dictionary.")
        moves = as_moves(act.get("text"))
        talk.acted = moves[0].data["text"] if moves and moves[0].data else None
        return moves
