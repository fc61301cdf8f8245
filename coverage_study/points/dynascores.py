"""Boards of models: intervals of Dynascores at the rates of the board, and ranks of Dynascores."""

from functools import partial

import numpy as np

from coverage_study.design import CONFIDENCE, RESAMPLES, Outcome, Point, outcome, seed_of
from palaver.analysis.dynascore import dynascore, weigh
from palaver.core.estimates import Interval
from palaver.core.evaluation.boards import Board, BoardColumn, Entrant, ScoringSet
from palaver.evaluation.dynaboards.averages import average
from palaver.evaluation.dynaboards.cells import Cells
from palaver.evaluation.dynaboards.columns import Weights
from palaver.evaluation.dynaboards.draws import ItemSamples, spread_of
from palaver.evaluation.dynaboards.ranking import rank_board

METRICS = ("Accuracy", "Fairness", "Robustness")
WEIGHTS = (4.0, 1.0, 1.0)
DRAWS = RESAMPLES // 2
# How far items differ: the chance to get one right moves by up to this share of what it can.
HARDNESS = 0.8

# Accuracy, fairness and robustness in percent, of the seven models for NLI (Ma et al. 2021).
PUBLISHED = np.array(
    [
        [69.54, 91.97, 75.70],
        [69.07, 90.94, 74.82],
        [67.29, 89.94, 74.12],
        [67.16, 91.89, 73.47],
        [64.82, 92.11, 66.38],
        [32.41, 100.0, 100.0],
        [31.29, 83.23, 69.14],
    ]
)


def _spaced(models: int) -> np.ndarray:
    """Models in even steps of accuracy, with fairness and robustness that zigzag around a trend."""
    at = np.linspace(0.0, 1.0, models)
    zigzag = np.where(np.arange(models) % 2, 1.0, -1.0)
    return np.column_stack([60 + 20 * at, 88 + 4 * at + zigzag, 65 + 15 * at - 2 * zigzag])


def _answered(dice: np.random.Generator, truth: np.ndarray, items: int) -> np.ndarray:
    """Whether each item was right, by metric, item and model; hard items are hard for all models."""
    mean = truth.T[:, None, :] / 100
    hard = dice.uniform(-HARDNESS, HARDNESS, items)[None, :, None]
    chances = mean + hard * np.minimum(mean, 1 - mean)
    return 100.0 * (dice.random(chances.shape) < chances)


def _board(dice: np.random.Generator, truth: np.ndarray, items: int) -> Board:
    models, width = truth.shape
    right = _answered(dice, truth, items)
    samples = ItemSamples(items, DRAWS, seed=seed_of(dice), digest="0")
    drawn = {(0, c): np.zeros((DRAWS, models), dtype=np.float32) for c in range(width)}
    for piece in samples.pieces():
        for c in range(width):
            drawn[0, c] += (piece.counts @ right[c, piece.start : piece.stop] / items).astype("f4")
    spreads = [
        spread_of(drawn[0, c], confidence=CONFIDENCE, independent=items) for c in range(width)
    ]
    cells = Cells(
        entrants=tuple(_entrant(place) for place in range(models)),
        sets=(_set(items),),
        columns=tuple(_column(title) for title in METRICS),
        gone=(),
        values=right.mean(axis=1)[None],
        lows=np.stack([each.low for each in spreads])[None],
        highs=np.stack([each.high for each in spreads])[None],
        variances=np.stack([each.variance for each in spreads])[None],
        ns=np.full((1, width, models), items),
        drawn=drawn,
        absent={},
        reasons={},
        notes=(),
        draws=DRAWS,
        seed=1,
        confidence=CONFIDENCE,
    )
    weights = Weights(metrics=WEIGHTS, datasets=(1.0,))
    return rank_board(cells, average(cells, weights), weights, task="nli", title="NLI")


def _score(
    dice: np.random.Generator, *, truth: np.ndarray, items: int, model: int
) -> Outcome | None:
    """Whether a model's interval holds what it would score on items without end, at these rates."""
    board = _board(dice, truth, items)
    rates = np.array([each.amrs for each in board.metrics])
    shares = np.array([each.share for each in board.metrics])
    ones, zeros = [1] * truth.shape[1], [0.0] * truth.shape[1]
    scores = weigh(truth, rates, shares, directions=ones, offsets=zeros)
    standing = next(each for each in board.models if each.id == model)
    ends = standing.dynascore.interval
    interval = Interval(*ends) if ends else None  # type: ignore[arg-type]
    return outcome(interval, float(scores[model]), warned=bool(board.warnings))


def _ranks(dice: np.random.Generator, *, truth: np.ndarray, items: int) -> Outcome | None:
    """Whether the ranks of all models hold those that they have by the true values and rates."""
    board = _board(dice, truth, items)
    scores = dynascore(truth, weights=WEIGHTS).scores
    ends = {each.id: each.rank_interval for each in board.models}
    if any(each is None for each in ends.values()):
        return None
    held, width = True, 0
    for place, interval in ends.items():
        rank = 1 + int((scores > scores[place]).sum())
        low, high = interval or (rank, rank)
        held = held and low <= rank <= high
        width += high - low
    return Outcome(held, width / len(scores), bool(board.warnings))


def _entrant(place: int) -> Entrant:
    return Entrant(
        id=place,
        key=f"m{place}",
        name=f"model {place}",
        submitter_id=None,
        team=None,
        published=True,
        anonymous=False,
        tags=(),
        link="",
        version_id=place,
    )


def _set(items: int) -> ScoringSet:
    return ScoringSet(id=1, name="test", version=1, items=items)


def _column(title: str) -> BoardColumn:
    return BoardColumn(key=title.lower(), title=title, unit="%")


BOARDS = (
    ("the seven published for NLI", PUBLISHED),
    ("5 models, evenly spaced", _spaced(5)),
    ("20 models, evenly spaced", _spaced(20)),
)

POINTS = [
    *(
        Point(
            procedure="Dynascore at the rates of the board",
            setting=f"{wording}, {items:,} items",
            promise="exact",
            simulate=partial(_score, truth=truth, items=items, model=0),
        )
        for wording, truth in BOARDS
        for items in (200, 1000)
    ),
    *(
        Point(
            procedure="rank intervals of Dynascores",
            setting=f"{wording}, {items:,} items",
            promise="conservative",
            simulate=partial(_ranks, truth=truth, items=items),
        )
        for wording, truth in BOARDS
        for items in (200, 1000)
    ),
]
