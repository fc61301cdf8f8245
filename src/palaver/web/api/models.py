"""What the API answers with: typed, so that its OpenAPI document tells the truth."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from palaver.core.accounts import Role
from palaver.studies.invitations import MOST_LINKS
from palaver.studies.rater_review import MOST_REASON


class Model(BaseModel):
    """A part of an answer, made from the objects that the pages use too."""

    model_config = ConfigDict(from_attributes=True)


class Me(Model):
    """Whom the token speaks for, and as what."""

    name: str
    role: Role


class ConditionState(Model):
    """How far a condition is; `needed` and `free` are null where there is no quota."""

    condition: str
    needed: int | None
    held: int
    done: int
    free: int | None


class StudyState(Model):
    """A study and how far it is; `state` says it in words."""

    name: str
    title: str
    state: str
    served: bool
    complete: bool
    needed: int | None
    done: int
    held: int
    dialogues: int
    running: int
    visits: int
    finished: int
    conditions: list[ConditionState]


class StudyList(Model):
    """Every study, oldest first."""

    studies: list[StudyState]


class SeatState(Model):
    """Who sat at a seat from an event on."""

    seat: int
    from_seq: int
    kind: Literal["person", "system"]
    occupant: str


class DialogueHead(Model):
    """A dialogue in a list; `reason` is null while it runs."""

    id: str
    study: str
    condition: str
    status: Literal["running", "ended"]
    reason: str | None
    created: float
    messages: int
    failures: int
    seconds: float | None
    seats: list[SeatState]


class DialoguePage(Model):
    """Some dialogues, oldest first; pass `next` as `after` to go on. It is null at the end."""

    dialogues: list[DialogueHead]
    next: str | None


class EventState(Model):
    """One event. `data` is null once erased; `audience` is null where everybody saw it."""

    seq: int
    seat: int | None
    action: str
    data: dict[str, Any] | None
    time: float
    audience: list[int] | None


class ScenarioState(Model):
    """What the seats were told."""

    id: str
    title: str
    personas: list[list[str]]


class DialogueState(Model):
    """One dialogue with its events."""

    id: str
    study: str
    condition: str
    stage: int
    group: str
    position: int
    status: Literal["running", "ended"]
    reason: str | None
    created: float
    scenario: ScenarioState
    seats: list[SeatState]
    events: list[EventState]


Purpose = Literal["real", "training", "gold", "attention"]
RaterKind = Literal["person", "model", "simulated", "anonymous"]


class LabelState(Model):
    """A row of the tidy table, with the label's id; `value` is null if abstained or erased.

    `dialogue`, `seq` and `turn` are null for a pair, `seq` and `turn` for a whole dialogue.
    """

    id: int
    study: str
    unit: str
    dialogue: str | None
    seq: int | None
    turn: int | None
    question: str
    question_version: str
    purpose: Purpose
    rater: str
    rater_kind: RaterKind
    assignment: str | None
    shown_order: list[str] | None
    value: Any
    label: str | None
    seconds: float | None
    superseded: bool
    time: float
    abstained: bool
    erased: bool


class LabelPage(Model):
    """Some labels, oldest first; pass `next` as `after` to go on. It is null at the end."""

    labels: list[LabelState]
    next: int | None


class BoardRowState(Model):
    """One system's comparisons; the rate and its 95 % interval are null while n is 0."""

    system: str
    wins: int
    ties: int
    losses: int
    n: int
    rate: float | None
    low: float | None
    high: float | None
    truth: float | None


class BoardState(Model):
    """A board at one moment; `answer` says it in words."""

    title: str
    state: Literal["provisional", "final"]
    votes: int
    needed: int | None
    raters: Literal["all", "people", "simulated"]
    systems: list[BoardRowState]
    updated: float
    answer: str


class NewLinks(BaseModel):
    """How many links to make."""

    model_config = ConfigDict(extra="forbid", strict=True)

    # The range is checked where links are made, with the same words at every door.
    count: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MOST_LINKS})] = 1


Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Position = Annotated[int, Field(ge=1, le=2**31 - 1)]
Side = Literal["first", "second"]


class Given(BaseModel):
    """A part of what is sent: nothing is guessed, and no key is overlooked."""

    model_config = ConfigDict(extra="forbid", strict=True)


class DialogueUnit(Given):
    """A whole dialogue, or one turn of it: by any event of the turn, or by its number from 1."""

    dialogue: Key
    seq: Position | None = None
    turn: Position | None = None


class PairUnit(Given):
    """Two dialogues in the order in which they were shown."""

    pair: Annotated[list[Key], Field(min_length=2, max_length=2)]


class NewLabel(Given):
    """What a judge says of something.

    `answer` is what the question takes; for a comparison "a", "b" or "tie", where a is the dialogue
    that was shown first: the first of `pair`, or the side of the unit that `shown` names first.
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


class StoredLabelState(Model):
    """What became of a label: its id, what was stored, and what it replaces.

    `repeated` says that the same `client_id` had been sent before; nothing was stored again.
    """

    id: int
    value: Any
    repeated: bool
    superseded: int | None


class StoredLabelList(Model):
    """What became of the labels, in the order in which they were sent."""

    labels: list[StoredLabelState]


RaterKindFilter = Literal["all", "person", "model", "simulated", "anonymous"]


class AnswerCount(Model):
    """How often an answer was given, in words."""

    answer: str
    count: int


class FacetState(Model):
    """One thing that answers say: the answer itself (`name` is empty), a label, an aspect.

    `alpha` is Krippendorff's α with its 95 % interval; null where undefined, and `reason` says why.
    `percent` is the share of equal pairs. `units` were judged by two or more raters.
    """

    name: str
    level: Literal["nominal", "ordinal", "interval", "ratio"]
    alpha: float | None
    low: float | None
    high: float | None
    reason: str
    percent: float | None
    units: int
    raters: int
    pairs: int
    counts: list[AnswerCount]


class QuestionState(Model):
    """A question and its answers so far, without those of excluded raters.

    `units` were judged, `shared` of them by two or more raters; `older` answers were given to
    another wording. `level` is null where the study's file does not hold the question any more.
    """

    name: str
    text: str
    level: Literal["nominal", "ordinal", "interval", "ratio", "pairwise", "text"] | None
    labels: int
    raters: int
    units: int
    shared: int
    older: int
    reason: str
    facets: list[FacetState]


class QuestionList(Model):
    """The questions of a study in its order, by whose answers, and how many raters are excluded."""

    raters: RaterKindFilter
    excluded: int
    questions: list[QuestionState]


class RaterState(Model):
    """A rater of a study.

    Times are medians in seconds. `alike` of `compared` answers equal the most frequent one of the
    other raters. `mistakes` are wrong turns on `gold` sheets, `missed` of `checks` attention checks;
    `passed` is the result of the last practice. The last exclusion, or its end, has who, when, why.
    """

    rater: str
    kind: Literal["person", "model", "simulated", "anonymous"]
    labels: int
    abstained: int
    sheets: int
    seconds_per_label: float | None
    seconds_per_sheet: float | None
    alike: int
    compared: int
    gold: int
    mistakes: int
    checks: int
    missed: int
    passed: bool | None
    excluded: bool
    excluded_by: str | None
    excluded_at: float | None
    exclusion_reason: str | None


class RaterList(Model):
    """The raters of a study, in the order they first came."""

    raters: list[RaterState]


class NewExclusion(BaseModel):
    """Whether a study leaves a rater's labels out of its numbers, and why."""

    model_config = ConfigDict(extra="forbid", strict=True)

    excluded: bool
    reason: Annotated[str, Field(json_schema_extra={"maxLength": MOST_REASON})] = ""
