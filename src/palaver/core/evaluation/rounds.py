"""Rounds: times in which people write examples that models of a task should get wrong.

A task has one round at a time. People write in the `write` stage of a study; each session on a context
is a dialogue of that study, and the examples are folded from its events. Closing a round makes data
sets of what was verified.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from palaver.core.estimates import Estimate
from palaver.core.evaluation.runs import Run
from palaver.core.serial import if_any, internal, key

RoundState = Literal["open", "stopped", "closed"]
Verdict = Literal["correct", "incorrect", "flagged"]
# What somebody is paid a bonus for: an example that others verified, one that fooled the model and was
# kept, a judgement of somebody else's.
BonusRule = Literal["verified", "fooling", "judged"]
# For each person the examples, by uid, that earn something by each rule.
Earned = Mapping[str, Mapping[BonusRule, tuple[str, ...]]]
# What the judgements of an example come to: a verdict, none yet, or no `matching` ones among all.
Standing = Literal["correct", "incorrect", "flagged", "waiting", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundModel:
    """A model in the loop: the version that was its newest when the round was opened."""

    name: str
    version: int
    version_id: int = 0

    @property
    def system(self) -> str:
        """What it is called in examples; one that is no model of the task here has no version."""
        return f"{self.name}@{self.version}" if self.version else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTerms:
    """What writers are asked for. `goals` gives, by label, how many sessions ask for it.

    Empty goals leave the label to the writer; None is no limit of its own. `per_context` is how many
    sessions a context gets for each goal.
    """

    tries: int = 5
    goals: Mapping[str, int | None] = field(default_factory=dict)
    per_context: int = 1
    # How many sessions there are for each goal where a task has no contexts.
    sessions: int | None = None
    # How many judgements an example gets, and how many of them must say the same.
    validators: int = 3
    matching: int = 2
    bonus: Mapping[BonusRule, float] = field(default_factory=dict)
    # The dialogue system that writers talk with, where it is none of the task's models.
    talk: str = ""
    # The labels of the task when the round was opened.
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundContext:
    """What writers write about: the task's context fields by name, a tag, and a quota of its own."""

    id: str
    values: Mapping[str, Any]
    tag: str = ""
    quota: int | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResult:
    """What closing a round made: data sets by split, how many examples each has, what was left out."""

    datasets: Mapping[str, str] = field(default_factory=dict)
    examples: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    # How many contexts stand in more than one split.
    shared_contexts: int = 0
    # How many people wrote each split.
    writers: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    # What people had earned by then; None in a round that was closed elsewhere.
    earned: Earned | None = internal(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round of a task."""

    task: str
    number: int
    state: RoundState
    study: str
    stage: int
    terms: RoundTerms
    models: tuple[RoundModel, ...]
    contexts: int
    opened: float
    closed: float | None = None
    result: RoundResult | None = None
    id: int = internal(0)
    task_id: int = internal(0)
    study_id: int = internal(0)
    contexts_path: str = internal("")
    contexts_digest: str = internal("")
    secret: str = internal("")

    @property
    def is_open(self) -> bool:
        return self.state == "open"

    def model_of(self, dialogue: str) -> RoundModel:
        """The model that answers in a session: by the key of its dialogue, the same everywhere."""
        return self.models[zlib.crc32(dialogue.encode()) % len(self.models)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRound(Round):
    """A round that was closed, now or before, with the runs that are due because of it.

    `leader` is who leads the board of the task as it is now, without those runs.
    """

    is_new: bool = key("new", True)
    runs: tuple[str, ...] = ()
    leader: str = if_any("")
    due: tuple[Run, ...] = internal(())


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRound(Round):
    """A round that came in a file, now or before; `unknown` names the columns that nobody knows.

    They are kept with the examples that have them.
    """

    is_new: bool = key("new", True)
    examples: int = 0
    writers: int = 0
    judgements: int = 0
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleVote:
    """What one validator said of an example: their verdict, their own label, and why they flagged."""

    rater: str
    verdict: Verdict
    label: str = if_any("")
    reason: str = if_any("")
    mode: Literal["user", "owner"] = "user"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenExample:
    """One answered try of a session, with what became of it.

    `values` are the context, the inputs and the writer's gold; `answer` is what the model said.
    `wrong` is None until somebody has said whether the model was. `kept` says that the writer ended
    the session with it; only such examples are judged.
    """

    derived: ClassVar[tuple[str, ...]] = ("uid",)

    dialogue: str
    seq: int
    round: int
    context: str
    tag: str = ""
    writer: str
    model: str
    values: Mapping[str, Any]
    answer: Mapping[str, Any]
    wrong: bool | None
    kept: bool
    retracted: bool = False
    # Which try of its session it was, from 1.
    number: int = 1
    why: str = ""
    why_model: str = ""
    # What was noticed about it: "duplicate", "copied", "language", …
    notes: tuple[str, ...] = ()
    seconds: float | None = None
    time: float = 0.0
    votes: tuple[ExampleVote, ...] = ()
    standing: Standing = "waiting"
    # What the file that it was imported from says beside: ids, metadata, columns nobody knows.
    source: Mapping[str, Any] = if_any(factory=dict)

    @property
    def uid(self) -> str:
        return f"{self.dialogue}-{self.seq}"

    @property
    def is_fooling(self) -> bool:
        """Whether the writer says that the model is wrong here, and stands by it."""
        return bool(self.wrong) and self.kept and not self.retracted

    @property
    def is_verified(self) -> bool:
        """Whether others found that the writer is right; of two that say the same only the first."""
        return self.is_fooling and self.standing == "correct" and not self.is_duplicate

    @property
    def is_duplicate(self) -> bool:
        """Whether it says what an earlier example of its context says, which stands."""
        return "duplicate" in self.notes


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRate:
    """How often a model was fooled: `rate` is verified errors over examples, by writer clusters.

    `name` is that of a model, of a writer, of a label or of a tag, or "all".
    """

    nullable: ClassVar[tuple[str, ...]] = ()

    name: str
    examples: int
    fooling: int
    verified: int
    refused: int
    waiting: int
    writers: int
    rate: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRates:
    """The error rates of one round: of all, by model, by label, by tag and by writer."""

    task: str
    round: int
    overall: ErrorRate
    models: tuple[ErrorRate, ...]
    labels: tuple[ErrorRate, ...] = ()
    tags: tuple[ErrorRate, ...] = ()
    writers: tuple[ErrorRate, ...] = ()
