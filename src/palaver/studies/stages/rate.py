"""The rate stage: judgement of one's own conversations, or of dialogues that others held.

Without a source it asks about the conversations that the participant has just held. With `data` (a
file) or `from` (another study served here) it hands out sheets: every sheet goes to as many raters
as it needs, never twice to one, never to somebody who talked in it.
"""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, Strict, StrictBool

from palaver.core.words import counted
from palaver.formats.key_problems import KeyProblem
from palaver.studies.stages.parts import Count, Duration, FileChoice, Many, Part, Text, Told

# Keys that only a stage with a source reads.
SHEET_KEYS = (
    *("units", "raters", "per_visit", "per_rater", "at_once", "order", "seed", "time_limit"),
    *("gold", "attention", "speakers", "origin_salt"),
)

Whole = Annotated[int, Strict(), Field(ge=0)]
OnFail = Literal["bar", "warn"]


class Speakers(Part):
    """What raters read beside the turns of a dialogue that others held."""

    user: Text = "Sam"
    system: Text = "Alex"


class Gold(Part):
    """Hidden checks: sheets with known answers, handed out among the others.

    The first comes after `after` sheets, the next ones every `every` sheets, if that is set.
    """

    file: FileChoice
    after: Whole = 4
    every: Count | None = None
    allowed_mistakes: Whole = 0
    on_fail: OnFail = "bar"


class Attention(Part):
    """Questions with an `expected` answer that show whether somebody reads what they answer."""

    ask: Annotated[Many[Text], Field(min_length=1)]
    after: Whole = 2
    every: Count | None = None
    allowed_mistakes: Whole = 0
    on_fail: OnFail = "warn"


class RateStage(Part):
    """Questions about conversations."""

    kind: ClassVar[Literal["rate"]] = "rate"
    # What people call this part of a study.
    called: ClassVar[str] = "rating"
    model_config = ConfigDict(populate_by_name=True)

    minutes: Count | None = None
    ask: Annotated[Many[Text], Field(min_length=1)]
    when: Literal["after", "after_each"] = "after"
    shuffle: StrictBool = False
    data: FileChoice | None = None
    source: Text | None = Field(default=None, alias="from")
    units: FileChoice | None = None
    raters: Count = 1
    per_visit: Count | None = None
    per_rater: Count | None = None
    at_once: Count = 1
    order: Literal["balanced", "file", "random"] = "balanced"
    seed: Annotated[int, Strict()] = 1
    time_limit: Duration = 3600.0
    speakers: Speakers = Speakers()
    origin_salt: Text | None = None
    gold: Gold | None = None
    attention: Attention | None = None
    qualification: Text | None = None

    @property
    def has_source(self) -> bool:
        """Whether it hands out sheets, as opposed to asking about one's own conversations."""
        return self.data is not None or self.source is not None

    @property
    def told(self) -> Told:
        """The questions in words that do not hint at what is looked for."""
        questions = counted(len(self.ask), "question")
        if not self.has_source:
            return Told("Say what you thought", f"{questions}. You can read what was said again.")
        most = f", at most {self.per_visit} times" if self.per_visit and self.per_visit > 1 else ""
        return Told("Read what others said and judge it", f"{questions} each time{most}.")

    def question_names(self) -> tuple[str, ...]:
        """Every question it may ask."""
        return (*self.ask, *(self.attention.ask if self.attention else ()))

    def key_problems(self) -> Iterator[KeyProblem]:
        """Where this stage contradicts itself."""
        for i, name in enumerate(self.ask):
            if name in self.ask[:i]:
                yield KeyProblem(("ask", i), f"The question '{name}' is asked here twice.")
        if self.data is not None and self.source is not None:
            yield KeyProblem(("from",), "'data' and 'from' both say what is judged. Leave one out.")
        given = self.model_fields_set
        if self.has_source and "when" in given:
            yield KeyProblem(
                ("when",), "'when' is for raters' own conversations. Leave it out here."
            )
        for key in SHEET_KEYS:
            if key in given and not self.has_source:
                yield KeyProblem((key,), f"'{key}' needs 'data' or 'from'.", at_key=True)
