"""Series with a short and a whole form: `make test` runs the short one, `make test-long` the whole.

Both are the same test and check the same; only how often something is killed or drawn differs. Tests
that are marked `long` run where `-m` names them, and are left out of everything else.
"""

import pytest

# How long a whole series may take on a slow machine, in seconds.
LONG_TIMEOUT = 1200


def short_and_long(name: str, short: int, long: int) -> pytest.MarkDecorator:
    """Run a test with `name` at its short size in every run, and at its long size on request."""
    whole = pytest.param(long, marks=[pytest.mark.long, pytest.mark.timeout(LONG_TIMEOUT)])
    return pytest.mark.parametrize(name, [short, whole], ids=lambda size: f"{size}-{name}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long tests out unless they are asked for."""
    if "long" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if not item.get_closest_marker("long")]
