"""The wage meter against hand-worked hours, and its top-up."""

import pytest

from palaver.core.money import Money
from palaver.crowds.panels.prolific import PROLIFIC
from palaver.studies.recruiting.money.wages import Time, WageMeter, wage_meter


def alone(seconds: list[float]) -> list[Time]:
    return [Time(each, company) for company, each in enumerate(seconds)]


def meter(seconds: list[float], *, reward: int = 200, minutes: int | None = 10) -> WageMeter:
    return wage_meter(
        reward=Money(reward, "GBP"), minutes=minutes, times=alone(seconds), lines=PROLIFIC.pay
    )


def test_a_promise_before_anybody_has_finished() -> None:
    found = meter([])
    assert (found.promised, found.standing) == (1200, "fair")
    assert found.words == "Promised: 12.00 GBP an hour. Nobody has finished yet."
    assert found.top_up() == 0


@pytest.mark.parametrize(
    ("median", "standing"),
    [
        (600, "fair"),
        (800, "fair"),
        (801, "below_recommended"),
        (1200, "below_recommended"),
        (1201, "below_minimum"),
    ],
)
def test_the_lines_are_six_and_nine_pounds(median: float, standing: str) -> None:
    # 2.00 in 800 s is 9.00 an hour, in 1,200 s 6.00.
    assert meter([median - 5, median, median + 5]).standing == standing


def test_the_interval_turns_round_with_time() -> None:
    found = meter([600, 700, 800, 900, 1000, 1100, 1200, 1300])
    assert found.hourly.n == 8
    assert found.hourly.interval is not None
    assert found.hourly.interval.low == pytest.approx(200 * 3600 / 1300)
    assert found.hourly.interval.high == pytest.approx(200 * 3600 / 600)


def test_a_top_up_brings_the_median_hour_to_the_promise() -> None:
    found = meter([900.0, 900.0, 900.0])
    # 12.00 an hour for a quarter of an hour is 3.00; 2.00 was paid.
    assert found.top_up() == 100
    assert found.top_up(found.minimum) == 0
    assert meter([1801.0] * 3).top_up(600) == 101


def test_without_minutes_there_is_no_promise() -> None:
    assert meter([], minutes=None).words.startswith("Nobody has finished yet, and")


def test_a_currency_without_lines_is_unknown() -> None:
    found = wage_meter(
        reward=Money(200, "CHF"), minutes=10, times=alone([600.0] * 3), lines=PROLIFIC.pay
    )
    assert found.standing == "unknown"


def test_the_times_of_people_who_talked_with_each_other_count_together() -> None:
    seconds = [600.0 + 20 * n for n in range(16)]
    pairs = [Time(each, n // 2) for n, each in enumerate(seconds)]
    apart = meter(seconds).seconds.interval
    together = wage_meter(
        reward=Money(200, "GBP"), minutes=10, times=pairs, lines=PROLIFIC.pay
    ).seconds.interval
    assert apart is not None
    assert together is not None
    assert together.high - together.low > apart.high - apart.low
