"""Who takes part in a shared task: an optional `teams.yaml` beside the runs.

- team: TUA1
  affiliation: Tokushima University
  link: https://example.org/paper.pdf
  subtasks: [nd, dq]
"""

from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from palaver.core.errors import InputError

FILE = "teams.yaml"


class Team(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One team as it presents itself."""

    team: str
    affiliation: str = ""
    link: str = ""
    subtasks: list[str] | str = ""

    @property
    def subtask_text(self) -> str:
        """The subtasks as a reader sees them."""
        return self.subtasks if isinstance(self.subtasks, str) else ", ".join(self.subtasks)


def read_teams(folder: Path) -> dict[str, Team]:
    """The teams by name; none where the folder has no `teams.yaml`."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        raw: Any = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not YAML: {error}") from error
    if isinstance(raw, dict) and list(raw) == ["teams"]:
        raw = raw["teams"]
    try:
        teams = msgspec.convert(raw or [], list[Team])
    except msgspec.ValidationError as error:
        raise InputError(
            f"{path} is a list of teams, each with team, affiliation, link and subtasks: {error}."
        ) from error
    found: dict[str, Team] = {}
    for team in teams:
        if team.team in found:
            raise InputError(f"{path} names the team '{team.team}' twice.")
        if team.link and not team.link.startswith(("https://", "http://")):
            raise InputError(
                f"{path}: the link of '{team.team}' should begin with https://; got '{team.link}'."
            )
        found[team.team] = team
    return found
