"""Real files that the project shares; tests that need them skip where they are not."""

from pathlib import Path

SHARED = Path(__file__).parents[2].parent / "shared"
ABC_EVAL = SHARED / "data" / "abc_eval"
COCOA = SHARED / "data" / "cocoa"
