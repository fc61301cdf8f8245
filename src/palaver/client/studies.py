"""Studies while people take part: paused, closed, changed; and their versions."""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.client.bodies import json_body
from palaver.client.connection import Calls, given, quoted
from palaver.core.studies.life import LifeMove, StateChange, StudyLife
from palaver.core.studies.versions import (
    StudyVersion,
    StudyVersionSheet,
    VersionDiff,
)


class StudyCalls(Calls):
    """The methods of a client about the life of a study."""

    def study_state(self, study: str) -> StudyLife:
        """Whether a study takes people in, since when and why."""
        return self._get(quoted("studies", study, "state"), StudyLife)

    def study_states(self, study: str) -> list[StateChange]:
        """Every opening, pause and closing of a study, oldest first."""
        path = quoted("studies", study, "state", "history")
        return self._get(path, list[StateChange], part="changes")

    def move_study(self, study: str, move: LifeMove, *, reason: str = "") -> StudyLife:
        """Pause, resume, close or reopen a study; whoever is inside finishes."""
        wanted = json_body({"move": move, "reason": reason})
        return self._send("POST", quoted("studies", study, "state"), StudyLife, wanted)

    def study_versions(self, study: str) -> list[StudyVersion]:
        """Every file that a study was served with: who made it, when and what for."""
        path = quoted("studies", study, "versions")
        return self._get(path, list[StudyVersion], part="versions")

    def study_version(self, study: str, number: int) -> StudyVersionSheet:
        """A version of a study with its file."""
        return self._get(quoted("studies", study, "versions", number), StudyVersionSheet)

    def study_diff(self, study: str, old: int, new: int) -> VersionDiff:
        """What one version of a study has that another has not."""
        query = {"old": old, "new": new}
        return self._get(quoted("studies", study, "diff"), VersionDiff, query)

    def change_study(
        self, study: str, text: str, *, note: str = "", base: int | None = None
    ) -> StudyVersion:
        """Serve a study with this file from now on; `base` is the version that it was made of."""
        wanted = json_body(given({"text": text, "note": note, "base": base}))
        return self._send("PUT", quoted("studies", study, "definition"), StudyVersion, wanted)

    def edit_study(
        self,
        study: str,
        *,
        places: Sequence[Mapping[str, Any]] = (),
        raters: Sequence[Mapping[str, Any]] = (),
        dates: Mapping[str, str] | None = None,
        note: str = "",
        base: int | None = None,
    ) -> StudyVersion:
        """Change `places` ({stage, condition, needed}), `raters` ({stage, raters}) or `dates`."""
        wanted = {
            "places": list(places),
            "raters": list(raters),
            "dates": dates,
            "note": note,
            "base": base,
        }
        body = json_body(given(wanted))
        return self._send("PATCH", quoted("studies", study, "definition"), StudyVersion, body)
