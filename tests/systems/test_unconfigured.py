"""A system that nobody has connected yet can be built and checked, and does not answer."""

from typing import Any

import pytest

from palaver.core.errors import SystemFailureError


@pytest.mark.asyncio
async def test_it_says_what_is_missing(table: Any) -> None:
    system = table.build(kind="unconfigured", note="Connect emora.", model="emora", beams=3)

    with pytest.raises(SystemFailureError, match="not configured yet"):
        await table.session(system, "Hi").send()
