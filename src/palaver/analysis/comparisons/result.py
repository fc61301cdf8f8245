"""What every test of two systems gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from palaver.core.errors import InputError
from palaver.core.estimates import MISSING, Estimate, html_table
from palaver.core.serial import if_any, internal, key, plain

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """A test of a against b.

    `difference` is that of the means, or of the shares, a minus b. `effects` are effect sizes by
    name. p is NaN where the test is undefined; `reason` then says why. `alternative` is
    "two-sided", or "greater" if only a being above b would count.
    """

    name: str = key("test")
    p: float
    statistic: float = MISSING
    n: int = 0
    difference: float = MISSING
    effects: Mapping[str, Estimate] = field(default_factory=dict)
    alternative: Alternative = "two-sided"
    method: str = ""
    reason: str = if_any("")
    warnings: tuple[str, ...] = ()
    # The one of the warnings that says it rests on few: whoever shows many says that once.
    few: str = internal("")

    def _repr_html_(self) -> str:
        row = {key: value for key, value in plain(self).items() if key != "effects"}
        effects = {name: str(effect) for name, effect in self.effects.items()}
        return html_table([row | effects])


def check_alternative(alternative: str) -> None:
    """InputError unless there is such an alternative."""
    if alternative not in ALTERNATIVES:
        raise InputError(
            f"An alternative is one of {', '.join(ALTERNATIVES)}; got '{alternative}'."
        )
