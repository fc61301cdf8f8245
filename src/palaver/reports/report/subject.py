"""What a report is about: tables of ratings and of votes, wherever they came from.

Every number of a report is computed from these tables as they are written beside the page, so that
whoever runs a command on the written file computes it from the same cells.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from palaver.analysis.behaviour import Flag
from palaver.analysis.ranking.verdict import Inference
from palaver.analysis.resampling import BootstrapSettings
from palaver.core.errors import InputError
from palaver.core.studies.headline import Headline
from palaver.core.studies.stops import StudyStop
from palaver.core.words import counted
from palaver.formats.frames import Frame
from palaver.reports.masks import Masking
from palaver.reports.report.transcripts import ReportTranscript
from palaver.studies.recruiting.money.costs import StudyCosts
from palaver.studies.review.outcomes import StudyOutcomes


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSettings(BootstrapSettings):
    """The seed and size of every bootstrap, the question that is overall quality, the hourly pay."""

    quality: str | None = None
    pay: float | None = None

    def __post_init__(self) -> None:
        if self.seed < 0 or self.resamples < 100:
            raise InputError(
                f"A report takes a seed of 0 or more and 100 or more draws; got {self.seed} and "
                f"{self.resamples}."
            )
        if self.pay is not None and not 0 <= self.pay < float("inf"):
            raise InputError(f"An hourly pay is a number of 0 or more; got {self.pay}.")


RATING_COLUMNS = ("unit", "rater", "value", "answer", "dialogue", "system", "seconds")
VOTE_COLUMNS = ("unit", "model_a", "model_b", "winner", "rater", "dialogue", "seconds")
LEVELS = ("nominal", "ordinal", "interval", "ratio")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTable:
    """What was answered to one question, a row per answer."""

    # What the names of its files begin with, what a row is, and the columns that name systems.
    prefix: ClassVar[str]
    row: ClassVar[str]
    system_columns: ClassVar[tuple[str, ...]]

    name: str
    slug: str
    text: str
    frame: Frame
    # The question of the study, which may measure several things.
    question: str = ""
    # What people call each rater, by key; a table of others has no other names.
    rater_names: Mapping[str, str] = field(default_factory=dict)
    # The systems that the study has judged, whether or not anybody has done so.
    systems: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Where the rows stand in a report's folder."""
        return f"tables/{self.prefix}-{self.slug}.csv"

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The columns of its file: what people call the raters stands behind their keys."""
        found: dict[str, list[Any]] = {}
        for name, cells in self.frame.columns.items():
            found[name] = cells
            if name == "rater" and self.rater_names:
                found["rater_name"] = [self.rater_names.get(cell, cell) for cell in cells]
        return found

    @property
    def page(self) -> str:
        """The page of a report that lists the rows."""
        return f"evidence/{self.prefix}-{self.slug}.html"

    @property
    def unseen(self) -> tuple[str, ...]:
        """The systems that are to be judged and that nobody has judged."""
        if not self.systems:
            return ()
        seen = {name for column in self.system_columns for name in self.frame.texts(column)}
        return tuple(name for name in self.systems if name not in seen)

    @property
    def size(self) -> str:
        """How many rows there are, in words."""
        return counted(len(self.frame), self.row)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRatings(QuestionTable):
    """Answers about one thing: a row per unit and rater, in the columns of `RATING_COLUMNS`.

    `value` is a number, or a name at nominal level; `answer` is what the rater read. `answers` are
    the possible ones in order, `order` the values that stand for them (empty where a question does
    not say). `is_presence` says that 1 means a label was given and 0 that not, `is_choice` that the
    answer is the better one of two.
    """

    prefix: ClassVar[str] = "labels"
    row: ClassVar[str] = "answer"
    system_columns: ClassVar[tuple[str, ...]] = ("system",)

    level: str
    answers: tuple[str, ...]
    order: tuple[str, ...] = ()
    is_presence: bool = False
    is_choice: bool = False
    # Whether people answer it about their own conversations, so that nobody could agree.
    is_own: bool = False
    # How often it was passed over where one may, by system ("" where it is about none).
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def has_means(self) -> bool:
        return self.level != "nominal" or self.is_presence


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionVotes(QuestionTable):
    """Comparisons of two systems, in the columns of `VOTE_COLUMNS`; `planned` as many votes.

    Votes that somebody looks at while they come are `anytime` ones and have a further column, `turn`;
    two systems count as equal `within` so much of one half. `stop` says that the study's rule ended it.
    """

    prefix: ClassVar[str] = "votes"
    row: ClassVar[str] = "vote"
    system_columns: ClassVar[tuple[str, ...]] = ("model_a", "model_b")

    planned: int | None = None
    inference: Inference = "fixed"
    within: float | None = None
    stop: StudyStop | None = None


Table = TypeVar("Table", bound=QuestionTable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    title: str
    kind: str
    name: str
    ratings: tuple[QuestionRatings, ...] = ()
    votes: tuple[QuestionVotes, ...] = ()
    raters: str = "all"
    currency: str = ""
    simulated: bool = False
    # Why some raters are flagged, and whether their answers are left out for it.
    flags: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    leaves_out: bool = False
    transcripts: tuple[ReportTranscript, ...] = ()
    # What was masked in them; None if nothing was to be.
    masking: Masking | None = None
    # Who talked in the dialogues and what came of them, as far as their ends say.
    outcomes: StudyOutcomes = field(default_factory=StudyOutcomes)
    # What the study's own board says, where that is not one of votes.
    finding: Headline | None = None
    # What it cost; None where nothing is known of pay.
    costs: StudyCosts | None = None

    @property
    def tables(self) -> list[QuestionTable]:
        """All of them, votes first."""
        return [*self.votes, *self.ratings]

    @property
    def rater_names(self) -> Mapping[str, str]:
        """What people call each rater, by key."""
        return next((table.rater_names for table in self.tables), {})

    @property
    def is_empty(self) -> bool:
        return not any(len(table.frame) for table in self.tables)

    def without_flagged(self) -> "Subject":
        """The same without the answers of flagged raters."""

        def kept(table: Table) -> Table:
            raters = table.frame.texts("rater")
            rows = [n for n, rater in enumerate(raters) if rater not in self.flags]
            return replace(table, frame=table.frame.taken(rows))

        return replace(
            self,
            ratings=tuple(map(kept, self.ratings)),
            votes=tuple(map(kept, self.votes)),
            leaves_out=True,
        )

    def titled(self, title: str) -> "Subject":
        return replace(self, title=title)


class Slugs:
    """Names as parts of paths and anchors, each only once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, name: str) -> str:
        found = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "question"
        slug, number = found, 2
        while slug in self._taken:
            slug, number = f"{found}-{number}", number + 1
        self._taken.add(slug)
        return slug


def count_answers(ratings: Iterable[QuestionRatings]) -> int:
    """How many answers there are: one that gives several labels, or rates several things, is one."""
    rows: dict[str, int] = {}
    for each in ratings:
        asked = each.question or each.name
        rows[asked] = max(rows.get(asked, 0), len(each.frame))
    return sum(rows.values())


def cluster_column(frame: Frame) -> str:
    """What rows share that makes them alike: the dialogue where it is known, else the unit."""
    return "unit" if None in frame.column("dialogue") else "dialogue"


def known_raters(frame: Frame, rows: Sequence[int]) -> list[str] | None:
    """Who gave the answers of these rows; None where that is not known of all of them."""
    column = frame.texts("rater")
    raters = [rater for row in rows if (rater := column[row])]
    return raters if len(raters) == len(rows) else None


def known_clusters(frame: Frame, rows: Sequence[int]) -> list[Sequence[str | None]]:
    """What makes answers of these rows alike: dialogues or units, and raters where there are several."""
    column, raters = frame.texts(cluster_column(frame)), known_raters(frame, rows)
    found: list[Sequence[str | None]] = [[column[row] for row in rows]]
    if raters is not None and len(set(raters)) > 1:
        found.append(raters)
    return found


def has_clusters(frame: Frame) -> bool:
    """Whether units are judged inside of dialogues, so that dialogues are what is independent."""
    dialogues = frame.texts("dialogue")
    if not dialogues or None in dialogues:
        return False
    return len(set(dialogues)) < len(set(frame.texts("unit")))


def answers_by_system(ratings: QuestionRatings) -> dict[str, dict[str, int]]:
    """How often each answer was given, by system; by "all" where systems are not known."""
    systems, answers = ratings.frame.texts("system"), ratings.frame.texts("answer")
    given = Counter(zip(systems, answers, strict=True))
    is_known = any(system is not None for system, _ in given)
    found: dict[str, dict[str, int]] = {}
    for (system, answer), count in given.items():
        if system is not None or not is_known:
            counts = found.setdefault(system or "all", {})
            counts[answer or ""] = counts.get(answer or "", 0) + count
    return found or {"all": {}}
