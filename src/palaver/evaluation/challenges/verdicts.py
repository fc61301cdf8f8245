"""Verdicts that are kept: which runs of a track can be told apart takes longer than a page waits.

A verdict is computed beside the server (`web/challenges/verdicts`) and kept under the mark of what it
was computed of, so that a page shows the sentence of the standings, or says that it is not there yet.
"""

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_standings import TrackVerdict
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.evaluation.home import EvaluationHome


def verdict_path(row: StoredChallenge, mark: str) -> str:
    """Where the verdict of a mark is kept."""
    return f"challenges/{row.name}/verdicts/{mark}.json"


def read_verdict(home: EvaluationHome, row: StoredChallenge, mark: str) -> TrackVerdict | None:
    """The verdict of a mark; None while there is none."""
    name = ("verdict", row.id, mark)
    known: TrackVerdict | None = home.store.cache.get(name)
    if known is not None:
        return known
    path = verdict_path(row, mark)
    if not home.objects.exists(path):
        return None
    try:
        found = msgspec.json.decode(home.objects.read(path), type=TrackVerdict)
    except (msgspec.MsgspecError, InputError):
        return None  # written by another version of this program, or removed this moment
    return home.store.cache.keep(name, found)  # type: ignore[no-any-return]


def keep_verdict(
    home: EvaluationHome, row: StoredChallenge, mark: str, verdict: TrackVerdict
) -> TrackVerdict:
    """Keep a verdict under the mark of what it was computed of."""
    home.objects.put(verdict_path(row, mark), msgspec.json.encode(verdict))
    return verdict
