"""The environment variables that the code reads are those of docs/settings.md."""

import re

from .reading import ROOT, page

VARIABLE = re.compile(r"PALAVER_[A-Z_]+[A-Z]")


def test_every_variable_is_described_and_exists() -> None:
    used = {
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in VARIABLE.findall(path.read_text(encoding="utf-8"))
    }
    for_tests = set(VARIABLE.findall((ROOT / "Makefile").read_text(encoding="utf-8"))) - used
    assert set(VARIABLE.findall(page("settings.md"))) == used | for_tests
