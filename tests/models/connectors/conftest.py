"""What the tests of trained models as connectors share: kinds of models that need no training."""

from collections.abc import Iterator

import pytest

from support.trained import parrots


@pytest.fixture(autouse=True)
def _parrots() -> Iterator[None]:
    with parrots():
        yield
