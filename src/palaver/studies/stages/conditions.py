"""The conditions of a chat: which systems, or people, and how many dialogues of them.

A condition names one system, two systems that one person compares, or people. Its name ("a", "a|b",
"people") is what dialogues carry. The short form of a list of conditions is the one of the
ChatEvaluationPlatform: `a|b:20,a:10`.
"""

from typing import Any

from pydantic import StrictBool, field_validator, model_validator

from palaver.games.game import Arrangement
from palaver.studies.stages.parts import Count, Many, Part, SystemName

PEOPLE = "people"
BETWEEN = "|"
SHORT_FORM = "Expected 'system:needed' or 'first|second:needed', separated by commas"


class Condition(Part):
    """One cell of the design; `needed` is None where there is no quota for all scenarios together."""

    systems: Many[SystemName] = ()
    people: StrictBool = False
    needed: Count | None = None
    # How many dialogues each scenario gets here.
    per_scenario: Count | None = None

    @property
    def name(self) -> str:
        """The systems in the order written, joined by a bar; or "people"."""
        return PEOPLE if self.people else BETWEEN.join(self.systems)

    @property
    def key(self) -> tuple[str, ...]:
        """The same for conditions that differ in nothing but order."""
        return (PEOPLE,) if self.people else tuple(sorted(self.systems))

    @field_validator("systems", mode="before")
    @classmethod
    def _one_is_a_list(cls, systems: Any) -> Any:
        return [systems] if isinstance(systems, str) else systems

    @model_validator(mode="after")
    def _systems_or_people(self) -> "Condition":
        if self.people == bool(self.systems):
            raise ValueError("A condition has either 'systems: [...]' or 'people: true'.")
        if self.needed is not None and self.per_scenario is not None:
            raise ValueError(
                "A condition has 'needed', for all scenarios together, or 'per_scenario', for each "
                "of them; not both."
            )
        return self


def parse_conditions(written: Any) -> Any:
    """The list of mappings that the short form `a|b:20,a:10` stands for.

    >>> parse_conditions("a|b:20,a")
    [{'systems': ['a', 'b'], 'needed': 20}, {'systems': ['a'], 'needed': None}]

    Anything that is not text is given back as it is.
    """
    if not isinstance(written, str):
        return written
    return [_parse_condition(part.strip()) for part in written.split(",")]


def _parse_condition(part: str) -> dict[str, Any]:
    names, colon, needed = (piece.strip() for piece in part.partition(":"))
    if not names or (colon and not (needed.isascii() and needed.isdecimal())):
        raise ValueError(f"{SHORT_FORM}; got '{part}'.")
    quota: dict[str, Any] = {"needed": int(needed) if colon else None}
    if names == PEOPLE:
        return {"people": True, **quota}
    return {"systems": [name.strip() for name in names.split(BETWEEN)], **quota}


def mismatch(arrangement: Arrangement, condition: Condition) -> str:
    """Why `condition` does not fit the arrangement; empty when it does."""
    count = len(condition.systems)
    if condition.people and arrangement != "people":
        return f"'people: true' needs 'arrangement: people'; it is '{arrangement}'."
    if arrangement == "paired" and count != 2:
        return f"With 'arrangement: paired' a condition has two systems; got {count}."
    if arrangement != "paired" and count > 1:
        return (
            f"With 'arrangement: {arrangement}' a condition has one system; got {count}. "
            "Two are compared with 'arrangement: paired'."
        )
    return ""
