"""The board of a track in a phase: which one is asked for, and what its page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.challenge_standings import (
    BoardMeasure,
    StandingRow,
    TrackStandings,
)
from palaver.core.evaluation.challenges import Part, Phase, StoredChallenge, Track
from palaver.core.registry import near
from palaver.evaluation.challenges.standings import Viewer, live_rows
from palaver.evaluation.challenges.stored import find_track
from palaver.web.challenges.access import ChallengeVisit, challenge_shell, has_results
from palaver.web.challenges.board.judged import JudgedBoard, judged_board
from palaver.web.challenges.verdicts import Awaited
from palaver.web.desk.parts import Pager, plain
from palaver.web.formatting import with_query
from palaver.web.schedules import Standing, standing_of
from palaver.web.shell import ChoiceLink
from palaver.web.tasks.access import TaskShell

# Rows of a page, and of the picture.
PAGE = 200
PICTURED = 30
PARTS: Mapping[Part, str] = {
    "all": "All items",
    "public": "Public part",
    "private": "Private part",
}


@dataclass(frozen=True, slots=True)
class AskedBoard:
    """Which board an address asks for; `part` is what an organiser may choose."""

    track: Track
    phase: Phase
    part: Part | None
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeBoardPage:
    """How a track stands; `rows` are a part of them, `figure` the first ones with intervals."""

    template: ClassVar[str] = "challenges/board/board.html"
    shell: TaskShell
    url: str
    row: StoredChallenge
    track: Track
    phase: Phase
    standing: Standing
    board: TrackStandings
    rows: tuple[StandingRow, ...]
    tracks: tuple[ChoiceLink, ...]
    phases: tuple[ChoiceLink, ...]
    parts: tuple[ChoiceLink, ...]
    figure: Mapping[str, Any] | None
    json_url: str
    pager: Pager
    # Whether only organisers see what is shown.
    is_early: bool
    has_team: bool
    has_results: bool
    is_before: bool
    awaited: Awaited
    # Where people judge: then there are no scores.
    judged: JudgedBoard | None

    @property
    def first(self) -> BoardMeasure:
        """The measure that rows are ranked by."""
        return self.board.measures[0]

    @property
    def sentence(self) -> str:
        """Which runs can be told apart by that measure; empty until that is computed."""
        verdict = self.board.verdict
        return verdict.sentences.get(self.first.name, "") if verdict and self.board.rows else ""


def asked_board(found: ChallengeVisit) -> AskedBoard:
    """The track and the phase of an address; without them the first track, and the phase that is
    open or was last.
    """
    query, challenge = found.request.query_params, found.challenge
    name = plain(query.get("track", ""))
    track = find_track(challenge, name) if name else challenge.tracks[0]
    known = {phase.name: phase for phase in phases_of(found, track)}
    wanted = plain(query.get("phase", ""))
    if wanted and wanted not in known:
        raise UnknownNameError(
            f"The track '{track.title}' has no phase '{wanted[:80]}'.{near(wanted, known)}"
        )
    phase = known[wanted] if wanted else _usual(list(known.values()), found, track)
    part = plain(query.get("part", ""))
    start = plain(query.get("start", ""))
    return AskedBoard(
        track=track,
        phase=phase,
        part=next((each for each in PARTS if each == part), None),
        start=int(start) if start.isdecimal() and len(start) < 7 else 0,
    )


def usual_board(found: ChallengeVisit, track: Track) -> AskedBoard | None:
    """The board of a track that one looks at first; None where it has none."""
    phases = phases_of(found, track)
    if not phases:
        return None
    return AskedBoard(track=track, phase=_usual(phases, found, track), part=None, start=0)


def phases_of(found: ChallengeVisit, track: Track) -> tuple[Phase, ...]:
    """The phases that a track has data for."""
    return tuple(each for each in found.challenge.phases if each.name in track.datasets)


def viewer_of(found: ChallengeVisit) -> Viewer:
    """As what somebody looks at a board."""
    if found.person is not None:
        return "organisers"
    return found.team if found.team is not None else "everybody"


def read_board(found: ChallengeVisit, asked: AskedBoard) -> TrackStandings:
    """The board as far as whoever asks may see it now."""
    return live_rows(
        found.home,
        found.row,
        asked.track.name,
        asked.phase.name,
        now=found.now,
        viewer=viewer_of(found),
        part=asked.part,
    )


def board_page(
    found: ChallengeVisit, asked: AskedBoard, board: TrackStandings, *, awaited: Awaited
) -> ChallengeBoardPage:
    """The page of a board."""
    at = _Addresses(found, asked)
    is_whole = len(board.rows) <= PAGE
    start = 0 if is_whole or asked.start >= len(board.rows) else asked.start
    is_organiser = found.person is not None
    return ChallengeBoardPage(
        shell=challenge_shell(found, f"Board of {asked.track.title}", "Board"),
        url=found.url,
        row=found.row,
        track=asked.track,
        phase=asked.phase,
        standing=standing_of(found.row, found.challenge, found.now),
        board=board,
        rows=board.rows[start : start + PAGE],
        tracks=at.tracks(),
        phases=at.phases(),
        parts=at.parts(board.part) if is_organiser and asked.phase.public_share else (),
        figure=_figure(board),
        json_url=at.of("/board.json", track=asked.track.name, phase=asked.phase.name),
        pager=Pager(
            previous_url=at.here(start=max(0, start - PAGE) or None) if start else "",
            next_url=at.here(start=start + PAGE) if start + PAGE < len(board.rows) else "",
        ),
        is_early=is_organiser and asked.phase.audience(found.now) != "everybody",
        has_team=found.team is not None,
        has_results=has_results(found),
        is_before=asked.phase.state(found.now) == "before",
        awaited=awaited,
        judged=judged_board(found, asked.track, asked.phase),
    )


@dataclass(frozen=True, slots=True)
class _Addresses:
    """Addresses of the boards of a challenge."""

    found: ChallengeVisit
    asked: AskedBoard

    def of(self, path: str, **named: str | int | None) -> str:
        return with_query(self.found.url + path, **named)

    def here(self, **named: str | int | None) -> str:
        asked = self.asked
        return self.of(
            "/board", track=asked.track.name, phase=asked.phase.name, part=asked.part, **named
        )

    def tracks(self) -> tuple[ChoiceLink, ...]:
        """The boards of other tracks in this phase, where they have one."""
        return tuple(
            ChoiceLink(
                label=each.title,
                url=self.of(
                    "/board",
                    track=each.name,
                    phase=self.asked.phase.name if self.asked.phase.name in each.datasets else None,
                ),
                current=each.name == self.asked.track.name,
            )
            for each in self.found.challenge.tracks
        )

    def phases(self) -> tuple[ChoiceLink, ...]:
        """The boards of this track in other phases."""
        return tuple(
            ChoiceLink(
                label=each.title,
                url=self.of("/board", track=self.asked.track.name, phase=each.name),
                current=each.name == self.asked.phase.name,
            )
            for each in phases_of(self.found, self.asked.track)
        )

    def parts(self, shown: Part) -> tuple[ChoiceLink, ...]:
        """This board on other parts of the data."""
        asked = self.asked
        return tuple(
            ChoiceLink(
                label=label,
                url=self.of("/board", track=asked.track.name, phase=asked.phase.name, part=part),
                current=part == shown,
            )
            for part, label in PARTS.items()
        )


def _usual(phases: Sequence[Phase], found: ChallengeVisit, track: Track) -> Phase:
    current = found.challenge.phase_for(track, found.now)
    begun = [each for each in phases if each.state(found.now) != "before"]
    return current or max(begun or phases, key=lambda each: each.opens or 0.0)


def _figure(board: TrackStandings) -> Mapping[str, Any] | None:
    """The first rows with their intervals, in the first measure."""
    if not board.measures:
        return None
    name = board.measures[0].name
    rows = [
        {
            "name": f"{each.team}, run {each.run}",
            "points": [{"value": score.value, "low": score.low, "high": score.high}],
        }
        for each in board.rows
        if (score := each.scores.get(name)) is not None and score.value is not None
    ][:PICTURED]
    return {"rows": rows, "places": 3} if len(rows) > 1 else None
