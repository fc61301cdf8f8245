"""The parts of a challenge file as they are written, before they become a challenge."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, Strict, field_validator

from palaver.core.deadlines import EXAMPLE, read_moment
from palaver.core.evaluation.challenges import PAGES, Sight, Takes
from palaver.core.letters import is_address
from palaver.core.registry import near
from palaver.evaluation.tasks.entries import NAME, TaskFilePart, Words

# The most that a page or the terms may have.
MOST_TEXT = 200_000


def part_name(name: str) -> str:
    """The name of a challenge, track, phase or file; ValueError says what names are made of."""
    if not NAME.fullmatch(name) or name.isdecimal():
        raise ValueError(
            "A name has lower-case letters, digits, '-' and '_', at most 63 and not only digits; "
            f"got '{name[:64]}'."
        )
    return name


def study_name(name: str) -> str:
    """The name of a study; ValueError says what names are made of."""
    if not _STUDY.fullmatch(name):
        raise ValueError(
            "'judged' names the study of each phase by its name, such as {final: advice-2026}; got "
            f"'{name[:64]}'."
        )
    return name


def _begin(given: Any) -> float | None:
    return _moment(given, ends=False)


def _end(given: Any) -> float | None:
    return _moment(given, ends=True)


def _moment(given: Any, *, ends: bool) -> float | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise ValueError(f"A date with time and zone is expected, such as {EXAMPLE}.")
    return read_moment(given, ends=ends)


def _page_name(name: str) -> str:
    if name not in PAGES:
        raise ValueError(f"There is no page '{name[:40]}'.{near(name, PAGES)} Pages: {_PAGES}.")
    return name


def _contact(address: str) -> str:
    if address and not is_address(address):
        raise ValueError(f"'contact' takes an e-mail address; got '{address[:60]}'.")
    return address


_PAGES = ", ".join(PAGES)
_STUDY = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)
PartName = Annotated[str, Strict(), AfterValidator(part_name)]
StudyName = Annotated[str, Strict(), AfterValidator(study_name)]
PageName = Annotated[str, Strict(), AfterValidator(_page_name)]
Begin = Annotated[float | None, BeforeValidator(_begin)]
End = Annotated[float | None, BeforeValidator(_end)]
Count = Annotated[int, Strict(), Field(ge=1, le=1_000_000)]
Hours = Annotated[float, Strict(), Field(gt=0, le=1_000_000, allow_inf_nan=False)]


class RegistrationEntry(TaskFilePart):
    """How teams come in."""

    approval: Annotated[bool, Strict()] = True
    opens: Begin = None
    closes: End = None
    members: Count = 10


class TrackEntry(TaskFilePart):
    """A task on data in one language; one data set alone is that of every phase."""

    title: Words = ""
    task: Words
    language: Words = ""
    about: Words = ""
    data: Words | dict[str, Words]
    takes: Takes = "files"
    judged: dict[str, StudyName] = Field(default={})

    @field_validator("takes", mode="before")
    @classmethod
    def _what(cls, given: Any) -> Any:
        if given in get_args(Takes):
            return given
        hint = near(given, get_args(Takes)) if isinstance(given, str) else ""
        raise ValueError(f"'takes' is files, endpoints or both; got {str(given)[:40]!r}.{hint}")

    @field_validator("data", mode="before")
    @classmethod
    def _one_or_some(cls, given: Any) -> Any:
        if not isinstance(given, str | dict) or not given:
            raise ValueError("'data' takes a data set, or one per phase (phase: data set).")
        return given


class HalvesEntry(TaskFilePart):
    """Which share of the items scores are shown on, and on which they are in the end."""

    public: Annotated[float, Strict(), Field(gt=0, lt=1)] = 0.5
    final: Literal["private", "all"] = "private"


class ScoresEntry(TaskFilePart):
    """From when on whom scores are shown to."""

    own: Begin = None
    everybody: Begin = None


class PhaseEntry(TaskFilePart):
    """A time in which teams submit."""

    title: Words = ""
    opens: Begin = None
    closes: End = None
    late_hours: Annotated[float, Strict(), Field(ge=0, le=10_000, allow_inf_nan=False)] = 0.0
    submissions: Count = 5
    hours: Hours = 24.0
    scores: Literal["everybody", "own", "organisers"] | ScoresEntry = "organisers"
    halves: HalvesEntry | None = None
    final: Annotated[bool, Strict()] | None = None
    asks: Begin = None

    @field_validator("scores", mode="before")
    @classmethod
    def _whom(cls, given: Any) -> Any:
        words = ("everybody", "own", "organisers")
        if isinstance(given, Mapping) or given in words:
            return given
        hint = near(given, words) if isinstance(given, str) else ""
        raise ValueError(
            "'scores' takes everybody, own or organisers, or dates: {own: DATE, everybody: "
            f"DATE}}.{hint}"
        )

    @property
    def sights(self) -> tuple[Sight, ...]:
        """Who sees scores from when on."""
        if isinstance(self.scores, str):
            return (Sight(who=self.scores),)
        dates = self.scores
        shown = [Sight(who="organisers")]
        if "own" in dates.model_fields_set:
            shown.append(Sight(who="own", since=dates.own))
        if "everybody" in dates.model_fields_set:
            shown.append(Sight(who="everybody", since=dates.everybody))
        return tuple(shown)


class SharedFileEntry(TaskFilePart):
    """A file for teams that accepted the terms."""

    title: Words = ""
    about: Words = ""
    file: Words
    since: Begin = Field(default=None, alias="from")


class ChallengeEntry(TaskFilePart):
    """A challenge file."""

    name: PartName
    title: Words = ""
    summary: Words = ""
    contact: Annotated[str, Strict(), AfterValidator(_contact)] = ""
    pages: dict[PageName, Words] = Field(default={})
    terms: Words = ""
    registration: RegistrationEntry = RegistrationEntry()
    tracks: Annotated[dict[PartName, TrackEntry], Field(min_length=1)]
    phases: Annotated[dict[PartName, PhaseEntry], Field(min_length=1)]
    files: dict[PartName, SharedFileEntry] = Field(default={})
    runs: Count = 10
    final_runs: Count | None = None


_FILE_NAME = re.compile(r"[^\n]+\.(md|markdown|txt)", re.IGNORECASE)


def is_file_name(text: str) -> bool:
    """Whether a text is the name of a file rather than a text: one line that ends in .md or .txt."""
    return _FILE_NAME.fullmatch(text.strip()) is not None
