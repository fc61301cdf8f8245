"""The rate stage: judgement of one's own conversations, or of dialogues that others held.

Without a source it asks about the conversations that the participant has just held. With `data` (a
file) or `from` (another study served here) it hands out sheets: every sheet goes to as many raters
as it needs, never twice to one, never to somebody who talked in it.
"""

from collections.abc import Iterable, Iterator, Mapping
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
    *("gold", "attention", "speakers", "origin_salt", "layout", "skips"),
)
# Formats of files by system, what is usual for each, and the keys that only these have.
RESPONSES, ADVICE = "cocoa-outputs", "advice"
USUAL: Mapping[str, Mapping[str, Any]] = {
    RESPONSES: {"raters": 3, "per_visit": 10},
    ADVICE: {"raters": 3, "per_visit": 5},
}
FORMAT_KEYS: Mapping[str, tuple[str, ...]] = {
    "context": (RESPONSES,),
    "reference": (RESPONSES,),
    "situations": (ADVICE,),
    "control": (ADVICE,),
    "sample": (RESPONSES, ADVICE),
    "overlap": (RESPONSES, ADVICE),
}

# Where hidden checks come from; a stage has one of these.
GOLD_KEYS = ("file", "references", "records", "verdicts")

Whole = Annotated[int, Strict(), Field(ge=0)]
OnFail = Literal["bar", "warn"]
# How what is judged stands on the page: as talk, or as two texts beside what they are about.
Layout = Literal["talk", "texts"]
# How many sheets of texts one visit may skip, where the file does not say.
USUAL_SKIPS = 5


class Speakers(Part):
    """What raters read beside the turns of a dialogue that others held."""

    user: Text = "Sam"
    system: Text = "Alex"


class Gold(Part):
    """Hidden checks: sheets with known answers, handed out among the others.

    The first comes after `after` sheets, the next ones every `every` sheets, if that is set. The
    sheets are those of a file, or are made of `references`: responses of people in so many contexts,
    or people's advice on so many situations, that serve for nothing else. Among examples that people
    wrote they are `records` of the task, or those on which the owner gave `verdicts`.
    """

    file: FileChoice | None = None
    references: Count | None = None
    records: Text | None = None
    verdicts: Literal[True] | None = None
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
    format: Literal["lines", "cocoa-outputs", "advice"] = "lines"
    situations: FileChoice | None = None
    control: StrictBool = True
    context: Count = 3
    reference: StrictBool = True
    sample: Count | None = None
    overlap: OverlapItems | None = None
    source: Text | None = Field(default=None, alias="from")
    units: FileChoice | None = None
    # Of what people wrote against models: what fooled them, or also what did not.
    examples: Literal["fooling", "all"] = "fooling"
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
    layout: Layout | None = None
    skips: Whole | None = None

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, given: Any) -> Any:
        """What is usual for its format, where the file does not say otherwise."""
        if isinstance(given, Mapping) and isinstance(given.get("format"), str):
            return {**USUAL.get(given["format"], {}), **given}
        return given

    @property
    def has_source(self) -> bool:
        """Whether it hands out sheets, as opposed to asking about one's own conversations."""
        return self.data is not None or self.source is not None

    @property
    def shown_as(self) -> Layout:
        """How its sheets stand on the page: advice as texts, anything else as talk."""
        return self.layout or ("texts" if self.format == "advice" else "talk")

    @property
    def most_skips(self) -> int | None:
        """How many sheets one visit may skip; None where skipping is not offered."""
        usual = USUAL_SKIPS if self.shown_as == "texts" else None
        return usual if self.skips is None else self.skips

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
        if "examples" in given and self.source is None:
            message = "'examples' needs 'from': a study in which people write against models."
            yield KeyProblem(("examples",), message, at_key=True)
        if self.has_source and "when" in given:
            yield KeyProblem(
                ("when",), "'when' is for raters' own conversations. Leave it out here."
            )
        for key in SHEET_KEYS:
            if key in given and not self.has_source:
                yield KeyProblem((key,), f"'{key}' needs 'data' or 'from'.", at_key=True)
        yield from self._gold_problems()
        yield from self._format_problems()

    def _gold_problems(self) -> Iterator[KeyProblem]:
        gold = self.gold
        if gold is None:
            return
        given = [key for key in GOLD_KEYS if getattr(gold, key) is not None]
        of_examples = [key for key in given if key in ("records", "verdicts")]
        if len(given) != 1:
            message = (
                "'gold' takes one of 'file'; for responses and advice 'references'; for examples that "
                "people wrote 'records' or 'verdicts'."
            )
            yield KeyProblem(("gold",), message)
        elif of_examples and self.source is None:
            message = f"'{of_examples[0]}' needs 'from': a study in which people write."
            yield KeyProblem(("gold", of_examples[0]), message)
        elif gold.references is not None and self.format not in USUAL:
            message = f"'references' needs {_one_of(USUAL)}; other data has a gold 'file'."
            yield KeyProblem(("gold", "references"), message)

    def _format_problems(self) -> Iterator[KeyProblem]:
        """Where keys of one format stand without it, or those of files by system do not fit."""
        for key, formats in FORMAT_KEYS.items():
            if key in self.model_fields_set and self.format not in formats:
                yield KeyProblem((key,), f"'{key}' needs {_one_of(formats)}.", at_key=True)
        if self.format not in USUAL:
            if isinstance(self.data, dict):
                message = f"Files by system need {_one_of(USUAL)}; lines name their systems."
                yield KeyProblem(("data",), message)
            return
        if self.data is None:
            yield KeyProblem(("format",), "'format' needs 'data': the files that are read.")
        if self.format == ADVICE and self.situations is None:
            message = "'format: advice' needs 'situations': the file of what people ask about."
            yield KeyProblem(("format",), message)
        if self.units is not None:
            groups = "responses have no groups" if self.format == RESPONSES else "see 'raters'"
            yield KeyProblem(("units",), f"'units' is for lines; {groups}.")
        yield from self._overlap_problems()

    def _overlap_problems(self) -> Iterator[KeyProblem]:
        overlap = self.overlap
        if overlap is None:
            return
        if self.per_visit is None and overlap.raters is None:
            message = "Without 'per_visit', 'overlap' needs 'raters': how many people are shared."
            yield KeyProblem(("overlap",), message)
        elif self.per_visit is not None and overlap.items >= self.per_visit:
            yield KeyProblem(
                ("overlap", "items"),
                f"All of the {self.per_visit} items of a visit would be shared; 'items' takes fewer "
                "than 'per_visit'.",
            )


def _one_of(formats: Iterable[str]) -> str:
    return " or ".join(f"'format: {name}'" for name in formats)
