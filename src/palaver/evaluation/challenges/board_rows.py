"""How a track stands, for one reader: who may see what is decided here, by the dates of the phase.

The board of all entries is kept while nothing that it is made of changes. Something that came since
costs what is new of it: the scores of other entries are not read again.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
from sqlalchemy import Connection

from palaver.core.deadlines import in_both_zones
from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.evaluation.challenge_standings import (
    BoardMeasure,
    EntryScore,
    StandingRow,
    TrackStandings,
)
from palaver.core.evaluation.challenges import (
    Audience,
    Challenge,
    Part,
    Phase,
    StoredChallenge,
    Track,
)
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.submissions import Team
from palaver.core.garbage import uncollected
from palaver.core.numeric import Numbers, np
from palaver.core.registry import near
from palaver.evaluation.challenges.counting import counting_entries
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_list import withheld
from palaver.evaluation.challenges.entry_place import phase_data
from palaver.evaluation.challenges.entry_values import (
    TrackGround,
    entry_runs,
    measured_run,
    part_mask,
    read_ground,
    summarise,
    unmeasured,
)
from palaver.evaluation.challenges.stored import find_track
from palaver.evaluation.challenges.teams import list_teams
from palaver.evaluation.challenges.verdicts import read_verdict
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.standings import EntryRun, standings_mark

# What stands in place of scores where people judge.
JUDGED = "People judge the answers of this track; it has no automatic score."

# Who looks: a team, an organiser ("organisers"), or anybody ("everybody").
Viewer = Team | Audience


@dataclass(frozen=True, slots=True)
class TrackField:
    """The entries of a track that count, each with its run; `is_baseline` by the team's number."""

    ground: TrackGround
    entries: Sequence[Entry]
    runs: Mapping[str, EntryRun]
    is_baseline: Mapping[int, bool]

    def measured(self, entry: Entry) -> EntryRun | None:
        """The run of an entry on the data as they are, if it is done."""
        return measured_run(self.ground, self.runs.get(entry.key))


def live_rows(
    home: EvaluationHome,
    row: StoredChallenge,
    track: str,
    phase: str,
    *,
    now: float,
    viewer: Viewer = "everybody",
    part: Part | None = None,
) -> TrackStandings:
    """How a track stands in a phase, as far as `viewer` may see it now.

    A team that may see its own scores alone gets its own rows, without ranks. Organisers see
    everything, and may ask for another part of the data.
    """
    challenge = stored_definition(row)
    at = find_phase(challenge, phase)
    if phase in find_track(challenge, track).judged:
        return TrackStandings(
            track=track, phase=phase, part="all", items=0, measures=(), rows=(), notes=(JUDGED,)
        )
    audience: Audience = "own" if isinstance(viewer, Team) else viewer
    chosen = part if part is not None and audience == "organisers" else at.part(now)
    board = track_rows(home, row, find_track(challenge, track), at, part=chosen)
    shown = at.audience(now)
    if audience == "organisers" or shown == "everybody":
        mine = viewer.id if isinstance(viewer, Team) else None
        verdict = read_verdict(home, row, board.mark)
        rows = tuple(
            replace(each, is_own=True) if each.submitter_id == mine else each for each in board.rows
        )
        return replace(board, rows=rows, verdict=verdict)
    told = withheld(at, "everybody" if shown == "own" and audience == "own" else audience, now)
    if shown == "own" and isinstance(viewer, Team):
        own = [each for each in board.rows if each.submitter_id == viewer.id]
        return replace(board, rows=tuple(map(_unranked, own)), withheld=told)
    return replace(board, rows=(), notes=(), withheld=told)


def find_phase(challenge: Challenge, name: str) -> Phase:
    """The phase called `name`; UnknownNameError names what is near."""
    for phase in challenge.phases:
        if phase.name == name:
            return phase
    names = [phase.name for phase in challenge.phases]
    raise UnknownNameError(
        f"The challenge '{challenge.name}' has no phase '{name[:80]}'.{near(name, names)}"
    )


def track_rows(
    home: EvaluationHome, row: StoredChallenge, track: Track, phase: Phase, *, part: Part
) -> TrackStandings:
    """The whole board of a track on a part of its data, kept while it holds."""
    seen = home.store.read_now(lambda c: standings_mark(c, row.id))
    mark = (*seen, row.digest, row.salt, str(row.frozen))
    name = ("standings of a track", row.id, track.name, phase.name, part)
    known: tuple[object, TrackStandings] | None = home.store.cache.get(name)
    if known is None or known[0] != mark:
        with uncollected():
            made = home.store.read_now(lambda c: _made(c, home, row, track, phase, part=part))
        known = (mark, made)
        home.store.cache.keep(name, known)
    return known[1]


def read_field(
    connection: Connection, row: StoredChallenge, track: Track, phase: Phase
) -> TrackField:
    """The entries that count, and their runs."""
    ground = read_ground(connection, row, track, phase)
    entries = counting_entries(connection, row, track.name, phase.name)
    baselines = {team.id: team.is_baseline for team in list_teams(connection, row)}
    return TrackField(ground, entries, entry_runs(connection, ground.dataset, entries), baselines)


def run_name(entry: Entry) -> str:
    """How a run is called in standings and in the folders of runs."""
    return f"{entry.team}-run{entry.run}"


def replaced_note(dataset: Dataset, entries: Sequence[Entry]) -> str:
    """What readers are told where gold was replaced after something was handed in; else nothing."""
    when = dataset.version_created
    if dataset.version < 2 or not any(entry.created < when for entry in entries):
        return ""
    return f"Gold data replaced on {in_both_zones(when)}, scores recomputed."


def _made(
    connection: Connection,
    home: EvaluationHome,
    row: StoredChallenge,
    track: Track,
    phase: Phase,
    *,
    part: Part,
) -> TrackStandings:
    if phase.name in track.datasets and phase_data(connection, track, phase)[1] is None:
        return TrackStandings(
            track=track.name, phase=phase.name, part=part, items=0, measures=(), rows=()
        )
    field = read_field(connection, row, track, phase)
    measured = [run for each in field.entries if (run := field.measured(each)) is not None]
    scores = summarise(connection, home, row, field.ground, phase, measured, part=part)
    ranked = _ranked(field.ground.measures, scores)
    rows = [_row(field, entry, ranked) for entry in field.entries]
    rows.sort(key=lambda each: (each.rank is None, each.rank or 0.0, each.name))
    items = field.ground.dataset.items
    if part != "all" and phase.public_share:
        items = int(part_mask(home, row, field.ground, phase, part=part).sum())
    note = replaced_note(field.ground.dataset, [e for e in field.entries if field.measured(e)])
    return TrackStandings(
        track=track.name,
        phase=phase.name,
        part=part,
        items=items,
        measures=field.ground.measures,
        rows=tuple(rows),
        notes=(note,) if note else (),
        mark=_mark(row, track, phase, part, field),
    )


def _row(
    field: TrackField, entry: Entry, scores: Mapping[int, Mapping[str, EntryScore]]
) -> StandingRow:
    run = field.measured(entry)
    own = scores.get(run.run_id, {}) if run else {}
    first = own.get(field.ground.measures[0].name)
    return StandingRow(
        entry=entry.key,
        name=run_name(entry),
        team=entry.team,
        run=entry.run,
        created=entry.created,
        is_baseline=field.is_baseline.get(entry.submitter_id, False),
        is_late=entry.is_late,
        rank=first.rank if first else None,
        scores=own,
        reason="" if run else unmeasured(field.ground, field.runs.get(entry.key)),
        submitter_id=entry.submitter_id,
    )


def _ranked(
    measures: Sequence[BoardMeasure], scores: Mapping[int, Mapping[str, EntryScore]]
) -> dict[int, dict[str, EntryScore]]:
    """The scores of runs with their ranks: 1 is the best, and equal values share a mean rank."""
    names = [measure.name for measure in measures]
    values = np.array(
        [
            [math.nan if (own := mine.get(name)) is None else _number(own.value) for name in names]
            for mine in scores.values()
        ],
        dtype=float,
    ).reshape(-1, len(names))
    ranks = np.column_stack(
        [
            _ranks(values[:, n], lowest=measure.direction == "lower")
            for n, measure in enumerate(measures)
        ]
    ).tolist()
    return {
        run_id: {
            name: EntryScore(
                value=score.value,
                low=score.low,
                high=score.high,
                n=score.n,
                rank=None if score.value is None else rank,
                reason=score.reason,
            )
            for name, rank in zip(names, theirs, strict=True)
            if (score := own.get(name)) is not None
        }
        for (run_id, own), theirs in zip(scores.items(), ranks, strict=True)
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _ranks(values: Numbers, *, lowest: bool) -> Numbers:
    known = np.sort(values[~np.isnan(values)])
    below, upto = (np.searchsorted(known, values, side) for side in ("left", "right"))
    better = below if lowest else len(known) - upto
    found: Numbers = better + (upto - below + 1) / 2
    return found


def _unranked(row: StandingRow) -> StandingRow:
    scores = {name: replace(score, rank=None) for name, score in row.scores.items()}
    return replace(row, rank=None, scores=scores, is_own=True)


def _mark(row: StoredChallenge, track: Track, phase: Phase, part: Part, field: TrackField) -> str:
    """A digest of all that a verdict depends on."""
    runs = [
        (
            run_name(each),
            run.run_id,
            run.newest,
            each.is_late,
            field.is_baseline.get(each.submitter_id, False),
        )
        for each in field.entries
        if (run := field.measured(each)) is not None
    ]
    about = (row.name, row.salt, track.name, phase.name, phase.public_share, part)
    content = msgspec.json.encode((about, field.ground.dataset.digest, runs))
    return hashlib.sha256(content).hexdigest()[:32]
