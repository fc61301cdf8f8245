"""The order of a pair on the screen."""

import random
import subprocess
import sys

from palaver.annotation.ordering import order_for, shown_order

ORDERS = {("first", "second"), ("second", "first")}


def test_a_reload_shows_the_same_order():
    orders = {order_for(assignment_key="a_1", unit_key="pair:x|y") for _ in range(20)}

    assert len(orders) == 1


def test_another_process_shows_the_same_order():
    code = (
        "from palaver.annotation.ordering import order_for; "
        "print(*[order_for(assignment_key=f'a{n}', unit_key='u')[0] for n in range(12)])"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()

    assert shown == [order_for(assignment_key=f"a{n}", unit_key="u")[0] for n in range(12)]


def test_each_side_comes_first_about_half_of_the_time():
    over_people = [order_for(assignment_key=f"a{n}", unit_key="u")[0] for n in range(2000)]
    over_units = [order_for(assignment_key="a", unit_key=f"u{n}")[0] for n in range(2000)]

    assert 900 < over_people.count("first") < 1100
    assert 900 < over_units.count("first") < 1100


def test_dice_that_are_passed_in_give_both_orders():
    rng = random.Random(0)

    assert {shown_order(rng) for _ in range(50)} == ORDERS
