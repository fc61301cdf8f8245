"""Files that are kept as they were when something was closed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A file of results, kept as it was when what they are the results of was closed."""

    path: str
    size: int
    sha256: str
