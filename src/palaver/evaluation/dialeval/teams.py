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


class SharedTeam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One team as it presents itself; `subtasks` may be a list in the file."""

    team: str
    affiliation: str = ""
    link: str = ""
    subtasks: list[str] | str = ""


def read_teams(folder: Path) -> dict[str, SharedTeam]:
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
        teams = msgspec.convert(raw or [], list[SharedTeam])
    except msgspec.ValidationError as error:
        raise InputError(
            f"{path} must be a list of teams, each with team, affiliation, link and subtasks: "
            f"{error}."
        ) from error
    found: dict[str, SharedTeam] = {}
    for team in teams:
        if team.team in found:
            raise InputError(f"{path} names the team '{team.team}' twice.")
        if team.link and not team.link.startswith(("https://", "http://")):
            raise InputError(
                f"{path}: the link of '{team.team}' should begin with https://; got '{team.link}'."
            )
        listed = [team.subtasks] if isinstance(team.subtasks, str) else team.subtasks
        found[team.team] = msgspec.structs.replace(team, subtasks=", ".join(listed))
    return found
