"""The rate stage: judgement of one's own conversations, or of dialogues that others held.

Without a source it asks about the conversations that the participant has just held. With `data` (a
file) or `from` (another study served here) it hands out sheets: every sheet goes to as many raters
as it needs, never twice to one, never to somebody who talked in it.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, Strict, StrictBool, model_validator

from palaver.core.words import counted
from palaver.formats.key_problems import KeyProblem
from palaver.studies.stages.parts import (
    Count,
    Duration,
    FileChoice,
    Many,
    Part,
    SystemName,
    Text,
    Told,
    Unconfigured,
)

# Keys that only a stage with a source reads.
SHEET_KEYS = (
    *("units", "raters", "per_visit", "per_rater", "at_once", "order", "seed", "time_limit"),
    *("gold", "attention", "speakers", "origin_salt"),
)
# Keys that only responses in their contexts have, and what is usual for these.
RESPONSE_KEYS = ("context", "reference", "sample", "overlap")
RESPONSES = "cocoa-outputs"
USUAL_RESPONSES = {"raters": 3, "per_visit": 10}

Whole = Annotated[int, Strict(), Field(ge=0)]
OnFail = Literal["bar", "warn"]


class Speakers(Part):
    """What raters read beside the turns of a dialogue that others held."""

    user: Text = "Sam"
    system: Text = "Alex"


class Gold(Part):
    """Hidden checks: sheets with known answers, handed out among the others.

    The first comes after `after` sheets, the next ones every `every` sheets, if that is set. The
    sheets are those of a file, or are made of `references`: responses of people in so many contexts
    that serve for nothing else.
    """

    file: FileChoice | None = None
    references: Count | None = None
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


class OverlapItems(Part):
    """Items that everybody judges first; `raters` is for how many people there are places."""

    items: Count
    raters: Count | None = None


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
    # In this order: a mapping that says what is still to be provided is no mapping of systems.
    data: Annotated[
        Text | Unconfigured | dict[SystemName, Text] | None, Field(union_mode="left_to_right")
    ] = None
    format: Literal["lines", "cocoa-outputs"] = "lines"
    context: Count = 3
    reference: StrictBool = True
    sample: Count | None = None
    overlap: OverlapItems | None = None
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

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, given: Any) -> Any:
        """What is usual for responses, where the file does not say otherwise."""
        if isinstance(given, Mapping) and given.get("format") == RESPONSES:
            return {**USUAL_RESPONSES, **given}
        return given

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
        yield from self._gold_problems()
        yield from self._response_problems()

    def _gold_problems(self) -> Iterator[KeyProblem]:
        gold = self.gold
        if gold is None:
            return
        if (gold.file is None) == (gold.references is None):
            message = "'gold' takes either 'file' or, for responses, 'references'."
            yield KeyProblem(("gold",), message)
        elif gold.references is not None and self.format != RESPONSES:
            message = f"'references' needs 'format: {RESPONSES}'; other data has a gold 'file'."
            yield KeyProblem(("gold", "references"), message)

    def _response_problems(self) -> Iterator[KeyProblem]:
        """Where keys for responses stand without responses, or contradict each other."""
        if self.format == RESPONSES:
            if self.data is None:
                yield KeyProblem(("format",), "'format' needs 'data': the files that are read.")
            if self.units is not None:
                yield KeyProblem(("units",), "'units' is for lines; responses have no groups.")
            overlap = self.overlap
            if overlap is not None and self.per_visit is not None:
                if overlap.items >= self.per_visit:
                    yield KeyProblem(
                        ("overlap", "items"),
                        f"All of the {self.per_visit} items of a visit would be shared; 'items' "
                        "takes fewer than 'per_visit'.",
                    )
            elif overlap is not None and overlap.raters is None:
                message = (
                    "Without 'per_visit', 'overlap' needs 'raters': how many people are shared."
                )
                yield KeyProblem(("overlap",), message)
            return
        for key in RESPONSE_KEYS:
            if key in self.model_fields_set:
                message = f"'{key}' needs 'format: {RESPONSES}'."
                yield KeyProblem((key,), message, at_key=True)
        if isinstance(self.data, dict):
            message = f"Files by system need 'format: {RESPONSES}'; lines name their systems."
            yield KeyProblem(("data",), message)
