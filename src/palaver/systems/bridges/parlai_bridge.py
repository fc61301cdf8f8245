"""A ParlAI agent as a conversation partner of Palaver, from the environment that ParlAI lives in.

This file needs nothing but Python 3.8 or newer and the agent's own environment. Palaver starts it for
`kind: agent` with `python`; it can also be copied to another machine and named by `kind: command`:

    run: [ssh, gpu-host, /envs/parlai/bin/python, parlai_bridge.py, --, --model-file, zoo:...]
    share: true

    python parlai_bridge.py [--path FOLDER] --class module:Class [--opt JSON]
    python parlai_bridge.py [--path FOLDER] -- --model internal:mybot [ParlAI's options ...]

With a class, the agent is `Class(opt, shared)`; with ParlAI's options, ParlAI makes it, as it does for
a line of model_opts.yaml. The agent is loaded once. Each dialogue gets its own by `share()`, so that
many conversations go on side by side without a second copy of the model.

Messages are JSON lines: "start", "event" and "send" come in, {"text": ...} or {"error": ...} goes out.
Whatever else writes to standard output (ParlAI logs there) goes to standard error.
"""

# It runs where Python 3.8 is: no newer syntax, no package but the standard library.
from __future__ import annotations

import argparse
import copy
import importlib
import inspect
import json
import os
import sys
import traceback
from collections import OrderedDict
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

SILENCE = "__SILENCE__"
UNSAFE = "_potentially_unsafe__"
# Dialogues that are kept in mind at the same time; Palaver does not say when one is over.
MOST = 2000


class Maker:
    """Loads an agent once, and gives each dialogue one of its own."""

    def __init__(self, new: Callable[[], Any], again: Callable[[Any], Any]) -> None:
        self._new = new
        self._again = again
        self._original: Any = None

    def agent(self) -> Any:
        """An agent that has heard nothing yet."""
        if self._original is None:
            self._original = self._new()
        if not hasattr(self._original, "share"):
            # Nothing can be shared: the one that was loaded serves the first dialogue.
            first, self._original = self._original, None
            return _reset(first)
        return _reset(self._again(self._original.share()))


def maker_of_class(target: str, opt: dict[str, Any]) -> Maker:
    """Agents of a class, given as module:Class."""
    module, _, name = target.partition(":")
    if not module or not name:
        raise SystemExit(f"--class takes module:Class; got '{target}'.")
    kind = getattr(importlib.import_module(module), name)

    def make(shared: Any) -> Any:
        # Agents write into their opt; each gets a copy.
        given = copy.deepcopy(opt)
        return kind(given, shared) if _takes_shared(kind) else kind(given)

    if not _takes_shared(kind):
        # It could not be told what another agent shares.
        return Maker(lambda: _Alone(make), lambda shared: shared())
    return Maker(lambda: make(None), make)


def maker_of_options(options: list[str]) -> Maker:
    """Agents that ParlAI makes of its own options."""
    agents = importlib.import_module("parlai.core.agents")
    params = importlib.import_module("parlai.core.params")
    opt = params.ParlaiParser(True, True).parse_args(options)
    return Maker(
        lambda: agents.create_agent(opt, requireModelExists=True),
        agents.create_agent_from_shared,
    )


class _Alone:
    """Stands in for an original where every dialogue needs a whole agent."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make

    def share(self) -> Callable[[], Any]:
        return lambda: self._make(None)


class ParlaiSession:
    """One dialogue: what was said since the agent last spoke, and the agent."""

    def __init__(self, agent: Any, seat: int, persona: list[str]) -> None:
        self._agent = agent
        self._seat = seat
        self._persona = persona
        self._begun = False
        self._unobserved: list[tuple[int | None, str]] = []
        # What it said last; it knows that already when it hears it.
        self.acted: str | None = None

    def receive(self, event: dict[str, Any]) -> None:
        """Note what somebody said."""
        data = event.get("data")
        if event.get("action") == "message" and isinstance(data, dict):
            self._unobserved.append((event.get("seat"), str(data.get("text", ""))))

    def act(self) -> Any:
        """Let the agent observe what was said since it last spoke; its act, as it gives it."""
        heard, self._unobserved = self._unobserved, []
        for is_own, said in groupby(heard, key=lambda each: each[0] == self._seat):
            run = list(said)
            if is_own:
                for _, text in run:
                    self._note_own(text)
            else:
                # Agents of ParlAI observe once before they act.
                self._observe("\n".join(text for _, text in run), f"seat {run[-1][0]}")
        if not self._begun:
            self._observe(SILENCE, "house")
        return self._agent.act()

    def send(self) -> str | None:
        """What the agent answers; None for silence."""
        act = self.act()
        if not hasattr(act, "get"):
            raise TypeError(f"act() returned {act!r}; expected a dictionary.")
        text = act.get("text")
        if text is None or not str(text).strip():
            self.acted = None
            return None
        self.acted = _cleaned(str(text), getattr(self._agent, "opt", None))
        return self.acted

    def _note_own(self, text: str) -> None:
        acted, self.acted = self.acted, None
        if acted == text:
            return  # said by this very agent, which knows
        if not self._begun:
            self._observe(SILENCE, "house")
        if hasattr(self._agent, "self_observe"):
            self._agent.self_observe({"id": "self", "text": text, "episode_done": False})

    def _observe(self, text: str, speaker: str) -> None:
        if not self._begun:
            text = "\n".join([*(f"your persona: {line}" for line in self._persona), text])
            self._begun = True
        self._agent.observe({"id": speaker, "text": text, "episode_done": False})


class Bridge:
    """Answers the messages of one Palaver, dialogue by dialogue."""

    def __init__(self, maker: Maker) -> None:
        self._maker = maker
        self._sessions: OrderedDict[tuple[str, int], ParlaiSession] = OrderedDict()

    def take(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Read one message; the answer, if it asks for one."""
        key = (str(message.get("dialogue")), int(message.get("seat") or 0))
        kind = message.get("type")
        if kind == "start":
            self._sessions[key] = ParlaiSession(
                self._maker.agent(), key[1], [str(line) for line in message.get("persona") or []]
            )
            while len(self._sessions) > MOST:
                self._sessions.popitem(last=False)
        session = self._sessions.get(key)
        if session is None:
            return {"error": f"dialogue {key[0]} is not known here"} if kind == "send" else None
        self._sessions.move_to_end(key)
        if kind == "event":
            session.receive(message.get("event") or {})
        return {"text": session.send()} if kind == "send" else None

    def serve(self, lines: TextIO, out: TextIO) -> None:
        """Answer line by line until the input ends."""
        failed = ""
        for line in lines:
            if not line.strip():
                continue
            message = json.loads(line)
            try:
                answer = self.take(message)
            except Exception as error:  # noqa: BLE001  # an agent may raise anything
                traceback.print_exc()
                failed = f"{type(error).__name__}: {error}"
                answer = None
            if message.get("type") == "send":
                # What failed before it was asked to speak is told when it is.
                told = {"error": failed} if failed else answer
                failed = ""
                out.write(json.dumps(told) + "\n")
                out.flush()


def _reset(agent: Any) -> Any:
    if hasattr(agent, "reset"):
        agent.reset()
    return agent


def _takes_shared(kind: Any) -> bool:
    try:
        inspect.signature(kind).bind({}, None)
    except TypeError:
        return False
    return True


def _cleaned(text: str, opt: Any) -> str:
    """A reply as ParlAI's chat tasks show it: with capitals and spacing, without its tags."""
    text = text.replace(UNSAFE, "").strip()
    if isinstance(opt, dict) and opt.get("dict_lower") is False:
        return text
    try:
        strings = importlib.import_module("parlai.utils.strings")
    except ImportError:
        return text
    return str(strings.normalize_reply(text))


def main(arguments: list[str]) -> None:
    """Serve the agent that the arguments name."""
    own, options = arguments, []
    if "--" in arguments:
        place = arguments.index("--")
        own, options = arguments[:place], arguments[place + 1 :]
    parser = argparse.ArgumentParser(description="A ParlAI agent as a partner of Palaver.")
    parser.add_argument("--class", dest="target", metavar="MODULE:CLASS", help="the agent's class")
    parser.add_argument("--opt", default="{}", metavar="JSON", help="the opt of the class")
    parser.add_argument("--path", action="append", default=[], help="a folder to import from")
    given = parser.parse_args(own)
    # What agents print must not come between the lines of the protocol.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lines = os.fdopen(os.dup(0), "r", encoding="utf-8")
    for folder in reversed(given.path or ["."]):
        sys.path.insert(0, str(Path(folder).resolve()))
    if given.target:
        maker = maker_of_class(given.target, json.loads(given.opt))
    elif options:
        maker = maker_of_options(options)
    else:
        raise SystemExit("Name an agent: --class module:Class, or ParlAI's options after --.")
    Bridge(maker).serve(lines, out)


if __name__ == "__main__":
    main(sys.argv[1:])
