"""What docs/dialeval.md shows is what the code does."""

import doctest
import json

from palaver.evaluation.dialeval.baselines import BASELINES
from palaver.evaluation.dialeval.runs import LANGUAGES
from palaver.formats.dch2_counts import read_counted
from palaver.formats.submissions import read_entries

from .reading import CODE, DOCS, FENCE, page, rows, section

PAGE = page("dialeval.md")


def test_its_examples_run() -> None:
    failed, tried = doctest.testfile(str(DOCS / "dialeval.md"), module_relative=False)
    assert tried >= 4
    assert failed == 0


def test_the_submission_shown_is_one() -> None:
    shown = [text for kind, text in FENCE.findall(PAGE) if kind == "json"]
    found = read_entries(shown[0].encode())
    assert not found.faults
    assert found.entries[0].quality is not None
    [counted] = read_counted(shown[1].encode())
    assert {sum(counts.values()) for counts in counted.quality.values()} == {19}
    keys = ["nd", "dq", "estimates", "dialogues", "undefined", "missing"]
    assert list(json.loads(shown[2])) == keys


def test_every_baseline_and_language_is_described() -> None:
    assert set(rows(section(PAGE, "Baselines"))) == set(BASELINES)
    assert set(LANGUAGES) <= set(CODE.findall(section(PAGE, "A whole shared task")))
