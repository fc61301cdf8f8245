"""Models: what is known of one, its versions, and what became of one that was added."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from palaver.core.evaluation.runs import Run
from palaver.core.serial import if_any, internal, key
from palaver.core.words import listed

ModelStanding = Literal["retired", "unpublished", "anonymous", "published"]

# The kind of a model that was handed in as its answers; its options name a file per data set.
UPLOADED = "predictions"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVersion:
    """One way in which a model was reached: a kind of predictor and its options."""

    version: int
    kind: str
    digest: str
    created: float
    options: Mapping[str, Any] = internal(factory=dict)
    folder: str = internal("")
    version_id: int = internal(0)
    model_id: int = internal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelHead:
    """A model in its newest version; `standing` says what the board makes of it.

    `team` is the team that submitted it; null where whoever runs the task added it.
    """

    derived: ClassVar[tuple[str, ...]] = ("standing",)

    key: str
    name: str
    kind: str
    version: int
    digest: str
    about: str
    link: str
    tags: tuple[str, ...]
    published: bool
    anonymous: bool
    retired: float | None
    created: float
    team: str | None
    # How it is reached, keys included: only those who ask the model need them.
    options: Mapping[str, Any] = internal(factory=dict)
    folder: str = internal("")
    id: int = internal(0)
    task_id: int = internal(0)
    version_id: int = internal(0)
    version_created: float = internal(0.0)
    submitter_id: int | None = internal(None)
    # The challenge that the team takes part in, where it was handed in to one.
    challenge_id: int | None = internal(None)

    @property
    def standing(self) -> ModelStanding:
        """What the board makes of it."""
        if self.retired is not None:
            return "retired"
        if not self.published:
            return "unpublished"
        return "anonymous" if self.anonymous else "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(ModelHead):
    """A model; `runs` counts those of its newest version by state."""

    runs: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSheet(Model):
    """A model with its options, without keys, where its files are, its versions and its runs."""

    options: Mapping[str, Any]
    folder: str = key("files")
    versions: tuple[ModelVersion, ...]
    run_keys: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOutlook:
    """What of a model that is handed in will be ranked: `told` in sentences.

    `covered` and `missing` are scoring data sets, `counts` the weights of the metrics that rank it.
    `reasons` say why it has no rank, `remarks` what it lacks that does not decide. Whoever is asked
    has answers once its runs are done; what was uploaded has them.
    """

    derived: ClassVar[tuple[str, ...]] = ("told",)

    ranked: bool
    counts: Mapping[str, float]
    covered: tuple[str, ...]
    missing: tuple[str, ...]
    reasons: tuple[str, ...]
    remarks: tuple[str, ...]
    is_asked: bool = internal(False)

    @property
    def told(self) -> tuple[str, ...]:
        """Which data sets are covered, whether it will be ranked and by what, and what it lacks."""
        return (self._coverage, self._verdict, *(_sentence(each) for each in self.remarks))

    @property
    def _coverage(self) -> str:
        if not self.covered and not self.missing:
            return "There is no scoring data set yet."
        if not self.missing:
            both = {1: "the only scoring data set", 2: "both scoring data sets"}
            all_ = both.get(len(self.covered), f"all {len(self.covered)} scoring data sets")
            return f"Covers {all_}: {listed(self.covered)}."
        rest = f"not {listed(self.missing, 'or')}"
        return f"Covers {listed(self.covered)}, {rest}." if self.covered else f"Covers {rest}."

    @property
    def _verdict(self) -> str:
        if self.reasons:
            return f"Will not be ranked: {'; '.join(self.reasons)}."
        if not self.ranked:
            return "Will be ranked when there is one."
        when = ", once its runs are done," if self.is_asked else ""
        if len(self.counts) == 1:
            by = listed(list(self.counts))
        else:
            weights = [f"{title} {weight:g}" for title, weight in self.counts.items()]
            by = f"the usual weights ({', '.join(weights)})"
        return f"Will be ranked{when} by {by}."


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedModel(ModelHead):
    """What became of a model that was sent; `runs` are those that are due because of it.

    Its options are without keys, and told only to whoever runs the task. `outlook` says what of it
    will be ranked.
    """

    is_new: bool
    runs: tuple[str, ...]
    notes: tuple[str, ...] = ()
    outlook: RankingOutlook | None = None
    due: tuple[Run, ...] = internal(())


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedQuestion:
    """A made-up question that an endpoint was asked, and what came; None if no answer did."""

    sent: Mapping[str, Any]
    came: Mapping[str, Any] | None = None
    problem: str = if_any("")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbedEndpoint:
    """What came of asking an endpoint made-up questions: `problem` and how to `mend` it, if any."""

    derived: ClassVar[tuple[str, ...]] = ("answers",)

    kind: str
    reached: bool
    seconds: float
    questions: tuple[ProbedQuestion, ...]
    problem: str = if_any("")
    mend: str = if_any("")

    @property
    def answers(self) -> bool:
        """Whether every question has an answer that the task takes."""
        return not self.problem
