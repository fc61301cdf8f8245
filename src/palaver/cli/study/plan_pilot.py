"""What `palaver plan` learns from a pilot: the outcome, how much things vary, and how long they take."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from palaver.analysis.planning import Components, pilot_components
from palaver.analysis.planning.assumptions import Outcome
from palaver.analysis.planning.simulated_studies import odds_deviation
from palaver.analysis.ranking.votes import FIRST, TIE, Votes
from palaver.core.errors import InputError
from palaver.formats.frames import Frame, read_frame

# A win rate at which a deviation of log-odds can still be told from one of rates.
EDGE = 0.05


@dataclass(frozen=True, slots=True)
class PilotColumns:
    """The names of a pilot's columns."""

    unit: str
    rater: str
    value: str
    system: str
    seconds: str
    first: str
    second: str
    winner: str


@dataclass(frozen=True, slots=True)
class Pilot:
    """Assumptions by name, as the pilot suggests them; `minutes` is None where it has no times."""

    outcome: Outcome
    deviations: dict[str, float]
    minutes: float | None
    base: float | None
    warnings: tuple[str, ...]


def read_pilot(path: Path, columns: PilotColumns, outcome: Outcome | None) -> Pilot:
    """A table of votes if it has a column of winners, else of ratings or of labels of 0 and 1."""
    frame = read_frame(path)
    if not len(frame):
        raise InputError(f"{frame.name} has no rows; a pilot needs judgements.")
    if columns.winner in frame.columns and outcome in (None, "votes"):
        return _votes(frame, columns)
    if outcome == "votes":
        frame.column(columns.winner)
    values = frame.numbers(columns.value)
    is_binary = all(isnan(value) or value in (0, 1) for value in values)
    if outcome == "proportion" and not is_binary:
        raise InputError(f"{frame.name}: a proportion needs values of 0 and 1 only.")
    unit = _unit(frame, columns) or columns.unit
    found = _components(frame, columns, unit, values, _optional(frame, columns.system))
    if outcome == "proportion" or (outcome is None and is_binary):
        return _proportion(frame, columns, found)
    deviations = {
        "rater_sd": found.rater_sd,
        "taste_sd": found.taste_sd,
        "item_sd": found.item_sd,
        "residual_sd": found.residual_sd,
    }
    return Pilot("rating", deviations, _minutes(frame, columns), None, found.warnings)


def _proportion(frame: Frame, columns: PilotColumns, found: Components) -> Pilot:
    rate = _inside(found.mean)
    deviations = {
        "rater_sd": odds_deviation(found.rater_sd, rate),
        "taste_sd": odds_deviation(found.taste_sd, rate),
        "item_sd": odds_deviation(found.item_sd, rate),
    }
    return Pilot("proportion", deviations, _minutes(frame, columns), rate, found.warnings)


def _votes(frame: Frame, columns: PilotColumns) -> Pilot:
    votes = Votes.of(
        frame.texts(columns.first),
        frame.texts(columns.second),
        frame.texts(columns.winner),
        row=frame.row,
    )
    if len(votes) < len(frame):
        raise InputError(f"{frame.name} compares a system with itself; leave such votes out.")
    low = votes.first < votes.second
    score = [
        0.5 if outcome == TIE else float((outcome == FIRST) == ahead)
        for outcome, ahead in zip(votes.outcome.tolist(), low.tolist(), strict=True)
    ]
    pairs = [
        f"{min(a, b)} {max(a, b)}"
        for a, b in zip(votes.first.tolist(), votes.second.tolist(), strict=True)
    ]
    found = _components(frame, columns, _unit(frame, columns), score, pairs)
    ties = min(votes.ties / len(votes), 0.95)
    rate = _inside(found.mean)
    # Of votes a rater's taste is all there is; within a pair it is what raters differ in.
    between = (found.rater_sd**2 + found.taste_sd**2 / 2) ** 0.5
    deviations = {
        "rater_sd": odds_deviation(between, rate, ties),
        "item_sd": odds_deviation(found.item_sd, rate, ties),
        "ties": ties,
    }
    return Pilot("votes", deviations, _minutes(frame, columns), None, found.warnings)


def _components(
    frame: Frame,
    columns: PilotColumns,
    unit: str,
    values: Sequence[float],
    systems: Sequence[str] | None,
) -> Components:
    rows = [str(n) for n in range(len(frame))]
    units = _texts(frame, unit) if unit else rows
    return pilot_components(units, _texts(frame, columns.rater), values, systems=systems)


def _unit(frame: Frame, columns: PilotColumns) -> str:
    """The column of units, or else of dialogues; empty where there is neither."""
    return next((name for name in (columns.unit, "dialogue") if name in frame.columns), "")


def _texts(frame: Frame, name: str) -> list[str]:
    found = []
    for n, cell in enumerate(frame.texts(name)):
        if cell is None:
            raise InputError(f"{frame.row(n)}: the column '{name}' is empty.")
        found.append(cell)
    return found


def _optional(frame: Frame, name: str) -> list[str] | None:
    return _texts(frame, name) if name in frame.columns else None


def _minutes(frame: Frame, columns: PilotColumns) -> float | None:
    if columns.seconds not in frame.columns:
        return None
    known = [each for each in frame.numbers(columns.seconds) if not isnan(each)]
    return sum(known) / len(known) / 60 if known else None


def _inside(rate: float) -> float:
    return min(max(rate, EDGE), 1 - EDGE)
