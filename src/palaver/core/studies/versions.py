"""Versions of a study: every file that it was served with, in order, and what a change of it means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from palaver.core.audit import Via
from palaver.core.errors import Problem
from palaver.core.serial import internal


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyVersion:
    """One file that a study was served with: who made it, by which door, what for and when.

    Numbers begin at 1. `digest` is that of the file; `account` is empty where nobody signed in, and
    `via` is `server` where the file was found on disk when a server started.
    """

    study_id: int = internal(0)
    number: int
    digest: str
    account: str
    via: Via
    note: str
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyVersionSheet(StudyVersion):
    """A version with its file."""

    definition: str

    @property
    def head(self) -> StudyVersion:
        """The version without its file."""
        return StudyVersion(
            study_id=self.study_id,
            number=self.number,
            digest=self.digest,
            account=self.account,
            via=self.via,
            note=self.note,
            time=self.time,
        )


@dataclass(frozen=True, slots=True)
class StudyVersionList:
    """The versions of a study, oldest first; the last is the one that is served."""

    versions: list[StudyVersion]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDiff:
    """What one file of a study has that another has not.

    `lines` is the difference line by line; `words` say what became of each key, such as
    "stages › 2 › rate › raters: 3 → 5".
    """

    old: int
    new: int
    lines: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeseenChange:
    """What would happen if a study got a new file; nothing has happened yet.

    `problems` are what is wrong with the file itself, warnings among them; `refusals` say what it
    would spoil of what was collected. `base` is the latest version, which it would follow. It can be
    made where nothing is refused or wrong, and something changes.
    """

    derived: ClassVar[tuple[str, ...]] = ("possible", "same")
    base: int
    problems: tuple[Problem, ...]
    refusals: tuple[str, ...]
    lines: str
    words: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether the file is the one that is served already."""
        return not self.lines

    @property
    def wrong(self) -> tuple[Problem, ...]:
        """The problems without the warnings."""
        return tuple(problem for problem in self.problems if not problem.warning)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What is worth a look and stops nothing."""
        return tuple(problem for problem in self.problems if problem.warning)

    @property
    def possible(self) -> bool:
        """Whether the change can be made."""
        return not (self.wrong or self.refusals or self.same)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageWork:
    """What a stage of a study has collected, counted by what a new file could take away.

    `dialogues` are the conversations by condition, `places` those that are held or done by condition
    and scenario, `sheets` the most raters that any sheet has or had, by how many sheets.
    """

    dialogues: Mapping[str, int]
    places: Mapping[tuple[str, str | None], int]
    # How many raters a sheet has or had → how many sheets have so many.
    sheets: Mapping[int, int]
    screenings: int = 0
    # Visits that are at this stage now.
    visits: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was collected here."""
        return not (self.dialogues or self.places or self.sheets or self.screenings)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyWork:
    """What a study has collected: by stage, the answers by question, visits, and who speaks now."""

    stages: Mapping[int, StageWork]
    answers: Mapping[str, int]
    visits: int
    # Systems that sit in a dialogue that has not ended → in how many.
    speaking: Mapping[str, int]
