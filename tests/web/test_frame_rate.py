"""How many signs of typing and hellos one page may send."""

from palaver.web.frame_rate import HELLOS_AT_ONCE, MOST_DROPPED, TYPING_AT_ONCE, FrameRate


def test_so_many_at_once_and_then_as_time_goes_by() -> None:
    rate = FrameRate(0.0)
    assert [rate.typing(0.0) for _ in range(int(TYPING_AT_ONCE) + 2)].count(True) == TYPING_AT_ONCE
    assert rate.dropped == 2
    assert rate.typing(0.1)
    assert not rate.typing(0.1)


def test_hellos_have_a_bucket_of_their_own() -> None:
    rate = FrameRate(0.0)
    for _ in range(100):
        rate.typing(0.0)
    assert [rate.hello(0.0) for _ in range(100)].count(True) == HELLOS_AT_ONCE


def test_a_page_that_types_as_fast_as_it_can_never_loses_a_frame() -> None:
    """Twice for each message, five messages a second, for ten minutes."""
    rate = FrameRate(0.0)
    assert all(rate.typing(n / 10) for n in range(6_000))


def test_patience_has_an_end() -> None:
    rate = FrameRate(0.0)
    while not rate.is_exhausted:
        rate.typing(0.0)
    assert rate.dropped == MOST_DROPPED


def test_a_clock_that_is_set_back_takes_nothing_away() -> None:
    rate = FrameRate(1_000.0)
    assert rate.typing(0.0)
    assert [rate.typing(0.0) for _ in range(100)].count(True) == TYPING_AT_ONCE - 1
