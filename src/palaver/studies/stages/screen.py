"""The screen stage: training with feedback, and the rule that says who passes."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, Strict

from palaver.formats.key_problems import KeyProblem
from palaver.studies.stages.parts import Count, FileChoice, Many, Part, Text, Told


class PassRule(Part):
    """Which rounds count (from 1), and how many of their turns may be wrong in all."""

    rounds: Annotated[Many[Count], Field(min_length=1)]
    mistakes: Annotated[int, Strict(), Field(ge=0)]


class ScreenStage(Part):
    """Rounds of practice on dialogues whose answers are known; the rule decides who goes on.

    `qualification` is the name under which the result is kept: whoever passed or failed under that
    name, in any study, is not asked again.
    """

    kind: ClassVar[Literal["screen"]] = "screen"
    # What people call this part of a study.
    called: ClassVar[str] = "practice"
    model_config = ConfigDict(populate_by_name=True)

    minutes: Count | None = None
    # A built-in set by name, or a file.
    training: FileChoice
    ask: Text | None = None
    passing: PassRule | None = Field(default=None, alias="pass")
    attempts: Count = 1
    at_most: Count | None = None
    on_pass: Literal["go_on", "end"] = "go_on"
    on_fail: Literal["end", "go_on"] = "end"
    qualification: Text | None = None

    @property
    def told(self) -> Told:
        """The practice, and what depends on it."""
        ends = (
            " You go on if you pass." if self.on_fail == "end" and self.on_pass == "go_on" else ""
        )
        return Told("Practise", f"We explain what was not right.{ends}")

    def key_problems(self) -> Iterator[KeyProblem]:
        """Nothing here can contradict itself."""
        return iter(())
