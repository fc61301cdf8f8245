"""When Prolific is slow, busy or breaks: questions are asked again, changes are sent once."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from palaver.core import errors
from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.crowds.prolific.api.requests import after_change
from palaver.crowds.prolific.client import Prolific
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.crowds.prolific.stand_in.switches import SHAPES
from support.prolific import TurnedClock, client_of, clock_of, drafted, published
from support.serving import free_port

Step = Callable[[Prolific], Awaitable[Any]]


def run(stand_in: StandIn, walk: Step, **given: Any) -> Any:
    async def inside() -> Any:
        async with client_of(stand_in, **given) as prolific:
            return await walk(prolific)

    return asyncio.run(inside())


def test_a_busy_service_is_asked_again_after_what_it_says(stand_in: StandIn) -> None:
    stand_in.switches.be_busy(2, retry_after="7")

    me = run(stand_in, lambda prolific: prolific.account.me())

    assert me.currency == "GBP"
    assert clock_of(stand_in).slept == [7.0, 7.0]


def test_without_a_word_it_waits_longer_each_time_and_gives_up(stand_in: StandIn) -> None:
    stand_in.switches.be_busy(99)

    with pytest.raises(errors.PanelBusyError, match="no more requests"):
        run(stand_in, lambda prolific: prolific.account.me())

    slept = clock_of(stand_in).slept
    assert len(stand_in.calls) == 5
    assert all(0 <= wait <= 2**n for n, wait in enumerate(slept))
    assert len(slept) == 4
    assert len(set(slept)) == 4


def test_a_wait_that_is_too_long_is_left_to_people(stand_in: StandIn) -> None:
    stand_in.switches.be_busy(99, retry_after="3600")

    with pytest.raises(errors.PanelBusyError, match="in 3,600 seconds") as raised:
        run(stand_in, lambda prolific: prolific.account.me())

    assert raised.value.wait == 3600.0
    assert len(stand_in.calls) == 1


@pytest.mark.parametrize("how", ["500", "drop"])
def test_a_question_survives_a_broken_answer(stand_in: StandIn, how: Any) -> None:
    stand_in.switches.break_next(2, how=how)

    assert run(stand_in, lambda prolific: prolific.account.me()).currency == "GBP"
    assert len(stand_in.calls) == 3


def test_a_question_that_only_breaks_is_unreachable(stand_in: StandIn) -> None:
    stand_in.switches.break_next(99, how="500")

    with pytest.raises(errors.PanelUnreachableError, match="nothing was changed"):
        run(stand_in, lambda prolific: prolific.studies.cost(Money(100, "GBP"), 3))

    assert len(stand_in.calls) == 5


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("how", ["500", "drop", "silence"])
def test_a_payment_without_an_answer_is_unknown_and_never_sent_again(
    stand_in: StandIn, how: Any, when: Any
) -> None:
    async def walk(prolific: Prolific) -> str:
        study = await published(prolific)
        (one,) = stand_in.arrive()
        setup = await prolific.bonuses.set_up(study, {one.id: Money(30, "GBP")})
        return setup.id

    setup = run(stand_in, walk)
    stand_in.switches.break_next(how=how, when=when, on="/pay/")

    with pytest.raises(errors.PanelUnknownError, match="not known"):
        run(stand_in, lambda prolific: prolific.bonuses.pay(setup), seconds=0.5)

    assert [each.path for each in stand_in.calls].count(f"bulk-bonus-payments/{setup}/pay/") == 1
    assert len(stand_in.payments) == (1 if when == "after" else 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda prolific: prolific.bonuses.pay("b1"),
        lambda prolific: prolific.submissions.approve("s1"),
        lambda prolific: prolific.people.send_message("p1", study="s", body="Hello"),
        lambda prolific: prolific.studies.make(drafted()),
        lambda prolific: prolific.people.remove_members("g1", ["p1"]),
    ],
)
def test_no_change_is_repeated_however_busy_it_is(stand_in: StandIn, change: Step) -> None:
    stand_in.switches.be_busy(99, retry_after="1")

    with pytest.raises(errors.PanelBusyError, match="nothing was changed"):
        run(stand_in, change)

    assert len(stand_in.calls) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_refusal_becomes_a_sentence(stand_in: StandIn, shape: Any) -> None:
    stand_in.switches.refuse_next(shape=shape)

    with pytest.raises(errors.PanelRefusedError, match="told to refuse") as raised:
        run(stand_in, lambda prolific: prolific.studies.make(drafted()))

    assert "nothing was changed" in str(raised.value)
    assert stand_in.studies == []


@pytest.mark.parametrize("token", ["wrong-token", "stand-in-2"])
def test_a_wrong_token_is_said_and_not_shown(stand_in: StandIn, token: str) -> None:
    prolific = client_of(stand_in, token=token)

    with pytest.raises(errors.PanelTokenError, match="does not accept the token") as raised:
        run(stand_in, lambda client: client.account.me(), token=token)

    assert token not in str(raised.value)
    assert token not in repr(prolific)
    assert token not in repr(prolific.studies.__dict__)


@pytest.mark.parametrize("token", ["", "two words", "a\nb", "té", "a\r\nX: y"])
def test_what_is_not_a_token_is_refused_at_once(token: str) -> None:
    with pytest.raises(InputError, match="not a token"):
        Prolific(token)


@pytest.mark.parametrize(
    "address",
    ["http://api.prolific.com", "ftp://x", "https://", "https://x/?a=1", "https://user@x.example"],
)
def test_a_token_is_not_sent_in_the_clear(address: str) -> None:
    with pytest.raises(InputError, match="https://"):
        Prolific("t", address=address)


def test_nobody_at_home_means_that_nothing_was_sent() -> None:
    async def ask(change: Step) -> None:
        clock = TurnedClock()
        address = f"http://127.0.0.1:{free_port()}"
        async with Prolific("t", address=address, clock=clock) as prolific:
            await change(prolific)

    with pytest.raises(errors.PanelUnreachableError, match="cannot be reached"):
        asyncio.run(ask(lambda prolific: prolific.bonuses.pay("b1")))
    with pytest.raises(errors.PanelUnreachableError, match="cannot be reached"):
        asyncio.run(ask(lambda prolific: prolific.account.me()))


def test_a_change_whose_answer_makes_no_sense_is_unknown() -> None:
    def unreadable() -> None:
        raise errors.PanelError("'id' is nothing.")

    with pytest.raises(errors.PanelUnknownError, match="make study"):
        after_change(unreadable, "make study x")


def test_no_more_calls_at_once_than_allowed(stand_in: StandIn) -> None:
    async def walk(prolific: Prolific) -> list[Any]:
        return await asyncio.gather(*(prolific.account.me() for _ in range(12)))

    assert len(run(stand_in, walk, at_once=2)) == 12


def test_what_is_sent_is_json_with_the_token_alone(stand_in: StandIn) -> None:
    run(stand_in, lambda prolific: prolific.studies.make(drafted()))

    (call,) = stand_in.calls
    assert (call.method, call.path) == ("POST", "studies/")
    assert stand_in.token not in json.dumps(call.body)


class _Elsewhere(BaseHTTPRequestHandler):
    """Sends everybody to another server, and keeps who came."""

    to = ""
    came: ClassVar[list[dict[str, str]]] = []

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("content-length", 0)))
        type(self).came.append(dict(self.headers.items()))
        self.send_response(302 if self.to else 200)
        self.send_header("location", self.to)
        self.end_headers()
        self.wfile.write(b"" if self.to else b'{"id": "me"}')

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def _serve(kind: type[_Elsewhere]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=10)


def test_whoever_is_not_prolific_gets_no_token_and_no_changes() -> None:
    class Other(_Elsewhere):
        came: ClassVar[list[dict[str, str]]] = []

    class First(_Elsewhere):
        came: ClassVar[list[dict[str, str]]] = []

    async def ask(address: str) -> None:
        async with Prolific("tok-1", address=address, clock=TurnedClock()) as prolific:
            assert (await prolific.account.me()).id == "me"
            with pytest.raises(errors.PanelRefusedError, match="302"):
                await prolific.bonuses.pay("b1")

    with _serve(Other) as other, _serve(First) as first:
        First.to = f"{other}/anything"
        asyncio.run(ask(first))

    assert [("Authorization" in each) for each in First.came] == [True, True]
    assert [("Authorization" in each) for each in Other.came] == [False]
