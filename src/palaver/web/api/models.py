"""What the API of studies is sent."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from palaver.annotation.submission import Accepted
from palaver.studies.review.raters import MOST_REASON
from palaver.studies.run.kept_links import MOST_NAMES
from palaver.studies.run.participation import MOST_LINKS
from palaver.studies.run.versions import MOST_NOTE


class Given(BaseModel):
    """A part of what is sent: nothing is guessed, and no key is overlooked."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewLinks(Given):
    """How many links to make."""

    # The range is checked where links are made, with the same words at every door.
    count: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MOST_LINKS})] = 1


class NewNamedLinks(Given):
    """Whom to make links for, and for how many hours they work: as long as the study says, if null."""

    names: Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=MOST_NAMES)]
    hours: float | None = None


Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Position = Annotated[int, Field(ge=1, le=2**31 - 1)]
Side = Literal["first", "second"]


class DialogueUnit(Given):
    """A whole dialogue, or one turn of it: by any event of the turn, or by its number from 1."""

    dialogue: Key
    seq: Position | None = None
    turn: Position | None = None


class PairUnit(Given):
    """Two dialogues in the order in which they were shown."""

    pair: Annotated[list[Key], Field(min_length=2, max_length=2)]


class NewLabel(Given):
    """What a judge says about something.

    `answer` is what the question takes; for a comparison "a", "b", "tie" or, where it
    is offered, "neither"; a is the dialogue
    that was shown first: the first of `pair`, or the side of the unit that `shown` names first.
    Where it asks how much better, the degree stands in front: "1a" (the weakest), "2b".
    A question beside a comparison needs the answer to that, in this request or before.
    Where a question need not be answered, `abstain` may stand instead of `answer`.
    """

    unit: DialogueUnit | PairUnit
    question: Annotated[str, Field(min_length=1, max_length=200)]
    answer: Any = None
    abstain: bool = False
    rater: Annotated[str, Field(pattern=r"^(model|simulated):[A-Za-z0-9._:@-]{1,100}$")]
    rater_kind: Literal["model", "simulated"]
    shown: Annotated[list[Side], Field(min_length=2, max_length=2)] | None = None
    seconds: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None
    client_id: Annotated[str, Field(pattern=r"^[!-~]{1,200}$")] | None = None


@dataclass(frozen=True, slots=True)
class StoredLabelList:
    """What became of the labels, in the order in which they were sent."""

    labels: list[Accepted]


class NewErasure(Given):
    """Whom to erase: a name such as P07, a key, or the panel's id; and whether entirely.

    `entirely` forgets even the keyed hash by which they would be recognised.
    """

    # PostgreSQL keeps no NUL in a text.
    who: Annotated[str, Field(pattern=r"^[^\x00]{1,200}$")]
    entirely: bool = False


Stage = Annotated[int, Field(ge=0, le=1000)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]
# PostgreSQL keeps no NUL in a text.
Sentence = Annotated[str, Field(pattern=r"^[^\x00]*$", json_schema_extra={"maxLength": MOST_NOTE})]


class NewState(Given):
    """What is to become of a study, and why, in words that participants do not see."""

    move: Literal["pause", "resume", "close", "reopen"]
    reason: Sentence = ""


class NewDefinition(Given):
    """A study's file, what it is for, and the version that it was made of.

    Without `base` it follows whatever version is the latest.
    """

    text: Annotated[str, Field(max_length=4 << 20)]
    note: Sentence = ""
    base: Version | None = None


class NewPlaces(Given):
    """How many conversations a condition of a stage (from 0) is to have; null for no quota.

    Of a condition with a quota for each scenario it is that of each.
    """

    stage: Stage
    condition: Annotated[str, Field(min_length=1, max_length=200)]
    needed: Annotated[int, Field(ge=1, le=1_000_000_000)] | None


class NewRaters(Given):
    """How many raters each sheet of a rate stage (from 0) gets."""

    stage: Stage
    raters: Annotated[int, Field(ge=1, le=1_000_000)]


class NewStudyDates(Given):
    """From when to when a study takes people in, as clocks of `zone` show it; "" for no limit."""

    opens: Annotated[str, Field(max_length=40)] = ""
    closes: Annotated[str, Field(max_length=40)] = ""
    zone: Annotated[str, Field(max_length=64)] = ""


class NewEdit(Given):
    """What is to be different in a study's file: places, raters, dates; the rest stays."""

    places: list[NewPlaces] = Field(default_factory=list, max_length=1000)
    raters: list[NewRaters] = Field(default_factory=list, max_length=1000)
    dates: NewStudyDates | None = None
    note: Sentence = ""
    base: Version | None = None


class NewExclusion(Given):
    """Whether a study leaves a rater's labels out of its numbers, and why."""

    excluded: bool
    reason: Annotated[str, Field(json_schema_extra={"maxLength": MOST_REASON})] = ""
