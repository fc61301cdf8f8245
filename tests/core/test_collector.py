"""The collector rests while records are made, and goes on as it was."""

import gc

from palaver.core.collector import uncollected


def test_it_rests_until_the_last_is_done() -> None:
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_one_that_was_off_stays_off_and_a_mistake_leaves_it_as_it_was() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
    try:
        with uncollected():
            raise ValueError
    except ValueError:
        assert gc.isenabled()
