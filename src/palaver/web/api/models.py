"""What the API answers with: typed, so that its OpenAPI document tells the truth."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from palaver.storage.accounts import Role
from palaver.web.desk.inviting import MOST_LINKS


class Model(BaseModel):
    """A part of an answer, made from the objects that the pages use too."""

    model_config = ConfigDict(from_attributes=True)


class ErrorDetail(Model):
    """What went wrong: a stable code, and a sentence for whoever can act on it."""

    code: str
    message: str


class ErrorBody(Model):
    """Every answer that is not a success."""

    error: ErrorDetail


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


class LabelState(Model):
    """One label; `value` is null if abstained or erased."""

    id: int
    unit: str
    dialogue: str | None
    first_seq: int | None
    last_seq: int | None
    seat: int | None
    question: str
    question_version: str
    purpose: Literal["real", "training", "gold", "attention"]
    rater: str
    rater_kind: Literal["person", "model", "simulated", "anonymous"]
    value: Any
    abstained: bool
    erased: bool
    superseded: bool
    seconds: float | None
    time: float


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

    count: Annotated[int, Field(ge=1, le=MOST_LINKS)] = 1


class LinkList(Model):
    """Links for participants, each for one person; they are not kept."""

    links: list[str]
    hours: float
