"""Challenges: what there is to win, and what a team or an organiser does in one."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from palaver.client.bodies import File, content_of, file_body, json_body, watched
from palaver.client.connection import Calls, given, quoted
from palaver.core.evaluation.challenge_entries import (
    Announcement,
    ChallengeSheet,
    ChallengeTeam,
    CheckedFile,
    Entry,
)
from palaver.core.evaluation.challenge_standings import TrackStandings
from palaver.core.evaluation.challenges import Part, ShownChallenge, StoredChallenge
from palaver.core.evaluation.models import ProbedEndpoint
from palaver.core.evaluation.submissions import TeamToken

UNNAMED = "answers.jsonl"
# Hears how many bytes of how many were sent.
SendProgress = Callable[[int, int], None]


class ChallengeCalls(Calls):
    """The methods of a client about challenges; those of a team need its token."""

    def challenges(self) -> list[StoredChallenge]:
        """The public challenges; with an account's token all of them."""
        return self._get("/challenges", list[StoredChallenge], part="challenges")

    def challenge(self, name: str) -> ShownChallenge:
        """A challenge: its tracks, phases, pages and terms, and what is open now."""
        return self._get(quoted("challenges", name), ShownChallenge)

    def register_team(
        self,
        challenge: str,
        team: str,
        *,
        contact: str,
        affiliation: str = "",
        link: str = "",
        members: Sequence[str] = (),
    ) -> TeamToken:
        """Register a team; its token, for all tracks, is in this answer and nowhere else."""
        wanted = {
            "team": team,
            "contact": contact,
            "affiliation": affiliation,
            "link": link,
            "members": list(members),
        }
        path = quoted("challenges", challenge, "teams")
        return self._send("POST", path, TeamToken, json_body(wanted))

    def challenge_team(self, challenge: str) -> ChallengeSheet:
        """The token's team: the terms, its tracks, what is left, what it handed in."""
        return self._get(quoted("challenges", challenge, "team"), ChallengeSheet)

    def change_challenge_team(
        self,
        challenge: str,
        *,
        contact: str | None = None,
        affiliation: str | None = None,
        link: str | None = None,
        members: Sequence[str] | None = None,
    ) -> ChallengeTeam:
        """Change what the team says about itself; its name stays."""
        people = None if members is None else list(members)
        wanted = {"contact": contact, "affiliation": affiliation, "link": link, "members": people}
        path = quoted("challenges", challenge, "team")
        return self._send("PATCH", path, ChallengeTeam, json_body(given(wanted)))

    def leave_challenge(self, challenge: str) -> ChallengeTeam:
        """Leave the challenge: the token no longer works, what was handed in is withdrawn."""
        return self._send("POST", quoted("challenges", challenge, "team", "leave"), ChallengeTeam)

    def accept_challenge_terms(self, challenge: str, digest: str) -> ChallengeSheet:
        """Accept the terms, by the digest of the wording that was read."""
        path = quoted("challenges", challenge, "team", "terms")
        return self._send("POST", path, ChallengeSheet, json_body({"digest": digest}))

    def track_questions(self, challenge: str, track: str) -> list[dict[str, Any]]:
        """What the open phase of a track asks, without gold."""
        lines = self._connection.lines(quoted("challenges", challenge, "questions", track))
        return [msgspec.json.decode(line) for line in lines]

    def download_questions(self, challenge: str, track: str, folder: str | Path) -> Path:
        """Keep what the open phase of a track asks in a folder, as JSON lines; the file."""
        path = quoted("challenges", challenge, "questions", track)
        return self._connection.download(path, Path(folder), name=f"{track}-questions.jsonl")

    def download_file(self, challenge: str, file: str, folder: str | Path) -> Path:
        """Keep a shared file of a challenge in a folder; the file."""
        path = quoted("challenges", challenge, "files", file)
        return self._connection.download(path, Path(folder), name=file)

    def check_file(self, challenge: str, track: str, file: File) -> CheckedFile:
        """Let the server check a file; nothing is stored or counted."""
        path = quoted("challenges", challenge, "tracks", track, "check")
        query = {"filename": _name(file)}
        return self._send("POST", path, CheckedFile, file_body(content_of(file)), query)

    def submit_file(
        self,
        challenge: str,
        track: str,
        file: File,
        *,
        run: int | None = None,
        progress: SendProgress | None = None,
    ) -> Entry:
        """Hand in a file for a run of a track; without `run` for the next free one.

        The very same file again is the same entry and is not counted twice.
        """
        body = file_body(content_of(file))
        if progress is not None:
            body = watched(body, progress)
        path = quoted("challenges", challenge, "tracks", track, "entries")
        return self._send("POST", path, Entry, body, {"run": run, "filename": _name(file)})

    def probe_endpoint(
        self, challenge: str, track: str, *, kind: str, options: Mapping[str, Any]
    ) -> ProbedEndpoint:
        """Let the server ask an endpoint two made-up questions; nothing is stored or counted."""
        path = quoted("challenges", challenge, "tracks", track, "probe")
        body = json_body({"kind": kind, "options": dict(options)})
        return self._send("POST", path, ProbedEndpoint, body)

    def submit_endpoint_entry(
        self,
        challenge: str,
        track: str,
        *,
        kind: str,
        options: Mapping[str, Any],
        run: int | None = None,
        title: str = "",
        parameters: float | None = None,
        link: str = "",
        about: str = "",
    ) -> Entry:
        """Register an endpoint for a run of a track, if it answers now; it is asked when it is due.

        The very same endpoint again is the same entry and is not counted twice.
        """
        wanted = {
            "kind": kind,
            "options": dict(options),
            "run": run,
            "title": title,
            "parameters": parameters,
            "link": link,
            "about": about,
        }
        path = quoted("challenges", challenge, "tracks", track, "endpoint")
        return self._send("POST", path, Entry, json_body(given(wanted)))

    def retry_entry(self, challenge: str, entry: str) -> Entry:
        """Let an endpoint that failed be asked again. Needs an owner's token."""
        path = quoted("challenges", challenge, "entries", entry, "retry")
        return self._send("POST", path, Entry)

    def entries(self, challenge: str) -> list[Entry]:
        """What was handed in: a team's own; an account's token sees all, a stranger what is public."""
        path = quoted("challenges", challenge, "entries")
        return self._get(path, list[Entry], part="entries")

    def withdraw_entry(self, challenge: str, entry: str) -> Entry:
        """Take an entry out of the standings, by its key."""
        path = quoted("challenges", challenge, "entries", entry, "withdrawal")
        return self._send("POST", path, Entry)

    def choose_final(self, challenge: str, entry: str, *, final: bool = True) -> Entry:
        """Choose an entry as one of the runs that count in the end, or take that back."""
        path = quoted("challenges", challenge, "entries", entry, "final")
        return self._send("POST", path, Entry, json_body({"final": final}))

    def standings(
        self, challenge: str, track: str, *, phase: str | None = None, part: Part | None = None
    ) -> TrackStandings:
        """How a track stands, as far as whoever asks may see it; the open phase, or the last one."""
        path = quoted("challenges", challenge, "tracks", track, "board")
        return self._get(path, TrackStandings, {"phase": phase, "part": part})

    def announcements(self, challenge: str) -> list[Announcement]:
        """What was announced, newest first."""
        path = quoted("challenges", challenge, "announcements")
        return self._get(path, list[Announcement], part="announcements")

    def announce(
        self, challenge: str, subject: str, text: str, *, public: bool = True
    ) -> Announcement:
        """Announce something; each approved team gets a letter. Needs an owner's token."""
        wanted = {"subject": subject, "text": text, "public": public}
        path = quoted("challenges", challenge, "announcements")
        return self._send("POST", path, Announcement, json_body(wanted))

    def challenge_teams(self, challenge: str) -> list[ChallengeTeam]:
        """The teams of a challenge, oldest first. Needs an account's token."""
        path = quoted("challenges", challenge, "teams")
        return self._get(path, list[ChallengeTeam], part="teams")

    def decide_team(self, challenge: str, team: int, *, approve: bool = True) -> ChallengeTeam:
        """Approve a team by its id, or refuse it; it is told by mail. Needs an owner's token."""
        act = "approve" if approve else "refuse"
        return self._send(
            "POST", quoted("challenges", challenge, "teams", team, act), ChallengeTeam
        )

    def renew_team_token(self, challenge: str, team: int) -> TeamToken:
        """A new token for a team, by its id, in place of the old one. Needs an owner's token."""
        path = quoted("challenges", challenge, "teams", team, "token")
        return self._send("POST", path, TeamToken)

    def set_challenge(self, challenge: str, *, public: bool) -> StoredChallenge:
        """Let everybody see a challenge and register, or nobody. Needs an owner's token."""
        body = json_body({"public": public})
        return self._send("PATCH", quoted("challenges", challenge), StoredChallenge, body)


def _name(file: File) -> str:
    return UNNAMED if isinstance(file, bytes) else Path(file).name[-120:] or UNNAMED
