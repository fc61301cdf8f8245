"""Boards of models: what is weighed, who stands where, how sure that is, and boards that were saved.

Undefined numbers are None, so that a board reads the same whether it is of today, was frozen, or came
from a server.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, Self

from palaver.core.estimates import NO_SPREAD, has_no_width
from palaver.core.evaluation.public_numbers import nameless, public_number
from palaver.core.serial import if_any, internal

# The two ends of an interval.
Ends = tuple[float | None, float | None]
SavedKind = Literal["fork", "snapshot"]
BoardRanking = Literal["dynascore", "measure"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A number of a board with its interval; None where there is none, and `reason` says why.

    `warning` says where fairness or robustness rests on variants of too few items.
    As of an `Estimate`, no interval is without a width, not even on a board that was frozen with one.
    """

    value: float | None
    interval: Ends | None = None
    variance: float | None = None
    n: int | None = if_any(None)
    reason: str | None = if_any(None)
    warning: str | None = if_any(None)

    def __post_init__(self) -> None:
        if has_no_width(*(self.interval or (None, None))):
            object.__setattr__(self, "interval", None)
            object.__setattr__(self, "reason", self.reason or NO_SPREAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A metric that a board may have: stored scores × `scale` are shown in `unit`.

    `field_name` is what the dynaboard API calls it, `usual_weight` its weight unless somebody says
    otherwise.
    """

    key: str
    title: str
    unit: str
    direction: int = 1
    offset: float = 0.0
    field_name: str = internal("")
    scale: float = internal(1.0)
    usual_weight: float = internal(1.0)
    is_delta: bool = internal(False)
    # Whether it has a column before anybody asks for more; others come from stored scores.
    is_usual: bool = internal(True)
    # Whether one of its ends is better: a length has none.
    has_better_end: bool = internal(True)
    # Digits after the point, where differences are smaller than two of them show.
    digits: int | None = internal(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardMetric(BoardColumn):
    """A metric as the board weighs it; one without a rate has no share, `set_aside` says why.

    `models` counts those that have it on every data set that counts.
    """

    weight: float
    share: float
    amrs: float | None
    amrs_interval: Ends | None = None
    set_aside: str | None = if_any(None)
    models: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSet:
    """A scoring data set in its newest version, and the perturbed versions made from it by kind."""

    id: int
    name: str
    version: int
    items: int
    # The round of the task that it was collected in; 0: none.
    round: int = 0
    version_id: int = internal(0)
    digest: str = internal("")
    variants: Mapping[str, tuple[int, ...]] = internal(factory=dict)

    def for_strangers(self) -> Self:
        """The data set as everybody may see it: under a number that is not the store's."""
        return replace(self, id=public_number("data set", self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDataset(ScoringSet):
    """A data set as the board weighs it."""

    weight: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A model on a board, in its newest version."""

    id: int
    key: str
    name: str
    team: str | None
    published: bool
    tags: tuple[str, ...]
    link: str
    anonymous: bool = internal(False)
    submitter_id: int | None = internal(None)
    version_id: int = internal(0)
    # Which came first decides between models that are equal.
    arrival: int = internal(0)
    # Models that were handed in to a challenge stand on its board alone.
    challenge_id: int | None = internal(None)

    @property
    def has_open_team(self) -> bool:
        """Whether everybody may know who submitted it."""
        return self.published and not self.anonymous

    def for_strangers(self) -> Self:
        """The entrant as everybody may see it: an unpublished one has a code and no name."""
        team = self.team if self.has_open_team else None
        return replace(
            self,
            id=public_number("model", self.key),
            name=self.name if self.published else nameless(self.key),
            team=team,
            submitter_id=None if team is None else public_number("team", team),
            link=self.link if self.published else "",
        )

    def seen(self, *, public: bool) -> Self:
        """The entrant of a board that was read in public, or not.

        On a public board an unpublished one stands only for the team that submitted it, by its name.
        """
        if not public or self.published:
            return self.for_strangers() if public else self
        team = None if self.team is None else public_number("team", self.team)
        return replace(self, id=public_number("model", self.key), submitter_id=team)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardModel(Entrant):
    """A model of a board; `scores` are by data set and metric, `averages` by metric.

    An average has a value where the model has the metric on every data set that counts, ranked or not.
    """

    scores: Mapping[str, Mapping[str, Measured]]
    # Boards that were frozen before have none of models without a rank.
    averages: Mapping[str, Measured] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedModel(BoardModel):
    """A model in its place; equal scores share a rank."""

    rank: int
    rank_interval: tuple[int, int] | None
    dynascore: Measured
    reasons: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrankedModel(BoardModel):
    """A model that lacks something that counts, and what that is."""

    reasons: tuple[str, ...]
    rank: ClassVar[None] = None
    rank_interval: ClassVar[None] = None
    dynascore: ClassVar[None] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureVerdict:
    """What is sure of the order of the models by one measure on one data set, in one sentence.

    `apart` are the pairs that are told apart.
    """

    dataset: str
    measure: str
    title: str
    answer: str
    tied_sets: tuple[tuple[str, ...], ...]
    apart: tuple[tuple[str, str], ...] = internal(())


@dataclass(frozen=True, slots=True)
class BoardWeights:
    """Weights by name of metric and of data set, or the one `metric` that ranks in their place.

    With a `round` only its data sets count.
    """

    metrics: Mapping[str, float] = field(default_factory=dict)
    datasets: Mapping[str, float] = field(default_factory=dict)
    metric: str = if_any("")
    round: int | None = if_any(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TagCount:
    """A tag of models, and how many have it."""

    tag: str
    models: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Models in the order of their Dynascores under one choice of weights, and their basis.

    `answer` says who leads in one sentence. `tied_sets` are models that cannot be told apart. `pairs`
    counts the neighbours that the rates are means over. A board whose `ranking` is `measure` has its
    models in the order of the first metric: the `metric` that its reader chose, else the task's own,
    then with a verdict per data set and metric; while these are `pending`, they are being computed.
    `unpublished` counts models that whoever asks may not see. Of the `rounds` that the task's scoring
    data sets were collected in, only those of `round` count, where one was asked for.
    """

    task: str
    title: str
    answer: str
    metrics: tuple[BoardMetric, ...]
    datasets: tuple[BoardDataset, ...]
    models: tuple[RankedModel, ...]
    not_ranked: tuple[UnrankedModel, ...]
    tied_sets: tuple[tuple[str, ...], ...]
    pairs: int
    draws: int
    seed: int
    confidence: float
    method: str
    warnings: tuple[str, ...]
    ranking: BoardRanking = "dynascore"
    metric: str = ""
    verdicts: tuple[MeasureVerdict, ...] = ()
    pending: bool = False
    unpublished: int = 0
    round: int | None = None
    rounds: tuple[int, ...] = ()
    # Whether it was read for everybody to see.
    public: bool = internal(False)

    @property
    def digits(self) -> int:
        """Digits after the point that a table of it needs."""
        return max((each.digits or 2 for each in self.metrics), default=2)

    @property
    def everybody(self) -> tuple[RankedModel | UnrankedModel, ...]:
        """The models in their order, then those without a rank."""
        return (*self.models, *self.not_ranked)

    @property
    def ties(self) -> tuple[tuple[str, ...], ...]:
        """The sets of two and more models that cannot be told apart."""
        return tuple(names for names in self.tied_sets if len(names) > 1)

    @property
    def weights(self) -> BoardWeights:
        """What makes it again: of a metric that was chosen no other has a weight."""
        metrics = {} if self.metric else {each.key: each.weight for each in self.metrics}
        datasets = {dataset.name: dataset.weight for dataset in self.datasets}
        return BoardWeights(
            metrics=metrics, datasets=datasets, metric=self.metric, round=self.round
        )

    @property
    def ranked_by(self) -> str:
        """What the models are in the order of."""
        return "Dynascore" if self.ranking == "dynascore" else self.metrics[0].title

    def standing(self, model: BoardModel) -> Measured | None:
        """The number that ranks a model; None where it has no rank."""
        if not isinstance(model, RankedModel):
            return None
        if self.ranking == "dynascore":
            return model.dynascore
        return model.averages[self.metrics[0].key]

    @property
    def tags(self) -> tuple[TagCount, ...]:
        """The tags of the models, the most frequent first."""
        counts = Counter(tag for model in self.everybody for tag in model.tags)
        ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return tuple(TagCount(tag=tag, models=models) for tag, models in ordered)

    def find(self, key: str) -> RankedModel | UnrankedModel | None:
        return next((each for each in self.everybody if each.key == key), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundScore:
    """How well a model does on the scoring data sets of one round: the mean over them.

    `score` has no value where the model lacks one of them; its reason says which.
    """

    round: int
    datasets: tuple[str, ...]
    items: int
    score: Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenBoard(Board):
    """A board as it stood, and the order it was sorted in."""

    sort: Mapping[str, str]
    frozen: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedBoard:
    """A fork: its own weights; or a snapshot: a board as it was, which never changes.

    `key` is what permanent links hold.
    """

    key: str
    name: str
    kind: SavedKind
    about: str
    weights: BoardWeights
    created_by: str
    created: float
    id: int = internal(0)
    task_id: int = internal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSheet(SavedBoard):
    """A saved board: of a fork the board of today, of a snapshot the one that was frozen."""

    task: str
    board: Board


@dataclass(frozen=True, slots=True, kw_only=True)
class Dynascores:
    """Scores from the best to the worst, the rates behind them, and what was decided on the way.

    A model without a value in a metric that counts is `not_scored`, a metric without a rate
    `set_aside`: its weight goes to the others.
    """

    scores: Mapping[str, float | None]
    amrs: Mapping[str, float | None]
    pairs: int
    weights: Mapping[str, float | None]
    set_aside: Mapping[str, str]
    not_scored: Mapping[str, str]
    warnings: tuple[str, ...]
