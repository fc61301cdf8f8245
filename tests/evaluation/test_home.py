"""`palaver.yaml`: defaults, what it says, and problems with line and column."""

from pathlib import Path

import pytest

from palaver.core.errors import StudyError
from palaver.evaluation.home import EvaluationSettings, load_settings


def test_a_home_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == EvaluationSettings(objects="objects", datasets=None, tasks=[])


def test_what_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "palaver.yaml").write_text(
        "objects: s3://bucket/x\ndatasets: sets\ntasks: [mine.yaml, more]\n"
    )

    found = load_settings(tmp_path)

    assert (found.objects, found.datasets) == ("s3://bucket/x", Path("sets"))
    assert found.tasks == [Path("mine.yaml"), Path("more")]


def test_an_unknown_key_has_its_place(tmp_path: Path) -> None:
    (tmp_path / "palaver.yaml").write_text("objects: here\ndataset: sets\n")

    with pytest.raises(StudyError, match=r"palaver\.yaml:2:1: Unknown key 'dataset'. Near: 'data"):
        load_settings(tmp_path)
