"""How a study is offered at a panel that Palaver talks to, and what is paid on top."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, StrictBool, model_validator

from palaver.formats.key_problems import KeyProblem
from palaver.studies.stages.parts import Count, Many, Part, Positive, Text

Device = Literal["desktop", "tablet", "mobile"]
Peripheral = Literal["audio", "camera", "download", "microphone"]
DEVICES: tuple[Device, ...] = ("desktop", "tablet", "mobile")


class FilterRange(Part):
    """A range of a filter; one end may be open."""

    lower: float | None = Field(default=None, alias="from")
    upper: float | None = Field(default=None, alias="to")

    @model_validator(mode="after")
    def _has_an_end(self) -> "FilterRange":
        if self.lower is None and self.upper is None:
            raise ValueError("A range takes 'from', 'to' or both.")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"'from' is {self.lower:g}, above 'to', which is {self.upper:g}.")
        return self


Choices = Annotated[Many[Text], Field(min_length=1)]


class Recruit(Part):
    """What the panel is asked for: whom, how many, on which devices, and how they are decided on.

    The pay, the minutes and the codes are those of the study itself.
    """

    title: Text | None = None
    # What people read at the panel before they come.
    description: Text | None = None
    # How many places to begin with, and how many there may ever be; else what the quotas need.
    places: Count | None = None
    most_places: Count | None = None
    # Recruiting rests while so many people are here at once, and goes on when a fifth of them left.
    at_once: Count | None = None
    devices: Annotated[Many[Device], Field(min_length=1)] = DEVICES
    needs: Many[Peripheral] = ()
    # Filters of the panel's catalogue by id: the chosen values, or a range.
    filters: dict[Text, Choices | FilterRange] = Field(default_factory=dict)
    # Studies of this home whose people are not to come again, and groups of the panel.
    never_twice: Many[Text] = ()
    without_groups: Many[Text] = ()
    # Whether those who completed are approved by the panel at once, or wait for a decision here.
    approve: Literal["review", "at_once"] = "review"
    # Whether a person may pay a part of the reward from here, which not every workspace is allowed.
    part_payments: StrictBool = False
    maximum_minutes: Count | None = None
    # A project of the panel's workspace.
    project: Text | None = None

    def key_problems(self) -> Iterator[KeyProblem]:
        """Numbers that contradict each other."""
        most, first = self.most_places, self.places
        if most is not None and first is not None and most < first:
            message = f"'most_places' is {most:,}, fewer than the {first:,} 'places' to begin with."
            yield KeyProblem(("most_places",), message)


class LongChat(Part):
    """What a conversation is worth in which somebody wrote at least so many messages."""

    messages: Count
    amount: Positive


class Bonuses(Part):
    """What is paid on top by a rule, in the currency of the pay."""

    # For each point that a person earned in a game.
    point: Positive | None = None
    long_chat: LongChat | None = None
    # Whether what was not paid by the panel itself (waiting, a part of the work) is made bonuses.
    dues: StrictBool = True
