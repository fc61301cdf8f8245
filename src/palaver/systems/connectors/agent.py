"""`kind: agent`: a class with ParlAI's methods observe, act and (if it has it) share.

The class is made once as `Class(opt)` or `Class(opt, None)`, on a thread, when the first dialogue
needs it. With `share()` every dialogue gets `Class(opt, shared)`, else an instance of its own.
What partners say is observed as {"id", "text", "episode_done"}; `act()` runs on a thread and
returns a dictionary whose "text" is the answer, no text being silence.

ParlAI agents note their own words when they act. In a replay nobody acts, so an agent that has
`self_observe` is told its own words through it. Who must speak first observes "__SILENCE__", and
persona lines come before the first text as "your persona: …", both as in ParlAI's own worlds.
"""

import copy
import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from palaver.core.errors import InputError
from palaver.core.events import MESSAGE, Event, Move
from palaver.core.protocols import DraftListener, Place
from palaver.systems.answers import as_moves
from palaver.systems.attempt import AttemptError
from palaver.systems.options import CallOptions, load_class
from palaver.systems.threads import Lazy, in_thread

SILENCE = "__SILENCE__"


class AgentOptions(CallOptions):
    """Which class, and its opt."""

    target: str = Field(alias="class", description="the class, as module:Class")
    opt: dict[str, Any] = Field(default={}, description="the agent's opt dictionary")


class Agent:
    """A system that is a ParlAI-style agent class."""

    options_type: ClassVar[type[CallOptions]] = AgentOptions

    def __init__(self, options: AgentOptions, *, folder: Path) -> None:
        self._class = load_class(options.target, folder=folder)
        for method in ("observe", "act"):
            if not callable(getattr(self._class, method, None)):
                raise InputError(f"'{options.target}' has no method {method}().")
        self._opt = options.opt
        self._original: Lazy[Any] = Lazy(lambda: self._make(None))

    def new_session(self, place: Place) -> "AgentSession":
        """A session whose agent is made with its first turn."""
        return AgentSession(self, place)

    async def close(self) -> None:
        """Call the agent's own shutdown(), if it has one."""
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


class AgentSession:
    """One dialogue with an agent; it observes when it is about to act."""

    def __init__(self, system: Agent, place: Place) -> None:
        self._system = system
        self._place = place
        self._agent: Any = None
        self._unobserved: list[Event] = []
        self._begun = False
        self._acted: str | None = None

    def receive(self, event: Event) -> None:
        if event.action == MESSAGE and event.data is not None:
            self._unobserved.append(event)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        if self._agent is None:
            self._agent = await self._system.new_agent()
        events, self._unobserved = self._unobserved, []
        act = await in_thread(lambda: self._catch_up_and_act(events))
        if not hasattr(act, "get"):
            raise AttemptError("garbage", f"act() returned {act!r:.200}; expected a dictionary.")
        moves = as_moves(act.get("text"))
        self._acted = moves[0].data["text"] if moves and moves[0].data else None
        return moves

    def _catch_up_and_act(self, events: list[Event]) -> Any:
        for event in events:
            if event.seat == self._place.seat:
                self._note_own(event.text)
            else:
                self._observe(event.text, f"seat {event.seat}")
        if not self._begun:
            self._observe(SILENCE, "house")
        return self._agent.act()

    def _note_own(self, text: str) -> None:
        acted, self._acted = self._acted, None
        if acted == text:
            return  # said by this very agent, which knows
        if not self._begun:
            self._observe(SILENCE, "house")
        if hasattr(self._agent, "self_observe"):
            self._agent.self_observe({"id": "self", "text": text, "episode_done": False})

    def _observe(self, text: str, speaker: str) -> None:
        if not self._begun:
            persona = self._place.scenario.persona(self._place.seat)
            text = "\n".join([*(f"your persona: {line}" for line in persona), text])
            self._begun = True
        self._agent.observe({"id": speaker, "text": text, "episode_done": False})
