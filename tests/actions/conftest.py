"""The doors through which a home is changed, for tests that go through all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.doors import Doors, open_doors


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    with open_doors(tmp_path) as opened:
        yield opened
