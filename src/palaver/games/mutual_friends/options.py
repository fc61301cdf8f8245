"""What a study can say of the game."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from palaver.core.errors import InputError
from palaver.core.protocols import MAX_CHARACTERS
from palaver.core.scenario import Scenario
from palaver.games.game import Count, Setting
from palaver.games.given_scenarios import ScenarioOptions
from palaver.games.mutual_friends.rules import MutualFriends
from palaver.games.mutual_friends.tables import friends
from palaver.games.turn_taking import Taking

NAME = "mutual_friends"
SCENARIOS = Path(__file__).parent / "material" / "scenarios.json"


class MutualFriendsOptions(ScenarioOptions):
    """Which tables, how people talk and select, and what makes a dialogue count."""

    taking: Taking = "free"
    show_selections: Annotated[bool, Strict()] = True
    select_pause: Annotated[float, Field(ge=0, le=600)] = 10.0
    most_selects: Annotated[int, Strict(), Field(ge=1)] | None = 3
    fewest_messages: Annotated[int, Strict(), Field(ge=0)] = 0
    max_characters: Count = MAX_CHARACTERS

    def rules(self, setting: Setting, *, folder: Path) -> MutualFriends:
        """The rules with the scenarios that the study names."""
        scenarios = self.given_scenarios(NAME, folder, default=SCENARIOS)
        for scenario in scenarios:
            problem = scenario_problem(scenario)
            if problem:
                raise InputError(f"The scenario '{scenario.id}': {problem}")
        return MutualFriends(
            scenarios=scenarios,
            taking=self.taking,
            show_selections=self.show_selections,
            select_pause=self.select_pause,
            most_selects=self.most_selects,
            fewest_messages=self.fewest_messages,
            max_characters=self.max_characters,
        )


def scenario_problem(scenario: Scenario) -> str:
    """Why nobody could win with this scenario; empty if somebody can."""
    first, second = friends(scenario, 0), friends(scenario, 1)
    for number, table in enumerate((first, second)):
        if not table:
            return f"Knowledge base {number} has no rows."
        if any(row in table[:n] for n, row in enumerate(table)):
            return f"Knowledge base {number} has the same row twice."
    shared = sum(row in second for row in first)
    return "" if shared == 1 else f"Its tables share {shared} rows; expected exactly 1."
