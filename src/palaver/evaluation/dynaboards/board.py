"""A board: models in the order of their Dynascores, with intervals on everything, ranks included."""

from dataclasses import dataclass
from typing import Any

from palaver.core.estimates import Estimate, Interval
from palaver.core.serial import plain
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Column
from palaver.evaluation.dynaboards.entrants import Entrant, ScoringSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One number of a board; NaN with a reason where it is undefined."""

    value: float
    interval: Interval | None = None
    variance: float | None = None
    n: int = 0
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """The parts by name; what is undefined is null."""
        found: dict[str, Any] = {
            "value": plain(self.value),
            "interval": plain(self.interval),
            "variance": plain(self.variance),
        }
        if self.n:
            found["n"] = self.n
        if self.reason:
            found["reason"] = self.reason
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardColumn:
    """A metric as the board weighs it: `share` is 0 where it has no rate, and `reason` says why."""

    column: Column
    weight: float
    share: float
    amrs: Estimate

    def as_json(self) -> dict[str, Any]:
        """The parts by name."""
        return {
            "key": self.column.key,
            "title": self.column.title,
            "unit": self.column.unit,
            "direction": self.column.direction,
            "offset": self.column.offset,
            "weight": self.weight,
            "share": self.share,
            "amrs": plain(self.amrs.value),
            "amrs_interval": plain(self.amrs.interval),
            **({"set_aside": self.amrs.reason} if self.amrs.reason else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSet:
    """A data set as the board weighs it."""

    scored: ScoringSet
    weight: float
    share: float

    def as_json(self) -> dict[str, Any]:
        """The parts by name."""
        return {
            "id": self.scored.dataset_id,
            "name": self.scored.name,
            "version": self.scored.number,
            "items": self.scored.items,
            "weight": self.weight,
            "share": self.share,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A ranked model; `place` is where the cells have it. Equal scores share a rank."""

    entrant: Entrant
    label: str
    team: str | None
    place: int
    rank: int
    rank_interval: tuple[int, int] | None
    dynascore: Measured
    averages: tuple[Measured, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRanked:
    """A model that lacks something that counts."""

    entrant: Entrant
    label: str
    team: str | None
    place: int
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board under one choice of weights; `answer` says who leads in one sentence."""

    task: str
    title: str
    columns: tuple[BoardColumn, ...]
    sets: tuple[BoardSet, ...]
    standings: tuple[Standing, ...]
    not_ranked: tuple[NotRanked, ...]
    tied_sets: tuple[tuple[str, ...], ...]
    pairs: int
    answer: str
    method: str
    warnings: tuple[str, ...]
    public: bool
    cells: Cells

    def cell(self, place: int, one: int, column: int) -> Measured:
        """A model's score on a data set under a metric."""
        at = (one, column, place)
        low, high = float(self.cells.lows[at]), float(self.cells.highs[at])
        variance = float(self.cells.variances[at])
        return Measured(
            value=float(self.cells.values[at]),
            interval=Interval(low, high) if low == low and high == high else None,
            variance=variance if variance == variance else None,
            n=int(self.cells.ns[at]),
            reason=self.cells.reasons.get(at, ""),
        )

    def cells_of(self, place: int) -> dict[str, dict[str, Any]]:
        """All scores of a model, by data set and metric."""
        return {
            one.scored.name: {
                each.column.key: self.cell(place, s, c).as_json()
                for c, each in enumerate(self.columns)
            }
            for s, one in enumerate(self.sets)
        }

    def as_json(self) -> dict[str, Any]:
        """The whole board; what is undefined is null."""
        return {
            "task": self.task,
            "title": self.title,
            "answer": self.answer,
            "metrics": [each.as_json() for each in self.columns],
            "datasets": [each.as_json() for each in self.sets],
            "models": [self._standing(each) for each in self.standings],
            "not_ranked": [
                {**self._model(each), "reasons": list(each.reasons)} for each in self.not_ranked
            ],
            "tied_sets": [list(each) for each in self.tied_sets],
            "pairs": self.pairs,
            "draws": self.cells.draws,
            "seed": self.cells.seed,
            "confidence": self.cells.confidence,
            "method": self.method,
            "warnings": list(self.warnings),
        }

    def _standing(self, each: Standing) -> dict[str, Any]:
        return {
            "rank": each.rank,
            "rank_interval": list(each.rank_interval) if each.rank_interval else None,
            **self._model(each),
            "dynascore": each.dynascore.as_json(),
            "averages": {
                column.column.key: measured.as_json()
                for column, measured in zip(self.columns, each.averages, strict=True)
            },
        }

    def _model(self, each: Standing | NotRanked) -> dict[str, Any]:
        return {
            "id": each.entrant.model_id,
            "key": each.entrant.key,
            "name": each.label,
            "team": each.team,
            "published": each.entrant.published,
            "tags": list(each.entrant.tags),
            "link": each.entrant.link if each.entrant.published or not self.public else "",
            "scores": self.cells_of(each.place),
        }
