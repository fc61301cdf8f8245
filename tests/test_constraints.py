"""The versions that are installed by default run on every Python that is promised."""

import re
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]


def oldest_python() -> str:
    """The first release of the oldest series that `requires-python` allows."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'requires-python = ">=(\d+\.\d+)"', project)
    assert found is not None
    return f"{found[1]}.0"


def pythons_needed() -> dict[str, str]:
    """Which Python each pinned version needs, of those that are installed here."""
    needed = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        text = line.partition("#")[0].strip()
        pinned = Requirement(text) if text else None
        try:
            found = metadata(pinned.name) if pinned else None
        except PackageNotFoundError:
            continue
        if pinned and found and found["Version"] in pinned.specifier:
            needed[str(pinned)] = found.get("Requires-Python") or ""
    return needed


def test_pinned_versions_run_on_the_oldest_python() -> None:
    needed = pythons_needed()
    assert len(needed) > 100
    oldest = oldest_python()
    assert {
        name: python for name, python in needed.items() if oldest not in SpecifierSet(python)
    } == {}
