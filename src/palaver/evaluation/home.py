"""An open home of the evaluation server: its store, its files, its settings."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from palaver.core.errors import StudyError
from palaver.formats.key_problems import place_problems, pydantic_problems
from palaver.formats.marked_yaml import read_marked
from palaver.storage import Store
from palaver.storage.objects import Objects, open_objects

FILE = "palaver.yaml"


class EvaluationSettings(BaseModel):
    """What a home says about its evaluation server; everything has a default."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    objects: str = Field(
        default="objects", description="folder or s3://bucket/prefix for data sets and uploads"
    )
    datasets: Path | None = Field(
        default=None, description="folder with TASK/NAME.jsonl, scanned when the server starts"
    )
    tasks: list[Path] = Field(default=[], description="your own task files, or folders of them")
    private_endpoints: bool | list[str] = Field(
        default=False,
        description="whether addresses that came from outside may lie inside this network, or which "
        "hosts may",
    )
    upload_megabytes: int = Field(
        default=1024, ge=1, le=102_400, description="the largest file that can be uploaded"
    )


def load_settings(folder: Path) -> EvaluationSettings:
    """The settings of the home at `folder`; the defaults where it has no file."""
    file = folder / FILE
    if not file.is_file():
        return EvaluationSettings()
    marked = read_marked(file)
    try:
        return EvaluationSettings.model_validate(marked.data)
    except ValidationError as error:
        key_problems = pydantic_problems(error, EvaluationSettings)
        raise StudyError(place_problems(marked, key_problems)) from error


@dataclass(frozen=True, slots=True)
class EvaluationHome:
    folder: Path
    store: Store
    objects: Objects
    settings: EvaluationSettings


def evaluation_home(folder: Path, store: Store) -> EvaluationHome:
    """The home at `folder` with a store that is open already."""
    settings = load_settings(folder)
    return EvaluationHome(folder, store, open_objects(settings.objects, folder=folder), settings)


@contextmanager
def open_evaluation(folder: Path, database_url: str) -> Iterator[EvaluationHome]:
    """The home at `folder`, opened for a command and closed after it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = Store(database_url)
    try:
        yield evaluation_home(folder, store)
    finally:
        store.close()
