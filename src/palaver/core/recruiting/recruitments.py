"""A recruitment: one study as it is offered at a panel."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

from palaver.core.money import Money
from palaver.core.serial import if_any, internal

# What a person here wants of it; what the panel says is its state.
Wanted = Literal["draft", "running", "paused", "stopped"]
# Why recruiting was paused by itself. Only a person ends what is not in `RESUMED`.
HeldFor = Literal["", "rooms_full", "system_failing", "decided", "study_paused", "study_closed"]
RESUMED: frozenset[HeldFor] = frozenset({"rooms_full", "study_paused"})

HELD_WORDS: Mapping[HeldFor, str] = {
    "rooms_full": "as many people are here as may be at once; it goes on when there is room",
    "system_failing": "a system fails; resume it when that is mended",
    "decided": "the study's rule says that there are enough votes",
    "study_paused": "the study is paused; it goes on with the study",
    "study_closed": "the study is closed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recruitment:
    """A study at a panel: what was asked for, what the panel says, and who holds it back.

    `state` is the panel's word for it, in ours; `creating` until the panel has answered, `missing`
    once the panel no longer knows it. With `grows` places follow the quotas that are left; they do not
    where a person asked for fewer. Amounts count the currency's smallest unit.
    """

    derived: ClassVar[tuple[str, ...]] = ("is_live",)

    id: int = internal(0)
    study_id: int = internal(0)
    key: str
    study: str
    panel: str
    panel_id: str | None = None
    title: str
    state: str
    wanted: Wanted
    held_for: HeldFor = if_any("")
    places: int
    taken: int
    grows: bool = True
    reward: int
    currency: str
    minutes: int
    place_cost: int
    fee: int = 0
    codes: Mapping[str, str] = internal(factory=dict)
    is_trial: bool = False
    created: float
    published: float | None = None
    checked: float | None = None
    trouble: str = if_any("")

    @property
    def is_live(self) -> bool:
        """Whether it was published and may still bring people or submissions."""
        return self.published is not None and self.state not in ("completed", "missing")

    def with_fee(self, amount: int) -> int:
        """What an amount costs with the panel's fee, which is the same share of all that is paid."""
        return amount + (-(-amount * self.fee // self.reward) if self.reward else 0)

    def part(self, percent: int) -> int:
        """So many percent of the reward, in the smallest unit."""
        return Money(self.reward, self.currency).share(Fraction(percent, 100)).minor

    @property
    def free(self) -> int:
        """How many places nobody has taken."""
        return max(0, self.places - self.taken)

    @property
    def held_words(self) -> str:
        """Why it was paused by itself, in words."""
        return HELD_WORDS.get(self.held_for, "")
