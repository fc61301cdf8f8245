"""The board of a track with its verdict, out of the stored scores of the entries that count.

`live_rows` is what a page shows at once; `track_board` compares every run with every other, which takes
seconds to minutes: the final tables are made of it, and so is the verdict beside a page.
"""

from palaver.analysis.item_means import OPEN
from palaver.analysis.tukey import TRIALS
from palaver.analysis.tukey_trials import TrialProgress
from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_standings import BoardMeasure, TrackVerdict
from palaver.core.evaluation.challenges import Part, StoredChallenge
from palaver.core.numeric import Numbers
from palaver.core.words import listed
from palaver.evaluation.challenges.board_rows import (
    TrackField,
    Viewer,
    find_phase,
    live_rows,
    read_field,
    run_name,
    track_rows,
)
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_values import item_values, part_mask
from palaver.evaluation.challenges.halves import part_of
from palaver.evaluation.challenges.stored import find_track
from palaver.evaluation.challenges.verdicts import keep_verdict, read_verdict
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.standings.boards import TaskBoard
from palaver.evaluation.standings.make import StandingMeasure, StandingRun, stand

__all__ = ["Viewer", "live_rows", "make_verdict", "part_of", "track_board"]

SEED = 1


def track_board(
    home: EvaluationHome,
    row: StoredChallenge,
    track: str,
    phase: str,
    *,
    part: Part = "all",
    baselines: bool = True,
    trials: int = TRIALS,
    seed: int = SEED,
    progress: TrialProgress | None = None,
) -> TaskBoard:
    """The entries of a track that count, compared on a part of the data by every measure.

    A measure that is not a mean over items has no value per item and is left out; InputError where
    that leaves none, or where no entry is scored.
    """
    challenge = stored_definition(row)
    chosen, at = find_track(challenge, track), find_phase(challenge, phase)
    field = home.store.read_now(lambda c: read_field(c, row, chosen, at))
    mask = part_mask(home, row, field.ground, at, part=part)
    examples = read_examples(home, field.ground.task, field.ground.dataset)
    ids = [each.uid for each, there in zip(examples, mask, strict=True) if there]
    runs = [run for entry in field.entries if (run := field.measured(entry)) is not None]
    values = home.store.read_now(lambda c: item_values(c, field.ground, runs))
    measures = [m for m in field.ground.measures if all(m.name in v for v in values.values())]
    if not values or not measures:
        raise InputError(_nothing(field, chosen.title))
    return stand(
        _runs(field, values, measures, mask),
        ids,
        key=chosen.name,
        title=chosen.title,
        measures=[
            StandingMeasure(m.name, m.title, m.direction, m.within or OPEN) for m in measures
        ],
        trials=trials,
        seed=seed,
        baselines=baselines,
        progress=progress,
    )


def make_verdict(
    home: EvaluationHome,
    row: StoredChallenge,
    track: str,
    phase: str,
    *,
    part: Part = "all",
    trials: int = TRIALS,
    seed: int = SEED,
    now: float,
    progress: TrialProgress | None = None,
) -> TrackVerdict:
    """The verdict on a track as it stands, computed unless it is kept, and kept.

    The mark is taken before the scores are read: what comes meanwhile makes another one.
    """
    challenge = stored_definition(row)
    rows = track_rows(
        home, row, find_track(challenge, track), find_phase(challenge, phase), part=part
    )
    known = read_verdict(home, row, rows.mark)
    if known is not None:
        return known
    board = track_board(
        home, row, track, phase, part=part, trials=trials, seed=seed, progress=progress
    )
    verdict = TrackVerdict(
        sentences={measure.measure: measure.answer for measure in board.measures},
        warnings=board.warnings,
        trials=trials,
        seed=seed,
        made=now,
    )
    return keep_verdict(home, row, rows.mark, verdict)


def _runs(
    field: TrackField,
    values: dict[int, dict[str, Numbers]],
    measures: list[BoardMeasure],
    mask: Numbers,
) -> list[StandingRun]:
    return [
        StandingRun(
            name=run_name(entry),
            team=entry.team,
            values={measure.name: values[run.run_id][measure.name][mask] for measure in measures},
            is_baseline=field.is_baseline.get(entry.submitter_id, False),
            is_late=entry.is_late,
        )
        for entry in field.entries
        if (run := field.measured(entry)) is not None
    ]


def _nothing(field: TrackField, title: str) -> str:
    if not any(field.measured(entry) for entry in field.entries):
        return f"No entry of '{title}' that counts has been scored."
    names = [measure.title for measure in field.ground.measures]
    return f"No measure of '{title}' is a mean over items ({listed(names)}): nothing to compare."
