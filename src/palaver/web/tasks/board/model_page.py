"""A model's card: what is told about it, and its scores on every data set that is not hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, ClassVar

from palaver.core.evaluation.boards import (
    Board,
    BoardColumn,
    BoardMetric,
    BoardModel,
    Measured,
    RankedModel,
    RoundScore,
    UnrankedModel,
)
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model, ModelVersion
from palaver.core.evaluation.submissions import Team
from palaver.evaluation.dynaboards import columns_of
from palaver.evaluation.models.views import ModelFacts
from palaver.evaluation.scoring.tags import told_by_tag
from palaver.web.tasks.access import TaskShell, TaskVisit, task_shell


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredSet:
    """A data set on a model's card, and the state of the model's run on it, where there is one."""

    dataset: Dataset
    state: str
    cells: tuple[Measured | None, ...]
    middle: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """A model for readers, with what they may know of it; `rank` is None where it has none."""

    template: ClassVar[str] = "tasks/board/model.html"
    shell: TaskShell
    model: Model
    team: Team | None = None
    on_board: RankedModel | UnrankedModel | None = None
    of: int = 0
    by_dynascore: bool = True
    columns: tuple[BoardMetric, ...]
    # What the model has no value of, with the reason where one is known.
    absent: Mapping[str, str] = field(default_factory=dict)
    sets: tuple[ScoredSet, ...]
    # The performance on the items of each tag, by data set.
    tagged: Mapping[str, Mapping[str, Measured]]
    # The performance by round, where data sets are of rounds.
    rounds: tuple[RoundScore, ...] = ()
    performance: str = ""
    versions: tuple[ModelVersion, ...] = ()
    board_url: str = ""
    desk_url: str = ""


def model_card(
    found: TaskVisit,
    facts: ModelFacts,
    board: Board,
    beside: Mapping[str, Mapping[str, Measured]],
    rounds: tuple[RoundScore, ...],
) -> ModelCard:
    """The card of a model with its place on the board, and how it does in each round.

    `beside` has its scores on data sets that are not on the board.
    """
    model, on_board = facts.model, board.find(facts.model.key)
    first = columns_of(found.task)[0]
    scores = [*(on_board.scores.values() if on_board else ()), *beside.values()]
    columns = tuple(
        each
        for n, each in enumerate(board.metrics)
        if not n or any(each.key in one and one[each.key].value is not None for one in scores)
    )
    return ModelCard(
        shell=task_shell(found, f"{model.name} · {found.row.title}"),
        model=model,
        team=facts.team,
        on_board=on_board,
        of=len(board.models),
        by_dynascore=board.ranking == "dynascore",
        columns=columns,
        absent=_absent(board, columns, on_board),
        sets=tuple(
            _scored(
                each,
                facts,
                columns,
                on_board.scores.get(each.name) if on_board else None,
                beside.get(each.name, {}),
                _middle(board, each.name),
            )
            for each in facts.sets
        ),
        tagged=_tagged(facts, first),
        rounds=rounds if on_board else (),
        performance=first.title,
        versions=facts.versions,
        board_url=found.url,
        desk_url=f"{found.url.removesuffix(f'/tasks/{found.row.name}')}/desk/tasks/"
        f"{found.row.name}/models/{model.key}"
        if found.person
        else "",
    )


def _scored(
    dataset: Dataset,
    facts: ModelFacts,
    shown: Sequence[BoardMetric],
    on_board: Mapping[str, Measured] | None,
    beside: Mapping[str, Measured],
    middle: float | None,
) -> ScoredSet:
    """Scores as the board has them, or would have them if the data set were on it."""
    run = facts.runs.get(dataset.name)
    known = beside if on_board is None else on_board
    return ScoredSet(
        dataset=dataset,
        state=run.state if run else "",
        cells=tuple(known.get(each.key) for each in shown),
        middle=middle,
    )


def _absent(
    board: Board, columns: Sequence[BoardMetric], model: BoardModel | None
) -> dict[str, str]:
    """The metrics of the board that a model has nowhere, and why."""
    averages = model.averages if model else {}
    return {
        each.title: (averages[each.key].reason if each.key in averages else None) or ""
        for each in board.metrics
        if each not in columns
    }


def _middle(board: Board, dataset: str) -> float | None:
    """The median performance of the ranked models on a data set of the board."""
    first = board.metrics[0].key if board.metrics else ""
    found = [
        model.scores[dataset][first].value for model in board.models if dataset in model.scores
    ]
    return median(known) if (known := [each for each in found if each is not None]) else None


def _tagged(facts: ModelFacts, column: BoardColumn) -> dict[str, dict[str, Measured]]:
    found = {}
    for dataset in facts.sets:
        newest = {each.metric: each for each in facts.scores.get(dataset.name, ())}
        score = newest.get(column.key)
        rows = told_by_tag(score.parts) if score else []
        if rows:
            found[dataset.name] = {
                row["tag"]: _scaled(row, column.scale, row.get("reason", "")) for row in rows
            }
    return found


def _scaled(known: Mapping[str, Any], scale: float, reason: str, *, warning: str = "") -> Measured:
    value, low, high = (known.get(name) for name in ("value", "low", "high"))
    return Measured(
        value=None if value is None else value * scale,
        interval=None if low is None or high is None else (low * scale, high * scale),
        n=known["n"] or None,
        reason=reason,
        warning=warning or None,
    )
