"""Every section of the benchmarks can be loaded with the program as it is."""

import importlib
from pathlib import Path

import pytest

import benchmarks

SECTIONS = sorted(
    path.stem
    for path in Path(benchmarks.__file__).parent.glob("*.py")
    if not path.stem.startswith(("__", "peer_"))
)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_loads(section: str) -> None:
    assert importlib.import_module(f"benchmarks.{section}")
