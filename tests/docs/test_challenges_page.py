"""Every key of the challenge file is in docs/challenges.md, and its example can be read."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from palaver.core.deadlines import read_moment
from palaver.core.evaluation.challenges import PAGES
from palaver.evaluation.challenges.definition import load_challenge
from palaver.evaluation.challenges.file_parts import (
    ChallengeEntry,
    HalvesEntry,
    PhaseEntry,
    RegistrationEntry,
    ScoresEntry,
    SharedFileEntry,
    TrackEntry,
)

from .reading import FENCE, own_section, page, rows

PAGE = page("challenges.md")
TABLES: dict[type[BaseModel], str] = {
    ChallengeEntry: "The file",
    RegistrationEntry: "Registration",
    TrackEntry: "Tracks",
    PhaseEntry: "Phases",
    SharedFileEntry: "Files",
}


@pytest.mark.parametrize(("model", "title"), TABLES.items())
def test_the_keys_are_those_of_the_file(model: type[BaseModel], title: str) -> None:
    described = rows(own_section(PAGE, title))
    names = {field.alias or name: field for name, field in model.model_fields.items()}
    assert set(described) == set(names)
    for name, field in names.items():
        default = described[name][2].strip("`")
        assert (default == "required") is field.is_required(), name
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            assert default.split(",")[0] == f"{field.default:g}", name


def test_pages_halves_and_sights_are_named() -> None:
    told = rows(own_section(PAGE, "The file"))["pages"][1]
    assert all(f"`{name}`" in told for name in PAGES)
    phases = rows(own_section(PAGE, "Phases"))
    assert all(f"{name}: " in phases["halves"][1] for name in HalvesEntry.model_fields)
    assert all(f"{name}: DATE" in phases["scores"][1] for name in ScoresEntry.model_fields)


def test_the_example_is_a_challenge(tmp_path: Path) -> None:
    [example] = [text for language, text in FENCE.findall(PAGE) if language == "yaml"]
    file = tmp_path / "challenge.yaml"
    file.write_text(example, encoding="utf-8")
    challenge = load_challenge(file)
    assert [phase.name for phase in challenge.phases] == ["practice", "final"]
    assert challenge.phases[1].closes == read_moment("2026-12-01 11:59:59 Z")
