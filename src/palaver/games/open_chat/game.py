"""Open chat as a game: it brings its options and rules, and nothing to a page or a transcript."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

from palaver.core.protocols import Length
from palaver.core.scenario import SeedUtterance
from palaver.games.game import Arrangement, Count, Game, GameOptions, OptionProblem, Setting
from palaver.games.open_chat.rules import OpenChat
from palaver.games.turn_taking import Taking

Opens = Literal["person", "system", "first", "either"]

# Seat 0 is the person (between people: the first one), seat 1 the partner.
SEATS = {"person": 0, "first": 0, "system": 1, "either": None}
# The first is the default.
OPENERS: dict[Arrangement, tuple[Opens, ...]] = {
    "system": ("person", "system", "either"),
    "paired": ("person", "system", "either"),
    "people": ("either", "first"),
}


class TurnLimits(BaseModel):
    """How long a chat is, counted in messages of both seats, seeds included."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    exactly: Count | None = None
    at_least: Count | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> "TurnLimits":
        if (self.exactly is None) == (self.at_least is None):
            raise ValueError("'turns' has either 'exactly' or 'at_least'.")
        return self


class OpenChatOptions(GameOptions):
    """The options of open chat; where `taking` and `opens` are left out, people talk freely."""

    turns: TurnLimits
    taking: Taking = "alternate"
    opens: Opens = "person"
    max_characters: Count = 2000

    @property
    def length(self) -> Length:
        return Length(exactly=self.turns.exactly, at_least=self.turns.at_least)

    def rules(self, setting: Setting, *, folder: Path) -> OpenChat:
        return OpenChat(
            exactly=self.turns.exactly,
            at_least=self.turns.at_least,
            opens=SEATS[self._opens(setting)],
            taking=self._taking(setting),
            max_characters=self.max_characters,
        )

    def problems(self, setting: Setting) -> Iterator[OptionProblem]:
        """An opener who is not there, and a length that does not fit what stands there already."""
        openers, opens = OPENERS[setting.arrangement], self._opens(setting)
        if opens not in openers:
            expected = " or ".join(repr(opener) for opener in openers)
            message = f"With 'arrangement: {setting.arrangement}', 'opens' takes {expected}"
            yield OptionProblem(("opens",), f"{message}; got '{opens}'.")
        yield from self._length_problems(setting)

    def _opens(self, setting: Setting) -> Opens:
        given = "opens" in self.model_fields_set
        return self.opens if given else OPENERS[setting.arrangement][0]

    def _taking(self, setting: Setting) -> Taking:
        if "taking" in self.model_fields_set:
            return self.taking
        return "free" if setting.arrangement == "people" else "alternate"

    def _length_problems(self, setting: Setting) -> Iterator[OptionProblem]:
        exactly = self.turns.exactly
        if exactly is None:
            return
        seeds = max(setting.openings, key=len)
        if exactly < len(seeds) + 1:
            message = f"'exactly' counts seeds too: there are {len(seeds)}, so it takes"
            message += f" {len(seeds) + 1} or more; got {exactly}."
            yield OptionProblem(("turns", "exactly"), message)
        elif setting.arrangement != "people" and self._last_speaker(exactly, seeds, setting) == 0:
            yield OptionProblem(
                ("turns", "exactly"),
                f"With {exactly} messages the person speaks last and gets no reply. "
                f"{exactly + 1} would let the system answer.",
                warning=True,
            )

    def _last_speaker(
        self, exactly: int, seeds: tuple[SeedUtterance, ...], setting: Setting
    ) -> int | None:
        """The seat that sends the last message, where the rules fix it."""
        if self._taking(setting) != "alternate":
            return None
        if seeds:
            return (seeds[-1].seat + exactly - len(seeds)) % 2
        first = SEATS[self._opens(setting)]
        return None if first is None else (first + exactly - 1) % 2


GAME = Game(name="open_chat", folder=Path(__file__).parent, options_type=OpenChatOptions)
