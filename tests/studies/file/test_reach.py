"""How far a change of a study may reach that comes from afar."""

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from pydantic import BaseModel

from palaver.games.game import GAMES
from palaver.studies.file.definition import Study
from palaver.studies.file.reach import FILE_KEYS, is_inside, reach_problems
from palaver.studies.stages.parts import Unconfigured
from palaver.systems.reach import reach_of, reaching_options
from palaver.systems.registry import SYSTEMS

OWN = {"kind": "python", "class": "own:Bot", "options": {"warm": True}}
MODEL = {"kind": "openai", "base_url": "https://example.org", "model": "m", "api_key_env": "KEY"}


def problems(old: dict[str, Any], new: dict[str, Any], *, owner: bool = False) -> list[str]:
    found = reach_problems(old, new, folder=Path("/studies/one"), owner=owner, sees=lambda _: False)
    return [problem.message for problem in found]


def systems(**given: Any) -> dict[str, Any]:
    return {"systems": given}


def test_what_was_there_stays_and_may_be_called_otherwise() -> None:
    assert problems(systems(bot=OWN), systems(robot=OWN)) == []


@pytest.mark.parametrize("options", [{"timeout": 5.0}, {"retries": 0, "concurrency": 2}])
def test_the_patience_with_a_program_may_change(options: dict[str, Any]) -> None:
    assert problems(systems(bot=OWN), systems(bot={**OWN, **options})) == []


@pytest.mark.parametrize("options", [{"class": "own:Other"}, {"options": {"warm": False}}])
@pytest.mark.parametrize("owner", [False, True])
def test_what_a_program_does_may_not(options: dict[str, Any], owner: bool) -> None:
    [told] = problems(systems(bot=OWN), systems(bot={**OWN, **options}), owner=owner)
    assert "runs programs on this server" in told
    assert "palaver study apply" in told


def test_what_a_model_is_told_may_change_but_not_where_it_is() -> None:
    told = {**MODEL, "system_prompt": "Be kind.", "temperature": 0.2, "model": "n"}
    assert problems(systems(m=MODEL), systems(m=told)) == []
    moved = {**MODEL, "base_url": "https://example.com"}
    assert "names a variable of this server" in problems(systems(m=MODEL), systems(m=moved))[0]
    assert problems(systems(m=MODEL), systems(m=moved), owner=True) == []


def test_systems_of_the_folder_come_and_go() -> None:
    lines = {"kind": "scripted", "lines": ["Hello"]}
    bot = {"kind": "pattern", "file": "patterns.yaml"}
    assert problems(systems(), systems(lines=lines, bot=bot)) == []


@pytest.mark.parametrize(
    ("file", "inside"),
    [
        ("a.jsonl", True),
        ("deep/er/a.jsonl", True),
        ("answers/*.jsonl", True),
        ("deep/../a.jsonl", True),
        ("../a.jsonl", False),
        ("deep/../../a.jsonl", False),
        ("/studies/one/a.jsonl", True),
        ("/etc/passwd", False),
        ("/studies/one-more/a.jsonl", False),
        ("~/a.jsonl", False),
        (".env", False),
        ("deep/.git/config", False),
        ("palaver.db", False),
        ("palaver.db-wal", False),
        ("palaver.key", False),
        ("a\0b", False),
    ],
)
def test_which_files_lie_inside(file: str, inside: bool) -> None:
    assert is_inside(file, Path("/studies/one")) is inside


def test_a_file_outside_that_was_named_before_stays() -> None:
    old = {"stages": [{"rate": {"ask": ["a"], "data": "../shared.jsonl"}}]}
    new = {"stages": [{"rate": {"ask": ["a", "b"], "data": "../shared.jsonl"}}]}
    assert problems(old, new) == []
    assert "outside of the study's folder" in problems({}, new)[0]


def test_every_key_that_names_a_file_is_known() -> None:
    named = {name for part in parts(Study) for name in files_of(part)}
    named |= {name for kind in SYSTEMS.names() for name in files_of(SYSTEMS.get(kind).options_type)}
    for game in GAMES.names():
        options = GAMES.get(game).options_type
        named |= {name for name in options.model_fields if name.endswith("_file")}
    assert {"blocked", "checkpoint", "training", "file", "path", "scenario_file"} <= named
    assert named <= FILE_KEYS | {"python"}  # of an agent, which runs programs anyway
    assert "folder" not in named


def parts(model: type[BaseModel], seen: set[type] | None = None) -> Iterator[type[BaseModel]]:
    """A model and all models in its fields."""
    seen = set() if seen is None else seen
    if model in seen:
        return
    seen.add(model)
    yield model
    for hint in get_type_hints(model, include_extras=True).values():
        for found in types_in(hint):
            if isinstance(found, type) and issubclass(found, BaseModel):
                yield from parts(found, seen)


def files_of(model: type[BaseModel]) -> list[str]:
    """The fields of a model that name a file: a path, or text that may still be provided."""
    hints = get_type_hints(model, include_extras=True)
    return [
        field.alias or name
        for name, field in model.model_fields.items()
        if name not in ("digest",)
        and not field.exclude
        and ({Path, Unconfigured} & set(types_in(hints[name])))
    ]


def types_in(hint: Any) -> Iterator[Any]:
    """Every type in an annotation."""
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        yield hint
    for each in get_args(hint):
        yield from types_in(each)


def test_a_kind_that_says_nothing_of_itself_runs_programs() -> None:
    assert reach_of("python") == reach_of("command") == reach_of("agent") == "programs"
    assert reach_of("no such kind") == "programs"
    assert reach_of("scripted") == reach_of("retrieval") == reach_of("checkpoint") == "folder"
    assert reach_of("openai") == reach_of("http") == "network"
    assert reaching_options({"kind": "scripted", "lines": ["a"]}) == {}
