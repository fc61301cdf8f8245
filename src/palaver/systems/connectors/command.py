r"""`kind: command`: a program in any language that speaks JSON lines on stdin and stdout.

Palaver writes one JSON object per line, each with the keys "type", "dialogue" and "seat":

{"type": "start", "scenario": {…}, "persona": ["…"], "kb": …}   a dialogue begins, or is told again
{"type": "event", "event": {"seq": 1, "seat": 0, "action": "message", "data": {"text": "Hi"}, …}}
{"type": "send"}                                        it is the program's turn

and then waits. The program answers a "send" with one line:

{"text": "Hello!"}          a message
{"text": null}              silence
{"moves": [{"action": "select", "data": {…}}]}    any moves of the game
{"error": "…"}              it cannot answer; the text is recorded for the researcher

Before that line it may write {"draft": "the text so far"} as often as it likes. It answers nothing
else, and logs to stderr. It must flush every line. Its working folder is the study folder; its end
of input is the end of its work. Each dialogue has a process of its own unless `share: true`, when
one process serves all and keeps them apart by "dialogue" and "seat". A program that hangs, ends or
writes something else is ended; the next attempt starts a new one and tells it the dialogue from
the start.

On a task the program reads questions instead: each one line `{"uid": "…", …}` on its stdin; each answer
is one line `{"id": "…", …}` on its stdout, in any order within a batch, flushed at once. Without ids,
order decides. It may answer `{"id": "…", "error": "…"}` where it cannot. `concurrency` is the number of
such processes.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from pydantic import Field, model_validator

from palaver.core.events import END, Event, Move
from palaver.core.protocols import DraftListener, Place
from palaver.systems.answers import as_moves, decode_moves, id_of, match
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.options import CallOptions, CodeOptions, PredictorOptions
from palaver.systems.programs import Child, ProcessRespondent, Program, executable
from palaver.systems.registry import Question


class CommandChatOptions(CallOptions):
    """What to run."""

    run: list[str] = Field(
        min_length=1, description="the program and its arguments; paths are relative to the study"
    )
    share: bool = Field(
        default=False, description="whether one process serves all dialogues, one answer at a time"
    )

    @model_validator(mode="before")
    @classmethod
    def _take_turns(cls, given: Any) -> Any:
        # A shared process answers one at a time: those who wait should wait outside the timeout.
        if isinstance(given, dict) and given.get("share") is True:
            return {"concurrency": 1, **given}
        return given


class CommandModelOptions(CodeOptions):
    """What to run."""

    run: list[str] = Field(
        min_length=1, description="the program and its arguments; it runs in the model's folder"
    )
    concurrency: int = Field(
        default=1, ge=1, le=1000, description="processes that run at the same time"
    )


class Command:
    """A system that is a program."""

    options_type: ClassVar[type[CallOptions]] = CommandChatOptions
    makes_moves: ClassVar[bool] = True

    def __init__(self, options: CommandChatOptions, *, folder: Path) -> None:
        self.options = options
        self._folder = folder.resolve()
        self._arguments = [executable(options.run[0], self._folder), *options.run[1:]]
        self._programs: set[Program] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._shared: Program | None = None
        self._starting = asyncio.Lock()

    def new_session(self, place: Place) -> "CommandSession":
        """A session whose program starts with its first turn."""
        return CommandSession(self, place)

    async def close(self) -> None:
        programs, self._programs, self._shared = self._programs, set(), None
        await asyncio.gather(*(program.stop() for program in programs), *self._ending)

    async def program_for(self, current: Program | None) -> Program:
        """The program that a session talks to: its own, the shared one, or a new one."""
        async with self._starting:
            if self.options.share:
                current = self._shared
            if current is not None and not current.stopped:
                return current
            self._programs = {program for program in self._programs if not program.stopped}
            program = await Program.start(self._arguments, folder=self._folder)
            self._programs.add(program)
            if self.options.share:
                self._shared = program
            return program

    def dismiss(self, program: Program) -> None:
        """End a dialogue's own program in the background."""
        if self.options.share or program.stopped:
            return
        self._programs.discard(program)
        task = asyncio.get_running_loop().create_task(program.stop())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)


class CommandSession:
    """One dialogue with a program."""

    def __init__(self, system: Command, place: Place) -> None:
        self._system = system
        self._place = place
        self._events: list[Event] = []
        self._program: Program | None = None
        self._told = 0

    def receive(self, event: Event) -> None:
        """Take note of an event; the program of a dialogue that is over is ended."""
        self._events.append(event)
        if event.action == END and self._program is not None:
            self._system.dismiss(self._program)

    async def send(self, draft: DraftListener | None = None) -> Sequence[Move]:
        answer = _Answer(draft)
        while True:
            program = await self._system.program_for(self._program)
            async with program.lock:
                if program.stopped:  # it was ended while we waited for our turn
                    continue
                await program.ask(self._news(program), answer.take)
                return answer.moves

    async def close(self) -> None:
        """End the program if it is this dialogue's own."""
        if self._program is not None and not self._system.options.share:
            await self._program.stop()

    def _news(self, program: Program) -> list[dict[str, Any]]:
        """What this program has not been told yet, and the request to speak."""
        place = self._place
        news: list[dict[str, Any]] = []
        if program is not self._program:
            self._program, self._told = program, 0
            persona = list(place.scenario.persona(place.seat))
            scenario = msgspec.to_builtins(place.scenario)
            # Personas and knowledge of other seats are not for this one to see.
            scenario.pop("personas", None)
            scenario.pop("kbs", None)
            news.append(
                {
                    "type": "start",
                    "scenario": scenario,
                    "persona": persona,
                    "kb": place.scenario.kb(place.seat),
                }
            )
        news += [{"type": "event", "event": event} for event in self._events[self._told :]]
        self._told = len(self._events)
        news.append({"type": "send"})
        return [{**each, "dialogue": place.dialogue, "seat": place.seat} for each in news]


class CommandModel(ProcessRespondent):
    """A model that is a program."""

    options_type: ClassVar[type[PredictorOptions]] = CommandModelOptions

    def __init__(self, options: CommandModelOptions, *, folder: Path) -> None:
        super().__init__(number=options.concurrency)
        self._folder = folder.resolve()
        self._arguments = [executable(options.run[0], self._folder), *options.run[1:]]

    async def answer(self, questions: Sequence[Question]) -> Sequence[Any]:
        records: list[Any] = []

        def take(line: Any) -> bool:
            _complain_about(line, {str(question["uid"]) for question in questions})
            records.append(line)
            return len(records) == len(questions)

        async with self._child() as child:
            await child.exchange([dict(question) for question in questions], take)
        return match(records, questions)

    async def _begin(self) -> Child:
        return await Child.start(self._arguments, folder=self._folder)


class _Answer:
    """Reads a program's lines until one is the answer."""

    def __init__(self, draft: DraftListener | None) -> None:
        self._draft = draft
        self.moves: list[Move] = []

    def take(self, line: Any) -> bool:
        """Read one line; whether it was the answer."""
        if isinstance(line, dict) and isinstance(line.get("draft"), str):
            if self._draft is not None:
                self._draft(line["draft"])
            return False
        self.moves = _moves(line)
        return True


def _moves(line: Any) -> list[Move]:
    if isinstance(line, dict):
        if line.get("error"):
            raise AttemptError("error", f"The program says: {shorten(str(line['error']))}")
        if "moves" in line:
            return decode_moves(line["moves"])
        if "text" in line and (line["text"] is None or isinstance(line["text"], str)):
            return as_moves(line["text"])
    raise AttemptError(
        "garbage", f'Expected a line like {{"text": "…"}} or {{"moves": […]}}; got {line!r:.200}.'
    )


def _complain_about(line: Any, uids: set[str]) -> None:
    """Raise at the first line that cannot be an answer: waiting for the rest would take for ever."""
    if not isinstance(line, dict):
        told = f'Expected a line like {{"id": "…", …}}; got {shorten(repr(line))}.'
        raise AttemptError("garbage", told, may_pass=False, came=line)
    given = id_of(line)
    if line.get("error"):
        whom = "" if given is None else f" about '{given}'"
        raise AttemptError("error", f"The program says{whom}: {shorten(str(line['error']))}")
    if given is not None and given not in uids:
        told = f"The program answered '{given}', which was not asked in this call."
        raise AttemptError("garbage", told, may_pass=False)
