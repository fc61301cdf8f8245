"""`palaver bridge`: a program for somebody else's environment."""

import ast
from pathlib import Path

from ..conftest import Palaver


def test_the_bridge_is_written_and_never_over_another_file(
    palaver: Palaver, tmp_path: Path
) -> None:
    said = palaver("bridge", "parlai", "-o", "bridge.py")
    assert said.status == 0, said.err
    program = (tmp_path / "bridge.py").read_text()
    ast.parse(program, feature_version=(3, 8))
    assert palaver("bridge", "parlai").out == program
    again = palaver("bridge", "parlai", "-o", "bridge.py")
    assert again.status == 1
    assert "bridge.py is already there" in again.err
    assert palaver("bridge", "parlai", "-o", "bridge.py", "--overwrite").status == 0
