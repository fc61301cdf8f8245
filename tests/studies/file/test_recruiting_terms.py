"""What `palaver check` says of the part of a study file that a panel is asked for."""

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import StudyError
from palaver.studies.check import check_study
from support.recruiting import write_study


def told(folder: Path, **given: Any) -> list[str]:
    with suppress(StudyError):
        write_study(folder, **given)
    return [str(problem).removeprefix(f"{folder}/study.yaml:") for problem in check_study(folder)]


def test_a_study_that_can_be_created_has_nothing_wrong(tmp_path: Path) -> None:
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"crowd": {"kind": "sona"}}, "'recruit' is for 'crowd: {kind: prolific}' only"),
        ({"recruit": {}}, "warning: 'recruit' needs a 'description'"),
        ({"pay": None}, "warning: Prolific takes no study without pay"),
        ({"minutes": None}, "warning: Prolific asks how long it takes"),
        (
            {"recruit": {"description": "x", "places": 9, "most_places": 5}},
            "'most_places' is 5, fewer than the 9 'places'",
        ),
        (
            {"recruit": {"description": "x", "filters": {"age": {"from": 40, "to": 20}}}},
            "'from' is 40, above 'to', which is 20",
        ),
        ({"recruit": {"description": "x", "filters": {"age": {}}}}, "'from', 'to' or both"),
        ({"recruit": {"description": "x", "devices": ["watch"]}}, "watch"),
        ({"pay": {"amount": 1.0, "currency": "GBP", "budget": 0}}, "budget"),
    ],
)
def test_what_is_missing_or_wrong_is_named_with_its_line(
    tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    found = [each for each in told(tmp_path, **given) if words in each]
    assert found
    assert found[0].split(":")[0].isdecimal()
