"""`palaver panel`: what a panel must be told, and codes that are verified."""

from pathlib import Path

from palaver.crowds.panels import Arrival
from palaver.storage import Store
from palaver.storage.engine.signing import LASTING, ensure_key
from palaver.studies.run.dues import own_code_of

from ..conftest import Palaver


def from_panel(study: Path, crowd: str) -> None:
    """Let the people of the study come from a panel."""
    file = study / "study.yaml"
    text = file.read_text(encoding="utf-8")
    before, _, after = text.partition("crowd:\n")
    rest = after[after.index("\n\n") :]
    file.write_text(f"{before}crowd: {crowd}{rest}", encoding="utf-8")


def test_it_prints_what_to_paste_and_what_comes_of_each_outcome(
    palaver: Palaver, study: Path
) -> None:
    from_panel(study, "{kind: prolific, codes: {completed: C1DONE, over_quota: C2LATE}}")
    said = palaver("panel", "first", "--base", "https://lab.example.org")
    assert said.status == 0, said.err
    address = "https://lab.example.org/s/first?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID="
    assert address in said.out
    assert "at least 6.00 GBP an hour, 9.00 is recommended" in said.out
    rows = {line.split()[0]: line for line in said.out.splitlines() if line.strip()}
    assert "C1DONE" in rows["completed"]
    assert "C2LATE" in rows["over_quota"]


def test_a_study_with_links_has_no_panel(palaver: Palaver, study: Path) -> None:
    said = palaver("panel", "first")
    assert said.status == 1
    assert "come to 'first' by signed links" in said.err


def test_codes_of_microworkers_are_verified(palaver: Palaver, played: Path) -> None:
    from_panel(played, "{kind: microworkers}")
    store = Store(f"sqlite:///{played / 'palaver.db'}")
    key = store.write_now(lambda c: ensure_key(c, LASTING))
    store.close()
    code = own_code_of(key, "first", Arrival("w7", study="c1"), "stopped")
    ids = ("--worker", "w7", "--campaign", "c1")
    good = palaver("panel", "first", *ids, "--code", code)
    assert good.out == "Valid: 'w7' stopped in the middle, or were away too long (stopped).\n"
    for wrong in (("--worker", "w8", "--campaign", "c1"), ("--worker", "w7")):
        bad = palaver("panel", "first", *wrong, "--code", code)
        assert (bad.status, "is not a code of" in bad.err) == (1, True)
    assert palaver("panel", "first", "--code", code).status == 1
