"""`model.yaml`: how a model is reached, written down beside its files.

`kind` and the options of that kind stand at the top of the file, next to what the file says about
the model itself. Secrets stay `${VARIABLE}` here and in the store; only a predictor fills them in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from palaver.core.errors import InputError, StudyError
from palaver.formats.key_problems import place_problems, pydantic_problems
from palaver.formats.marked_yaml import read_marked

FILE = "model.yaml"
# Kinds that run from files beside the description; an endpoint needs none.
WITH_FILES = frozenset({"handler", "command"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """A model as somebody describes it: a kind of predictor, its options, and where it lies."""

    kind: str
    options: Mapping[str, Any]
    folder: Path
    task: str = ""
    about: str = ""
    link: str = ""
    tags: tuple[str, ...] = ()

    @property
    def files(self) -> Path | None:
        """The folder whose files belong to the model; None if it runs elsewhere."""
        return self.folder if self.kind in WITH_FILES else None


class _ModelFile(BaseModel):
    """The keys of `model.yaml` that are no options of the kind."""

    model_config = ConfigDict(extra="allow", frozen=True)

    kind: str = Field(min_length=1)
    task: str = ""
    about: str = ""
    link: str = ""
    tags: list[str] = []


def read_description(path: Path) -> Description:
    """What `model.yaml` says; `path` is the file, or the folder that holds it."""
    file = path / FILE if path.is_dir() else path
    if not file.is_file():
        raise InputError(
            f"There is no {file}. Give a folder with a {FILE}, or the file itself; "
            "palaver model init NAME --task TASK writes one."
        )
    marked = read_marked(file)
    try:
        found = _ModelFile.model_validate(marked.data)
    except ValidationError as error:
        raise StudyError(place_problems(marked, pydantic_problems(error, _ModelFile))) from error
    return Description(
        kind=found.kind,
        options=dict(found.model_extra or {}),
        folder=file.parent,
        task=found.task,
        about=found.about,
        link=found.link,
        tags=tuple(found.tags),
    )
