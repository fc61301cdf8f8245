"""A dialogue that a process holds without driving it is driven again."""

from typing import Any

import pytest

from palaver.collection.driver import Driver
from palaver.core.clock import WallClock

pytestmark = pytest.mark.asyncio


class Watched(Driver):
    """A driver that notes which dialogues it takes over."""

    taken: tuple[int, ...] = ()

    async def _take_over(self, dialogue_id: int) -> None:
        self.taken = (*self.taken, dialogue_id)


async def test_only_what_was_left_alone_for_a_whole_tick_is_picked_up() -> None:
    store: Any = None
    ended: Any = None
    driver = Watched(store, clock=WallClock(), ended=ended, apologies={})
    await driver._pick_up({7})
    assert driver.taken == ()
    await driver._pick_up({7, 8})
    assert driver.taken == (7,)
    await driver._pick_up(set())
    await driver._pick_up({8})
    assert driver.taken == (7,)
