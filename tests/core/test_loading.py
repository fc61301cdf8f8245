"""Python of the researcher's own is what stands in the file now."""

import os
import sys
from pathlib import Path

import pytest

from palaver.core.loading import load_module


def test_code_that_changed_within_a_second_is_loaded_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    file = tmp_path / "own.py"
    found = []
    for number in (1, 2):
        file.write_text(f"ANSWER = {number}\n", encoding="utf-8")
        # The same second and the same size: all that kept bytecode is told apart by.
        os.utime(file, ns=(0, 1_700_000_000 * 10**9 + number))
        found.append(load_module("own", tmp_path).ANSWER)
    assert found == [1, 2]
    assert list(tmp_path.iterdir()) == [file]
