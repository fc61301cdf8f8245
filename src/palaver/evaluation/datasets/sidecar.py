"""`NAME.yaml` beside a data set in a declared folder: how it is read and what it is for."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from palaver.core.errors import StudyError
from palaver.core.evaluation.datasets import Access
from palaver.evaluation.datasets.converting import load_function
from palaver.formats.datasets.mapping import FieldMap, MappingEntry, field_map
from palaver.formats.faults import place_faults, pydantic_faults
from palaver.formats.marked_yaml import read_marked


class Sidecar(MappingEntry):
    """What a data set needs beside its file; everything has a default."""

    reader: Annotated[str | None, Field(description="the format, if it is not recognised")] = None
    convert: Annotated[str | None, Field(description="module:function beside the file")] = None
    access: Access | None = None
    about: str | None = None
    function: Annotated[str | None, Field(description="an evaluation of its own")] = None

    def options(self, folder: Path) -> dict[str, Any]:
        """The options of `add_dataset` that this file stands for."""
        mapping: FieldMap = field_map(self)
        return {
            "reader": self.reader,
            "mapping": mapping or None,
            "convert": None if self.convert is None else load_function(self.convert, folder=folder),
            "access": self.access,
            "about": self.about,
            "function": self.function,
        }


def read_sidecar(file: Path) -> Sidecar:
    """The file's content, or the defaults where there is none; StudyError names line and column."""
    if not file.is_file():
        return Sidecar()
    marked = read_marked(file)
    try:
        return Sidecar.model_validate(marked.data)
    except ValidationError as error:
        raise StudyError(place_faults(marked, pydantic_faults(error, Sidecar))) from error
