"""A file that does not fit its track may fit another: the wrong data set, or the other language."""

from pathlib import Path

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenges import Challenge, Phase, Track
from palaver.evaluation.datasets import find_dataset, read_uids
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import find_task
from palaver.formats.datasets.records import read_records


def belongs_elsewhere(
    home: EvaluationHome,
    challenge: Challenge,
    track: Track,
    phase: Phase,
    content: Path | bytes,
    *,
    name: str,
    now: float,
) -> str:
    """Which other track or phase the items of a file are of, in a sentence; empty if of none.

    Only data that teams have met is named.
    """
    try:
        given = {_uid(record) for _, record in read_records(content, name)} - {""}
    except InputError:
        return ""
    if not given or given <= _uids(home, track.task, track.datasets[phase.name]):
        return ""
    met = [each for each in challenge.phases if each.state(now) != "before"]
    for other in sorted(challenge.tracks, key=lambda each: each.name != track.name):
        for time in met:
            dataset = other.datasets.get(time.name)
            if dataset is not None and given <= _uids(home, other.task, dataset):
                return (
                    f"Its items are those of the track '{other.title}' in the phase "
                    f"'{time.title}'. Was it meant for that one?"
                )
    return ""


def _uids(home: EvaluationHome, task: str, dataset: str) -> set[str]:
    try:
        version = home.store.read_now(lambda c: find_dataset(c, find_task(c, task).id, dataset))
    except UnknownNameError:
        return set()  # data that are yet to come
    return read_uids(home, version)


def _uid(record: dict[str, object]) -> str:
    return next((str(record[key]) for key in ("id", "uid") if record.get(key) is not None), "")
