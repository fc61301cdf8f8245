"""What a study can say of Deal or No Deal."""

from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.deal_text import find_contexts
from palaver.formats.cocoa.scenarios import DEAL
from palaver.formats.found_records import records_of
from palaver.games.deal_or_no_deal.rules import LEAST_MESSAGES, DealOrNoDeal
from palaver.games.game import Count, Setting
from palaver.games.given_scenarios import ScenarioOptions
from palaver.games.turn_taking import Taking

MATERIAL = Path(__file__).parent / "material"
SCENARIOS = MATERIAL / "scenarios.json"

Least = Annotated[int, Strict(), Field(ge=0, le=100)]


class DealOptions(ScenarioOptions):
    """Which scenarios are played, when moves become available, and what is too little."""

    taking: Taking = "alternate"
    # After how many messages of their own people can mark a deal, or say that there is none.
    select_after: Least = 1
    no_deal_after: Least = 4
    # A dialogue without a valid deal counts if it has so many messages.
    least_messages: Least = LEAST_MESSAGES
    max_characters: Count = 2000

    def rules(self, setting: Setting, *, folder: Path) -> DealOrNoDeal:
        """The rules for the scenarios of the study's file, or for those of the game."""
        return DealOrNoDeal(
            scenarios=self.given_scenarios(DEAL, folder, default=SCENARIOS),
            taking=self.taking,
            select_after=self.select_after,
            no_deal_after=self.no_deal_after,
            least_messages=self.least_messages,
            max_characters=self.max_characters,
        )

    def given_scenarios(self, game: str, folder: Path, *, default: Path) -> tuple[Scenario, ...]:
        """The scenarios of a JSON file, or of lines of six numbers where its name ends in .txt."""
        if self.scenario_file is None or not self.scenario_file.endswith(".txt"):
            return ScenarioOptions.given_scenarios(self, game, folder, default=default)
        return load_contexts(folder / self.scenario_file)[: self.most_scenarios]


def load_contexts(path: Path) -> tuple[Scenario, ...]:
    """The scenarios of a file of contexts, two lines of six numbers each."""
    try:
        with path.open("rb") as stream:
            scenarios = tuple(records_of(find_contexts(stream, str(path))))
    except OSError as error:
        raise InputError(f"The contexts in {path} cannot be read: {error.strerror}.") from error
    if not scenarios:
        raise InputError(f"{path} has no contexts; a scenario is two lines of six numbers.")
    return scenarios
