"""A stand-in of Prolific that the tests of this folder reach."""

from collections.abc import Iterator

import pytest

from palaver.crowds.prolific.stand_in.service import StandIn
from support.recruiting import prolific_in_reach


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    """A stand-in at a free port, and its token in the environment."""
    with prolific_in_reach(monkeypatch) as found:
        yield found
