"""Every key of the study file is in docs/study-file.md with its default, and no other key is."""

from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from palaver.games.game import GAMES
from palaver.games.open_chat.game import TurnLimits
from palaver.studies.file.definition import Study
from palaver.studies.file.notify_terms import Notify
from palaver.studies.file.recruiting_terms import Bonuses, FilterRange, LongChat, Recruit
from palaver.studies.file.terms import (
    BoardTerms,
    Consent,
    Crowd,
    Dates,
    Pay,
    Retention,
    Simulated,
    StopTerms,
)
from palaver.studies.stages import (
    Attention,
    ChatStage,
    DisguiseTerms,
    Gold,
    LimitTerms,
    Online,
    PaceTerms,
    PassRule,
    RateStage,
    ScreenStage,
    WriteStage,
)
from palaver.studies.stages.chat import Personas, ScenarioChoice, Seed
from palaver.studies.stages.conditions import Condition
from palaver.studies.stages.parts import Unconfigured
from palaver.studies.stages.rate import OverlapItems, Speakers
from palaver.studies.stages.write import SHARED, DatasetContexts

from .defaults import says
from .reading import CODE, own_section, page, rows, section

PAGE = page("study-file.md")

TABLES: dict[type[BaseModel], str] = {
    Study: "The study",
    Consent: "Consent",
    Pay: "Pay",
    Bonuses: "Bonuses",
    Crowd: "Crowd",
    Recruit: "Recruit",
    Dates: "Dates",
    Notify: "Notify",
    Retention: "Retention",
    BoardTerms: "Board",
    StopTerms: "Stop",
    Simulated: "Simulated",
    ChatStage: "chat",
    Condition: "Conditions",
    LimitTerms: "Limits",
    PaceTerms: "Pace",
    DisguiseTerms: "Disguise",
    ScenarioChoice: "Seeds, personas, scenarios",
    WriteStage: "write",
    RateStage: "rate",
    Online: "Online",
    Gold: "Gold",
    Attention: "Attention",
    ScreenStage: "screen",
    **{GAMES.get(name).options_type: name for name in GAMES.names()},
}
# Parts that are so small that a sentence says it.
SENTENCES: dict[type[BaseModel], str] = {
    LongChat: "Bonuses",
    FilterRange: "Recruit",
    TurnLimits: "open_chat",
    Speakers: "rate",
    OverlapItems: "rate",
    DatasetContexts: "write",
    PassRule: "screen",
    Unconfigured: "Files",
    Seed: "Seeds, personas, scenarios",
    Personas: "Seeds, personas, scenarios",
}


def fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The keys that a file can give; a write stage is a chat that decides most of its own."""
    own = {name: field for name, field in model.model_fields.items() if not field.exclude}
    if model is not WriteStage:
        return own
    return {n: f for n, f in own.items() if n in SHARED or n not in ChatStage.model_fields}


@pytest.mark.parametrize(("model", "title"), TABLES.items())
def test_the_keys_are_those_of_the_model(model: type[BaseModel], title: str) -> None:
    written = {field.alias or name for name, field in fields(model).items()}
    assert set(rows(own_section(PAGE, title))) == written


@pytest.mark.parametrize(("model", "title"), TABLES.items())
def test_the_defaults_are_those_of_the_model(model: type[BaseModel], title: str) -> None:
    described = rows(own_section(PAGE, title))
    for name, field in fields(model).items():
        if name == "name":
            continue
        cells = described[field.alias or name]
        cell = cells[1] if title == "Limits" else cells[2]
        if field.is_required():
            assert cell == "required", name
        elif field.default is not PydanticUndefined:
            assert says(cell, field.default), f"{name}: '{cell}' is not {field.default!r}"


@pytest.mark.parametrize(("model", "title"), SENTENCES.items())
def test_small_parts_are_named(model: type[BaseModel], title: str) -> None:
    text = " ".join(CODE.findall(own_section(PAGE, title)))
    for name, field in model.model_fields.items():
        assert (field.alias or name) in text


def test_every_part_of_the_file_is_in_one_of_these_lists() -> None:
    assert _parts(Study) <= {*TABLES, *SENTENCES}


def _parts(model: type[BaseModel]) -> set[type[BaseModel]]:
    """The models that a model is made of, however deep."""
    found = {model}
    for field in model.model_fields.values():
        for inner in _models_in(field.annotation):
            if inner.__module__.startswith("palaver.studies") and inner not in found:
                found |= _parts(inner)
    # Their keys are those of a kind of system, and of a game.
    return {part for part in found if part.__name__ not in {"SystemChoice", "GameChoice"}}


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for a in getattr(annotation, "__args__", ()) for m in _models_in(a)]


@pytest.mark.parametrize("game", GAMES.names())
def test_every_game_is_described(game: str) -> None:
    assert f"`{game}`" in section(PAGE, "Games")
