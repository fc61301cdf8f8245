"""What the entries of a track scored: values per item, and their means on a part of the items.

Both come out of the ordinary scores of the entries' runs. Means on all items are those that were
stored with the scores; on a half they are computed of what each item added, once per run, and kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from sqlalchemy import Connection

from palaver.analysis.item_means import OPEN, column_means
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenge_standings import BoardMeasure, EntryScore
from palaver.core.evaluation.challenges import Challenge, Part, Phase, StoredChallenge, Track
from palaver.core.evaluation.datasets import Dataset
from palaver.core.numeric import Numbers, np
from palaver.core.tasks import Task
from palaver.evaluation.challenges.halves import items_in
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.dynaboards.columns import measure_title
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.scoring.scores import find_choice
from palaver.evaluation.tasks import find_task, stored_task
from palaver.metrics.sums import unpack_rows
from palaver.storage.evaluation.datasets import find_dataset, list_versions
from palaver.storage.evaluation.standings import (
    EntryRun,
    StoredScore,
    runs_of_entries_on,
    stored_scores,
)

NOT_ON_A_HALF = "it is not a mean over items, so it has no value on a part of them"
# Runs whose rows are in memory at once while means on a half are computed.
AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class TrackGround:
    """What a track is measured on in a phase."""

    task: Task
    dataset: Dataset
    measures: tuple[BoardMeasure, ...]


@dataclass(slots=True)
class Summaries:
    """The scores of runs on one part, by run; each with the id of the newest score it was made of."""

    by_run: dict[int, tuple[int, Mapping[str, EntryScore]]] = field(default_factory=dict)


def read_ground(
    connection: Connection, row: StoredChallenge, track: Track, phase: Phase
) -> TrackGround:
    """The task, the data and the measures of a track in a phase; InputError if it has no data.

    The data of a challenge that was closed are as they were then.
    """
    if phase.name not in track.datasets:
        raise InputError(f"The track '{track.title}' has no data in the phase '{phase.title}'.")
    task_row = find_task(connection, track.task)
    task = stored_task(task_row)
    dataset = find_dataset(connection, task_row.id, track.datasets[phase.name])
    if row.frozen is not None:
        dataset = _as_of(connection, dataset, row.frozen)
    return TrackGround(task, dataset, board_measures(task))


def entry_runs(
    connection: Connection, dataset: Dataset, entries: Sequence[Entry]
) -> dict[str, EntryRun]:
    """The run of each entry on the newest version of the data that it has one on, by its key."""
    versions = [each.model_version_id for each in entries]
    found = {
        run.model_version_id: run
        for run in runs_of_entries_on(connection, versions, dataset.id)
        if run.number <= dataset.version
    }
    return {
        each.key: found[each.model_version_id] for each in entries if each.model_version_id in found
    }


def summarise(
    connection: Connection,
    home: EvaluationHome | None,
    row: StoredChallenge,
    ground: TrackGround,
    phase: Phase,
    runs: Sequence[EntryRun],
    *,
    part: Part,
) -> Mapping[int, Mapping[str, EntryScore]]:
    """The scores of runs on a part, by run: only those that are new are read.

    Without a home nothing is kept, and there is nothing on a half.
    """
    if home is None:
        is_all = part == "all" or not phase.public_share
        return _stored(connection, ground, runs) if is_all else {}
    name = ("summaries of entries", row.id, ground.dataset.digest, phase.public_share, part)
    known: Summaries = home.store.cache.get(name) or home.store.cache.keep(name, Summaries())
    new = [run for run in runs if known.by_run.get(run.run_id, (-1, {}))[0] != run.newest]
    for start in range(0, len(new), AT_ONCE):
        some = new[start : start + AT_ONCE]
        if part == "all" or not phase.public_share:
            found = _stored(connection, ground, some)
        else:
            found = _on_a_half(connection, home, row, ground, phase, some, part=part)
        known.by_run |= {run.run_id: (run.newest, found.get(run.run_id, {})) for run in some}
    return {run.run_id: known.by_run[run.run_id][1] for run in runs}


def item_values(
    connection: Connection, ground: TrackGround, runs: Sequence[EntryRun]
) -> dict[int, dict[str, Numbers]]:
    """By run and measure the value of each item, NaN where it has none; means over items alone."""
    names = [measure.name for measure in ground.measures]
    ids = [run.run_id for run in runs]
    found: dict[int, dict[str, Numbers]] = {run_id: {} for run_id in ids}
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        for score in stored_scores(connection, some, names, rows=True):
            if (values := _values(score)) is not None:
                found[score.run_id][score.metric] = values
    return found


def measured_run(ground: TrackGround, run: EntryRun | None) -> EntryRun | None:
    """The run of an entry if it is done and on the data as they are."""
    if run is None or run.dataset_version_id != ground.dataset.version_id:
        return None
    return run if run.state == "done" else None


def unmeasured(ground: TrackGround, run: EntryRun | None) -> str:
    """Why an entry with this run has no scores on the data as they are."""
    if run is not None and run.dataset_version_id == ground.dataset.version_id:
        return run.reason or "It is being scored."
    return (
        f"The data were replaced on {in_both_zones(ground.dataset.version_created)} by others that "
        "this file does not answer. Hand in a file for them."
    )


def part_mask(
    home: EvaluationHome, row: StoredChallenge, ground: TrackGround, phase: Phase, *, part: Part
) -> Numbers:
    """Of each item of the data whether it belongs to a part."""
    name = ("items of a part", row.id, row.salt, ground.dataset.digest, phase.public_share, part)
    known: Numbers | None = home.store.cache.get(name)
    if known is None:
        uids = [each.uid for each in read_examples(home, ground.task, ground.dataset)]
        known = home.store.cache.keep(
            name, items_in(row.salt, uids, share=phase.public_share, part=part)
        )
    return known


def _as_of(connection: Connection, dataset: Dataset, time: float) -> Dataset:
    """A data set in the version that it had at a time."""
    known = [each for each in list_versions(connection, dataset.id) if each.created <= time]
    if not known or known[-1].version_id == dataset.version_id:
        return dataset
    then = known[-1]
    return replace(
        dataset,
        version=then.version,
        version_id=then.version_id,
        version_created=then.created,
        **{name: getattr(then, name) for name in ("digest", "items", "size", "path")},
    )


def measure_titles(connection: Connection, challenge: Challenge) -> dict[str, str]:
    """The titles of the measures of all tracks; those where less is more say so."""
    tasks = dict.fromkeys(track.task for track in challenge.tracks)
    return {
        measure.name: measure.title + (" (lower is better)" if measure.direction == "lower" else "")
        for name in tasks
        for measure in board_measures(stored_task(find_task(connection, name)))
    }


def board_measures(task: Task) -> tuple[BoardMeasure, ...]:
    """The measures of a task as boards name them, the first one first."""
    found = []
    for choice in task.metrics:
        metric = find_choice(task, choice)
        ends = (metric.low, metric.high)
        found.append(
            BoardMeasure(
                name=choice.key,
                title=measure_title(metric, choice, task),
                direction="lower" if metric.direction == "lower" else "higher",
                within=ends if all(map(isfinite, ends)) else None,
            )
        )
    return tuple(found)


def _stored(
    connection: Connection, ground: TrackGround, runs: Sequence[EntryRun]
) -> dict[int, dict[str, EntryScore]]:
    names = [measure.name for measure in ground.measures]
    ids = [run.run_id for run in runs]
    found: dict[int, dict[str, EntryScore]] = {}
    for score in stored_scores(connection, ids, names):
        found.setdefault(score.run_id, {})[score.metric] = EntryScore(
            value=score.value, low=score.low, high=score.high, n=score.n, reason=score.reason
        )
    return found


def _on_a_half(
    connection: Connection,
    home: EvaluationHome,
    row: StoredChallenge,
    ground: TrackGround,
    phase: Phase,
    runs: Sequence[EntryRun],
    *,
    part: Part,
) -> dict[int, dict[str, EntryScore]]:
    mask = part_mask(home, row, ground, phase, part=part)
    columns = [
        (run_id, name, values[mask])
        for run_id, by_measure in item_values(connection, ground, runs).items()
        for name, values in by_measure.items()
    ]
    found: dict[int, dict[str, EntryScore]] = {
        run.run_id: {
            measure.name: EntryScore(value=None, reason=NOT_ON_A_HALF)
            for measure in ground.measures
        }
        for run in runs
    }
    if not columns:
        return found
    within = {measure.name: measure.within or OPEN for measure in ground.measures}
    means = column_means(
        np.column_stack([values for _, _, values in columns]),
        [within[name] for _, name, _ in columns],
    )
    for (run_id, name, _), mean in zip(columns, means, strict=True):
        found[run_id][name] = EntryScore(
            value=mean.value if mean.n else None,
            low=mean.interval.low if mean.interval else None,
            high=mean.interval.high if mean.interval else None,
            n=mean.n or 0,
            reason=mean.reason,
        )
    return found


def _values(score: StoredScore) -> Numbers | None:
    if score.form != "mean" or score.rows is None:
        return None
    rows = unpack_rows(score.rows)
    found: Numbers = np.where(rows[:, 1] > 0, rows[:, 0], np.nan)
    return found
