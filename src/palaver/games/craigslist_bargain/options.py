"""What a study can say of a bargain, and what a page shows of it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Field, Strict, field_validator

from palaver.core.protocols import MAX_CHARACTERS
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.scenarios import BARGAIN
from palaver.formats.move_words import price_words
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from palaver.games.craigslist_bargain.sides import BargainSide, side_of, sides_of
from palaver.games.game import Count, Setting
from palaver.games.given_scenarios import ScenarioOptions
from palaver.games.turn_taking import Taking

FOLDER = Path(__file__).parent
SCENARIOS = FOLDER / "material" / "scenarios.json"

Words = Annotated[int, Strict(), Field(ge=0, le=10_000)]
Switch = Annotated[bool, Strict()]

_ICONS = {
    "bike": "bike",
    "car": "car",
    "electronics": "headphones",
    "furniture": "armchair",
    "housing": "house",
    "phone": "smartphone",
}
_NOUNS = {"electronics": "item", "furniture": "piece", "housing": "home"}
# A picture that a scenario brings with it; anything else in its place is a path.
_INLINE = re.compile(r"data:image/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]+")
_PATH = re.compile(r"(?!.*\.\.)[\w][\w./ -]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownListing:
    """What a page shows one side; `target` is empty where it is not shown."""

    side: BargainSide
    price: str
    target: str
    icon: str
    noun: str
    picture: str


class BargainOptions(ScenarioOptions):
    """The options of CraigslistBargain."""

    taking: Taking = "alternate"
    talk_over_offer: Switch = False
    counter_offers: Switch = False
    # The role of a person who meets a system.
    role: Literal["buyer", "seller", "either"] = "either"
    targets_shown_to: Literal["buyer", "both", "nobody"] = "buyer"
    # Where pictures are on this server; a scenario names those of its listing below it.
    pictures: Annotated[str, Strict()] | None = None
    words_with_person: Words = 40
    words_with_system: Words = 30
    max_characters: Count = MAX_CHARACTERS

    @field_validator("pictures")
    @classmethod
    def _on_this_server(cls, given: str | None) -> str | None:
        if given is not None and not re.fullmatch(r"/(?!/)[\w./-]*", given):
            raise ValueError(
                "'pictures' takes a path on this server, such as /pictures/; pages load nothing "
                f"from elsewhere. Got '{given}'."
            )
        return given

    def rules(self, setting: Setting, *, folder: Path) -> CraigslistBargain:
        given = self.given_scenarios(BARGAIN, folder, default=SCENARIOS)
        return CraigslistBargain(
            scenarios=tuple(map(self._seated, given)),
            taking=self.taking,
            talk_over_offer=self.talk_over_offer,
            counter_offers=self.counter_offers,
            words_with_person=self.words_with_person,
            words_with_system=self.words_with_system,
            max_characters=self.max_characters,
        )

    def shown(self, kb: Any) -> ShownListing:
        """What a page shows the side that knows this."""
        side = side_of(kb)
        has_target = self.targets_shown_to == "both" or self.targets_shown_to == side.role
        return ShownListing(
            side=side,
            price=price_words(side.price),
            target=price_words(side.target) if has_target else "",
            icon=_ICONS.get(side.category, "tag"),
            noun=_NOUNS.get(side.category, side.category or "item"),
            picture=self._picture(side),
        )

    @property
    def draws_seats(self) -> bool:
        """By lot where either role will do."""
        return self.role == "either"

    def _seated(self, scenario: Scenario) -> Scenario:
        """The scenario with the role of the study at the first seat."""
        if self.role in ("either", sides_of(scenario)[0].role):
            return scenario
        return msgspec.structs.replace(scenario, kbs=scenario.kbs[::-1])

    def _picture(self, side: BargainSide) -> str:
        """The address of the listing's first picture; empty where there is none to show."""
        named = side.images[0] if side.images else ""
        if _INLINE.fullmatch(named):
            return named
        if self.pictures is None or not _PATH.fullmatch(named):
            return ""
        return f"{self.pictures.rstrip('/')}/{named}"
