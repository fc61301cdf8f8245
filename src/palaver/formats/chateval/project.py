"""Where a project of the ChatEvaluationPlatform keeps its files.

A project is a checkout, its `collection_and_annotations` folder, or a folder that holds the parts
themselves: `conf/`, `annotation_buckets.json`, `task_data/` and so on.
"""

from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.registry import near

INNER = "collection_and_annotations"
TASK_CONFIG = "task_config"
CONFS = ("hydra_configs/conf", "conf")
TASK_DIR = "${task_dir}"
_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Project:
    """The folder that `${task_dir}` stands for, and the one with the configurations."""

    folder: Path
    confs: Path

    def conf_file(self, name: str) -> Path:
        """The configuration called `name`, with or without its ending."""
        for candidate in (name, *(f"{name}{ending}" for ending in _ENDINGS)):
            file = self.confs / candidate
            if file.is_file():
                return file
        known = sorted(f.stem for f in self.confs.iterdir() if f.suffix in _ENDINGS)
        hint = near(Path(name).stem, known) or f" Known: {', '.join(known) or 'none'}."
        raise InputError(f"There is no configuration '{name}' in {self.confs}.{hint}")

    def locate(self, written: str) -> Path | None:
        """The file that a configuration names; None where it is not here."""
        inside = written.replace(TASK_DIR, "").lstrip("/") if TASK_DIR in written else written
        if "${" in inside:
            return None
        # A folder that holds the parts themselves has no 'task_config' around them.
        flat = inside.removeprefix(f"{TASK_CONFIG}/")
        places = (self.folder / inside, self.folder / TASK_CONFIG / inside, self.folder / flat)
        return next((place for place in places if place.is_file()), None)

    def units_file(self, task_name: str) -> Path | None:
        """How many raters each group needs; the platform looks for it by the task's name."""
        return self.locate(f"{TASK_CONFIG}/task_data/{units_name(task_name)}")


def units_name(task_name: str) -> str:
    return f"{task_name.replace('_local', '')}_units.json"


def find_project(folder: Path) -> Project:
    """The project at a folder; InputError if there is none."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    for place in (folder / INNER, folder):
        for confs in CONFS:
            if (place / confs).is_dir():
                return Project(place, place / confs)
    raise InputError(
        f"{folder} is not a project of the ChatEvaluationPlatform: neither it nor its folder "
        f"'{INNER}' has {' or '.join(CONFS)}. Give the checkout."
    )
