"""Being told of what happens: subscribed, signed, and whatever can go wrong on the way."""

import asyncio
from collections.abc import Iterator

import pytest

from palaver.core.errors import AccessError, PanelRefusedError
from palaver.crowds.prolific.hooks import SUBMISSION_CHANGED, read_event
from palaver.crowds.prolific.records import HookEvent
from palaver.crowds.prolific.stand_in.service import StandIn
from support.prolific import client_of, clock_of, drafted
from support.subscriber import Subscriber, serve_subscriber


@pytest.fixture
def subscriber() -> Iterator[Subscriber]:
    with serve_subscriber() as served:
        yield served


def subscribed(stand_in: StandIn, subscriber: Subscriber) -> str:
    """The secret of a workspace whose changes of submissions are told; one study is published."""

    async def inside() -> str:
        async with client_of(stand_in) as prolific:
            secret = await prolific.hooks.make_secret(stand_in.workspace)
            await prolific.hooks.subscribe(
                stand_in.workspace, event_type=SUBMISSION_CHANGED, address=subscriber.address
            )
            made = await prolific.studies.make(drafted())
            await prolific.studies.move(made.id, "PUBLISH")
            return secret.value

    return asyncio.run(inside())


def read_all(stand_in: StandIn, subscriber: Subscriber, secret: str) -> list[HookEvent]:
    now = stand_in.clock.now()
    return [read_event(headers, body, secret=secret, now=now) for headers, body in subscriber.came]


def test_events_arrive_signed_and_can_be_read(stand_in: StandIn, subscriber: Subscriber) -> None:
    secret = subscribed(stand_in, subscriber)
    (one,) = stand_in.arrive()
    stand_in.complete(one.id, "DONE")

    assert stand_in.deliver() == [204, 204, 204]

    events = read_all(stand_in, subscriber, secret)
    assert [each.status for each in events] == ["reserved", "active", "approved"]
    assert {each.resource for each in events} == {one.id}
    assert {each.participant for each in events} == {one.participant}
    assert len({each.id for each in events}) == 3
    assert stand_in.deliver() == []


def test_an_event_that_comes_twice_has_one_id(stand_in: StandIn, subscriber: Subscriber) -> None:
    secret = subscribed(stand_in, subscriber)
    stand_in.switches.hooks = "twice"
    stand_in.arrive()
    stand_in.deliver()

    events = read_all(stand_in, subscriber, secret)
    assert len(events) == 4
    assert len({each.id for each in events}) == 2


def test_events_out_of_order_say_when_they_happened(
    stand_in: StandIn, subscriber: Subscriber
) -> None:
    secret = subscribed(stand_in, subscriber)
    stand_in.switches.hooks = "shuffled"
    (one,) = stand_in.arrive()
    clock_of(stand_in).at += 60
    stand_in.complete(one.id, "LOOK")
    stand_in.deliver()

    events = read_all(stand_in, subscriber, secret)
    assert events[0].status == "awaiting_review"
    newest = max(events, key=lambda each: each.happened or 0.0)
    assert newest.status == "awaiting_review"


def test_late_events_are_fresh_when_they_come(stand_in: StandIn, subscriber: Subscriber) -> None:
    secret = subscribed(stand_in, subscriber)
    stand_in.switches.hooks = "late"
    stand_in.arrive()
    assert stand_in.deliver() == []
    clock_of(stand_in).at += 3_600

    assert stand_in.deliver() == [204, 204]
    first = read_all(stand_in, subscriber, secret)[0]
    assert first.happened == stand_in.clock.now() - 3_600


def test_a_forged_event_is_refused_and_a_silent_service_says_nothing(
    stand_in: StandIn, subscriber: Subscriber
) -> None:
    secret = subscribed(stand_in, subscriber)
    stand_in.switches.hooks = "forged"
    stand_in.arrive()
    stand_in.deliver()
    with pytest.raises(AccessError, match="not signed"):
        read_all(stand_in, subscriber, secret)

    stand_in.switches.hooks = "never"
    stand_in.arrive()
    assert stand_in.deliver() == []


def test_what_fails_is_sent_again_signed_anew_and_given_up_in_the_end(
    stand_in: StandIn, subscriber: Subscriber
) -> None:
    secret = subscribed(stand_in, subscriber)
    subscriber.status = 503
    stand_in.reserve(stand_in.studies[0].id, "p1")
    assert stand_in.deliver() == [503]
    clock_of(stand_in).at += 60
    assert stand_in.deliver() == [503]

    events = [read_event(*subscriber.came[-1], secret=secret, now=stand_in.clock.now())]
    assert events[0].happened == stand_in.clock.now() - 60
    for _ in range(20):
        clock_of(stand_in).at += 24 * 3_600
        stand_in.switches.hooks = "never"
        stand_in.deliver()
    assert len(subscriber.came) == 12
    assert stand_in.deliveries[0].status == "FAILED"


def test_subscriptions_are_listed_switched_and_ended(
    stand_in: StandIn, subscriber: Subscriber
) -> None:
    subscribed(stand_in, subscriber)

    async def walk() -> None:
        async with client_of(stand_in) as prolific:
            kinds = [each.event_type for each in await prolific.hooks.event_types()]
            assert SUBMISSION_CHANGED in kinds
            (secret,) = await prolific.hooks.secrets(stand_in.workspace)
            assert secret.value
            (one,) = await prolific.hooks.subscriptions(stand_in.workspace)
            assert (one.address, one.is_enabled) == (subscriber.address, True)
            off = await prolific.hooks.set_subscription(one.id, enabled=False)
            assert off.is_enabled is False
            stand_in.arrive()
            assert stand_in.deliver() == []
            await prolific.hooks.set_subscription(one.id, enabled=True)
            stand_in.arrive()
            stand_in.deliver()
            told = await prolific.hooks.deliveries(one.id)
            assert [each.status for each in told] == ["succeeded", "succeeded"]
            await prolific.hooks.unsubscribe(one.id)
            stand_in.arrive()
            assert stand_in.deliver() == []

    asyncio.run(walk())


def test_an_address_that_is_not_safe_is_refused(stand_in: StandIn) -> None:
    async def walk() -> None:
        async with client_of(stand_in) as prolific:
            await prolific.hooks.make_secret(stand_in.workspace)
            with pytest.raises(PanelRefusedError, match="https"):
                await prolific.hooks.subscribe(
                    stand_in.workspace,
                    event_type=SUBMISSION_CHANGED,
                    address="http://lab.example/hooks",
                )

    asyncio.run(walk())
