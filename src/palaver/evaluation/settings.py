"""`palaver.yaml` in a home: where data sets and tasks lie, and where files are kept."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from palaver.core.errors import StudyError
from palaver.formats.faults import place_faults, pydantic_faults
from palaver.formats.marked_yaml import read_marked

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
    private_endpoints: bool = Field(
        default=False, description="whether teams may submit endpoints inside this network"
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
        faults = pydantic_faults(error, EvaluationSettings)
        raise StudyError(place_faults(marked, faults)) from error
