"""Studies that no file holds, for tests of what is made of a study."""

from pathlib import Path
from typing import Any

from palaver.studies.file.definition import Study


def made_study(**given: Any) -> Study:
    """A study with these keys, checked as those of a file are."""
    own = {"name": "made", "title": "Made", "file": Path("made"), "digest": ""}
    return Study.model_validate({**own, **given})
