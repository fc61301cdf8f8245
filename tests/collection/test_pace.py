"""How long a reply waits, so that speed does not give a system away."""

import random

from palaver.collection.pace import REMEMBERED, Latencies, Pace, PaceKeeper

PACE = Pace(reading=1.0, characters_per_second=10.0, at_most=8.0)


def waits(keeper: PaceKeeper, text: str) -> list[float]:
    return [keeper.release_after(text, random.Random(lot)) for lot in range(200)]


def test_without_a_pace_replies_go_out_at_once() -> None:
    assert PaceKeeper(None).release_after("hello", random.Random(1)) == 0.0


def test_longer_texts_take_longer_within_the_jitter() -> None:
    short, long = waits(PaceKeeper(PACE), "x" * 10), waits(PaceKeeper(PACE), "x" * 40)

    assert min(short) >= 2.0 * 0.85
    assert max(short) <= 2.0 * 1.25
    assert min(long) > max(short)


def test_nothing_waits_longer_than_the_ceiling() -> None:
    keeper = PaceKeeper(PACE)
    keeper.note("slow", 60.0)

    assert set(waits(keeper, "x" * 1000)) == {8.0}


def test_every_system_waits_as_long_as_the_slowest_usually_takes() -> None:
    keeper = PaceKeeper(PACE)
    for _ in range(20):
        keeper.note("slow", 4.0)
        keeper.note("fast", 0.1)

    assert min(waits(keeper, "x")) == 4.0


def test_one_slow_reply_does_not_slow_everybody_down() -> None:
    keeper = PaceKeeper(PACE)
    keeper.note("slow", 7.0)
    for _ in range(20):
        keeper.note("slow", 0.5)

    assert max(waits(keeper, "x")) < 2.0


def test_what_was_kept_evens_the_first_reply_after_a_start() -> None:
    keeper = PaceKeeper(PACE, Latencies.known({"slow": [4.0, 4.0], "gone": []}))

    assert min(waits(keeper, "x")) == 4.0
    assert set(keeper.latencies.seconds) == {"slow"}


def test_only_what_is_new_is_stored_and_only_once() -> None:
    latencies = Latencies.known({"old": [1.0]})
    for _ in range(REMEMBERED + 5):
        latencies.note("new", 2.0)

    assert latencies.take_fresh() == {"new": [2.0] * REMEMBERED}
    assert latencies.take_fresh() == {}


def test_typing_begins_before_the_reply_can_come() -> None:
    for lot in range(200):
        rng = random.Random(lot)
        keeper = PaceKeeper(PACE)
        assert keeper.read_for(rng) < keeper.release_after("", rng)
