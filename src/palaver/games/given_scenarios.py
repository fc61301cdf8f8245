"""Scenarios that a study names in a file: read once, drawn from, counted one by one.

The options of a game that plays such scenarios inherit from `ScenarioOptions`; without a file the game
plays those of its own material.
"""

from abc import ABC
from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.schema import load_schema
from palaver.formats.scenario_files import read_scenario_file
from palaver.games.game import GameOptions

FileName = Annotated[str, Strict(), Field(min_length=1)]


class ScenarioOptions(GameOptions, ABC):
    """Options of a game that reads scenarios; files are relative to the study."""

    scenario_file: FileName | None = None
    schema_file: FileName | None = None
    # Only the first so many scenarios of the file are played.
    most_scenarios: Annotated[int, Strict(), Field(ge=1)] | None = None

    def given_scenarios(self, game: str, folder: Path, *, default: Path) -> tuple[Scenario, ...]:
        """The scenarios that the study names, or those of the game's own material."""
        path = default if self.scenario_file is None else folder / self.scenario_file
        return load_scenarios(
            path,
            game=game,
            schema=None if self.schema_file is None else folder / self.schema_file,
        )[: self.most_scenarios]


def load_scenarios(path: Path, *, game: str, schema: Path | None = None) -> tuple[Scenario, ...]:
    """The scenarios of a file, all of one game, each with an id of its own."""
    known = None if schema is None else load_schema(schema)
    try:
        with path.open("rb") as stream:
            scenarios = tuple(read_scenario_file(stream, name=str(path), schema=known))
    except OSError as error:
        raise InputError(f"The scenarios in {path} cannot be read: {error.strerror}.") from error
    if not scenarios:
        raise InputError(f"{path} has no scenarios. Make some: palaver scenarios generate {game}")
    ids: set[str] = set()
    for number, scenario in enumerate(scenarios, start=1):
        if scenario.game != game:
            raise InputError(
                f"{path}: scenario {number} ('{scenario.id}') is of the game '{scenario.game}'; "
                f"expected '{game}'."
            )
        if scenario.id in ids:
            raise InputError(f"{path}: the scenario '{scenario.id}' is listed twice.")
        ids.add(scenario.id)
    return scenarios
