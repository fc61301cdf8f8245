"""Where several workers share the tests, each begins with its part of the slow ones.

A worker that is done takes over from the end of another's share: with the quick tests there, all are
done at about the same time. In the order of their names all browser tests would be in one share.
"""

from itertools import groupby
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SLOW = ("attacks", "browser", "faults", "flows", "snapshots", "web")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deal the slow files out, one after the other, and fill up with the others as they come."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers < 2:
        return
    files = [list(group) for _, group in groupby(items, key=lambda item: item.path)]
    slow = [group for group in files if _folder(group[0].path) in SLOW]
    quick = [item for group in files if _folder(group[0].path) not in SLOW for item in group]
    shares = [[item for group in slow[n::workers] for item in group] for n in range(workers)]
    left = len(items)
    for n, share in enumerate(shares):
        # As pytest-xdist cuts the list.
        room = left // (workers - n)
        left -= room
        fits = max(0, room - len(share))
        share += quick[:fits]
        del quick[:fits]
    items[:] = [item for share in shares for item in share]
    items += quick


def _folder(path: Path) -> str:
    return path.relative_to(TESTS).parts[0] if path.is_relative_to(TESTS) else ""
