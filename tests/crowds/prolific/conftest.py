"""A stand-in to ask, served for one test."""

from collections.abc import Iterator

import pytest

from palaver.crowds.prolific.stand_in.service import StandIn
from support.prolific import serve_stand_in


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    """A stand-in with a clock that stands still."""
    with serve_stand_in() as served:
        yield served
