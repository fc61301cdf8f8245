"""A whole shared task, from a folder of runs to its boards.

Who takes part may be told in a `teams.yaml` beside the runs:

- team: TUA1
  affiliation: Tokushima University
  link: https://example.org/paper.pdf
  subtasks: [nd, dq]
- team: Baseline
  baseline: true
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from palaver.analysis.tukey import TRIALS
from palaver.core.errors import InputError
from palaver.core.serial import key
from palaver.evaluation.dialeval.baselines import TRAINED, Baseline, baseline
from palaver.evaluation.dialeval.boards import make_boards
from palaver.evaluation.dialeval.gold import CountedGold
from palaver.evaluation.dialeval.predictions import lay_out
from palaver.evaluation.dialeval.runs import (
    PredictedRun,
    RejectedFile,
    StrayPath,
    find_runs,
    find_strays,
    read_runs,
)
from palaver.evaluation.standings.boards import TaskBoard
from palaver.evaluation.standings.comparison import part_of
from palaver.formats.submissions import TASKS, Entries

# The team that Palaver's own baselines are listed under.
OURS = "baseline"
# Teams of these names hold baselines, unless `teams.yaml` says otherwise.
BASELINE_TEAMS = frozenset({"baseline", "baselines"})

TEAMS_FILE = "teams.yaml"


class SharedTeam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One team as it presents itself; `subtasks` may be a list in the file.

    `baseline` says whether its runs are the organisers' baselines.
    """

    team: str
    affiliation: str = ""
    link: str = ""
    subtasks: list[str] | str = ""
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedTask:
    """Every board, who takes part, and which files have faults."""

    gold: str
    boards: tuple[TaskBoard, ...]
    teams: tuple[SharedTeam, ...]
    rejected: tuple[RejectedFile, ...] = key("invalid")
    stray: tuple[StrayPath, ...] = ()
    trials: int
    seed: int

    @property
    def is_complete(self) -> bool:
        """Whether all that may be a submission is on the boards, if need be without its faults."""
        return all(each.is_used for each in self.rejected) and not any(
            each.is_suspect for each in self.stray
        )


def score_shared_task(
    folder: Path,
    gold: CountedGold,
    *,
    lenient: bool = False,
    baselines: Sequence[Baseline] = (),
    training: CountedGold | None = None,
    trials: int = TRIALS,
    seed: int = 1,
    legacy: bool = False,
    test_baselines: bool = True,
    test_oracles: bool = True,
    known: Collection[Path] = (),
    progress: Callable[[int, int], None] | None = None,
) -> SharedTask:
    """Score and compare all runs below a folder, with the `baselines` that are asked for.

    Without `test_baselines` or `test_oracles` such runs are listed, but stay out of the test. Files
    that are `known`, such as the gold data, may lie in the folder.
    """
    teams = read_teams(folder)
    files = find_runs(folder)
    entrants, rejected = read_runs(files, gold, lenient=lenient, progress=part_of(progress, 0, 2))
    entrants = [replace(each, is_baseline=_is_baseline(each.team, teams)) for each in entrants]
    entrants += _baselines(entrants, gold, baselines, training)
    names = dict.fromkeys([*teams, *(file.team for file in files)])
    boards = make_boards(
        gold,
        entrants,
        trials=trials,
        seed=seed,
        legacy=legacy,
        baselines=test_baselines,
        oracles=test_oracles,
        progress=part_of(progress, 1, 2),
    )
    return SharedTask(
        gold=gold.name,
        boards=tuple(boards),
        teams=tuple(teams.get(name) or SharedTeam(name) for name in names),
        rejected=tuple(rejected),
        stray=tuple(find_strays(folder, known=known)),
        trials=trials,
        seed=seed,
    )


def read_teams(folder: Path) -> dict[str, SharedTeam]:
    """The teams by name; none where the folder has no `teams.yaml`."""
    path = folder / TEAMS_FILE
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


def _is_baseline(team: str, teams: Mapping[str, SharedTeam]) -> bool:
    return teams[team].baseline if team in teams else team.lower() in BASELINE_TEAMS


def _baselines(
    entrants: Sequence[PredictedRun],
    gold: CountedGold,
    names: Sequence[Baseline],
    training: CountedGold | None,
) -> list[PredictedRun]:
    """Each baseline on every board that there is."""
    boards = dict.fromkeys((entrant.task, entrant.language) for entrant in entrants)
    found = []
    for name in dict.fromkeys(names):
        needed = training if name in TRAINED else None
        predictions = lay_out(Entries(baseline(name, gold, training=needed)), gold, name=name)
        found += [
            PredictedRun(
                OURS,
                f"{OURS}-{name}",
                task,
                language,
                replace(predictions, tasks=(task,)),
                is_baseline=True,
            )
            for task, language in boards or dict.fromkeys((task, "") for task in TASKS)
            if task in predictions.tasks
        ]
    return found
