"""A stand-in for Prolific at a free port, with a clock that a test turns, and a client that asks it."""

import asyncio
import random
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import uvicorn

from palaver.core.clock import Clock
from palaver.core.money import Money
from palaver.crowds.prolific.bodies import StudyDraft, draft_of
from palaver.crowds.prolific.client import Prolific
from palaver.crowds.prolific.records import CodeAction, CompletionCode
from palaver.crowds.prolific.stand_in.app import stand_in_app
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.web.socket import TellingServer, listen, port_of

START = 1_800_000_000.0
APPROVED = CompletionCode(code="DONE", actions=(CodeAction(action="AUTOMATICALLY_APPROVE"),))
REVIEWED = CompletionCode(code="LOOK", actions=(CodeAction(action="MANUALLY_REVIEW"),))


class TurnedClock:
    """Time that a test turns on; sleeping turns it on as well, and is noted."""

    def __init__(self, start: float = START) -> None:
        self.at = start
        self.slept: list[float] = []

    def now(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds
        await asyncio.sleep(0)


@contextmanager
def serve_stand_in(clock: Clock | None = None, **given: Any) -> Iterator[StandIn]:
    """A stand-in that answers over HTTP at `base`; events leave when the test says `deliver`."""
    stand_in = StandIn(clock=clock or TurnedClock(), **given)
    ready = threading.Event()
    with closing(listen("127.0.0.1", 0)) as listening:
        stand_in.base = f"http://127.0.0.1:{port_of(listening)}"
        config = uvicorn.Config(
            stand_in_app(stand_in), log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        server = TellingServer(config, ready.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            assert ready.wait(60), "the stand-in did not start"
            yield stand_in
        finally:
            server.should_exit = True
            thread.join(timeout=60)


def clock_of(stand_in: StandIn) -> TurnedClock:
    """The clock of a stand-in that a test turns."""
    assert isinstance(stand_in.clock, TurnedClock)
    return stand_in.clock


def client_of(stand_in: StandIn, **given: Any) -> Prolific:
    """A client of a stand-in, with its token and its clock."""
    settled = {"clock": stand_in.clock, "chance": random.Random(1), "token": stand_in.token}
    return Prolific(**{**settled, "address": stand_in.base, **given})


def drafted(**given: Any) -> StudyDraft:
    """A draft that Prolific takes; `given` says what is otherwise."""
    usual: dict[str, Any] = {
        "title": "Talk with a partner",
        "description": "<p>You talk with a partner for <strong>ten minutes</strong>.</p>",
        "address": "https://lab.example/s/talk",
        "reward": Money(150, "GBP"),
        "minutes": 10,
        "places": 3,
        "codes": (APPROVED, REVIEWED),
    }
    return draft_of(**{**usual, **given})


async def published(prolific: Prolific, **given: Any) -> str:
    """The id of a study that people can take part in."""
    made = await prolific.studies.make(drafted(**given))
    await prolific.studies.move(made.id, "PUBLISH")
    return made.id
