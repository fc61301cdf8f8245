"""The final boards of a challenge: every track in every final phase, from what the server holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from palaver.analysis.tukey_trials import TrialProgress
from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.core.evaluation.challenge_results import TrackResult
from palaver.core.evaluation.challenge_standings import BoardMeasure
from palaver.core.evaluation.challenges import Challenge, Part, Phase, StoredChallenge, Track
from palaver.core.words import counted
from palaver.evaluation.challenges.board_rows import JUDGED, TrackField, read_field, run_name
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_place import phase_data
from palaver.evaluation.challenges.entry_values import unmeasured
from palaver.evaluation.challenges.standings import track_board
from palaver.evaluation.challenges.teams import list_teams
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.standings.boards import TaskBoard
from palaver.evaluation.standings.comparison import part_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalBoard:
    """The board of a track in a final phase, and what is told of it."""

    board: TaskBoard
    result: TrackResult


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalBoards:
    """All that the results of a challenge are written from."""

    challenge: Challenge
    closed: float
    boards: Sequence[FinalBoard]
    teams: Sequence[ChallengeTeam]
    trials: int
    seed: int


def final_boards(
    home: EvaluationHome,
    row: StoredChallenge,
    *,
    now: float,
    trials: int,
    seed: int,
    progress: TrialProgress | None = None,
) -> FinalBoards:
    """Compare the runs of every track in every final phase; InputError while some are being scored."""
    challenge = stored_definition(row)
    wanted = home.store.read_now(lambda c: _with_data(c, challenge))
    fields = home.store.read_now(lambda c: [read_field(c, row, *pair) for pair in wanted])
    _check_scored(fields)
    boards = []
    for number, ((track, phase), field) in enumerate(zip(wanted, fields, strict=True)):
        several = sum(other == track for other, _ in wanted) > 1
        boards.append(
            _board(
                home,
                row,
                track,
                phase,
                field,
                key=f"{track.name}-{phase.name}" if several else track.name,
                trials=trials,
                seed=seed,
                progress=part_of(progress, number, len(wanted)),
            )
        )
    teams = home.store.read_now(lambda c: _teams(c, row))
    return FinalBoards(
        challenge=challenge, closed=now, boards=boards, teams=teams, trials=trials, seed=seed
    )


def final_phases(challenge: Challenge) -> list[tuple[Track, Phase]]:
    """Each track in each final phase that it has data in; InputError if there is none."""
    found = [
        (track, phase)
        for track in challenge.tracks
        for phase in challenge.phases
        if phase.is_final and phase.name in track.datasets
    ]
    if not found:
        raise InputError(
            f"No phase of '{challenge.name}' is final, so there is nothing to make results of. Say "
            "'final: true' in the phase whose runs count."
        )
    return found


def _with_data(connection: Connection, challenge: Challenge) -> list[tuple[Track, Phase]]:
    """The final phases without those whose data never came."""
    wanted = final_phases(challenge)
    return [pair for pair in wanted if phase_data(connection, *pair)[1] is not None]


def final_part(phase: Phase) -> Part:
    """The items that the final scores of a phase are about."""
    return phase.final_part if phase.public_share else "all"


def _board(
    home: EvaluationHome,
    row: StoredChallenge,
    track: Track,
    phase: Phase,
    field: TrackField,
    *,
    key: str,
    trials: int,
    seed: int,
    progress: TrialProgress | None,
) -> FinalBoard:
    part = final_part(phase)
    several = key != track.name
    title = f"{track.title}, {phase.title}" if several else track.title
    is_judged = phase.name in track.judged
    if not is_judged and any(field.measured(entry) for entry in field.entries):
        board = track_board(
            home,
            row,
            track.name,
            phase.name,
            part=part,
            trials=trials,
            seed=seed,
            progress=progress,
        )
    else:
        board = TaskBoard(key=key, title=title, ids=(), runs=(), measures=(), taus=(), warnings=())
    board = replace(board, key=key, title=title)
    return FinalBoard(
        board=board,
        result=TrackResult(
            key=key,
            track=track.name,
            title=title,
            phase=phase.name,
            part=part,
            items=len(board.ids),
            runs=board.runs,
            measures=tuple(
                BoardMeasure(name=each.measure, title=each.title, direction=each.direction)
                for each in board.measures
            ),
            answers=board.answers,
            left_out={
                run_name(entry): JUDGED
                if is_judged
                else unmeasured(field.ground, field.runs.get(entry.key))
                for entry in field.entries
                if is_judged or not field.measured(entry)
            },
        ),
    )


def _check_scored(fields: Sequence[TrackField]) -> None:
    waiting = sum(
        entry.state in ("running", "scheduled") for field in fields for entry in field.entries
    )
    if waiting:
        raise InputError(
            f"{counted(waiting, 'entry is', 'entries are')} still being scored. Close the challenge "
            "when they are done: what has no scores would be missing from the results."
        )


def _teams(connection: Connection, row: StoredChallenge) -> list[ChallengeTeam]:
    return [team for team in list_teams(connection, row) if team.state in ("approved", "left")]
