"""What the fault tests share."""

import pytest


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Settings of a server that is started again and again: no limits."""
    return {"PALAVER_MOVES_PER_SECOND": "1e9", "PALAVER_REQUESTS_PER_SECOND": "1e9"}
