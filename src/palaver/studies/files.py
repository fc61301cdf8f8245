"""Files that a study names: a path beside `study.yaml`, or one that is still to be provided."""

from pathlib import Path

from palaver.studies.parts import Part, Text


class Unconfigured(Part):
    """Something an import could not find; the study cannot be served until it is given."""

    unconfigured: Text


FileChoice = Text | Unconfigured


def path_of(choice: FileChoice | None, folder: Path) -> Path | None:
    """Where a file stands; None where none is named or it is still to be provided."""
    return folder / choice if isinstance(choice, str) else None
