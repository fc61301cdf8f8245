"""The table of what masking finds is what it finds; `PALAVER_SNAPSHOTS=write` writes it anew."""

import os
from collections import Counter
from pathlib import Path

from support.masking_cases import cases, table

PAGE = Path(__file__).parents[2] / "docs" / "exports.md"
BEGIN, END = "<!-- masking: begin -->\n", "<!-- masking: end -->"


def test_the_table_is_what_was_measured() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    shown, after = rest.split(END)
    if os.environ.get("PALAVER_SNAPSHOTS") == "write":
        PAGE.write_text(f"{before}{BEGIN}{table()}\n{END}{after}", encoding="utf-8")
        return
    assert shown.strip() == table()


def test_there_are_enough_cases_and_a_third_is_held_out() -> None:
    sets = Counter(case.set for case in cases())
    assert sets.total() >= 300
    assert (sets["held-out"] + sets["hard"]) * 3 >= sets.total()
    assert len({case.text for case in cases() if not case.expected}) >= 100
