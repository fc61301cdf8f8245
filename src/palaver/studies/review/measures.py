"""What is measured of a study's answers, kept so that nobody waits for it.

Agreement, splits and what each rater did take seconds once there are hundreds of thousands of labels.
They are measured beside the server and kept with the mark of the answers they were measured of. While
the mark is that of the answers as they stand, what is kept is what would be measured; after that it is
shown with its time and with the number of labels that came since. Studies with few labels are measured
whenever somebody looks. See docs/design/kept-summaries.md.
"""

import base64
import zlib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, get_args

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.questions.question import Question
from palaver.core.registry import near
from palaver.storage.judging.exclusions import excluded_raters, exclusion_notes
from palaver.storage.judging.ratings import has_more_labels, judging_version, labels_since
from palaver.storage.judging.summaries import KeptSummary, keep_summary, read_summary
from palaver.storage.people.rater_work import newest_entries
from palaver.studies.review.question_overview import (
    FacetOverview,
    QuestionList,
    QuestionOverview,
    RaterFilter,
)
from palaver.studies.review.questions import (
    DisagreementMap,
    disagreement_map,
    question_overviews,
    read_answers,
)
from palaver.studies.review.raters import RaterList, RaterOverview, rater_overviews

T = TypeVar("T")

# Measuring so many labels takes less than a tenth of a second.
FEW = 3_000
# Changes when what is kept is written in another way.
FORM = "4"


@dataclass(frozen=True, slots=True)
class KeptMeasure(Generic[T]):
    """Something measured: now, or at a `time` since when so many labels came.

    There is no `value` before the first time; `time` is None where nothing changed since.
    """

    value: T | None
    time: float | None = None
    since: int = 0

    @property
    def is_current(self) -> bool:
        """Whether it is measured of the answers as they stand."""
        return self.value is not None and self.time is None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyMeasures:
    """The measures of a study's answers, by all raters or one kind of them.

    `digest` names the version of the study's file; `asked` are the questions in its order, `own` those
    that people answer about their own conversations.
    """

    study_id: int
    study: str
    digest: str
    questions: Mapping[str, Question]
    asked: tuple[str, ...]
    own: Collection[str]
    raters: RaterFilter
    # What could not be kept in a store that is only read, by name.
    unsaved: Mapping[str, KeptSummary] = field(default_factory=dict)

    def read_raters(self, connection: Connection) -> KeptMeasure[RaterList]:
        """The raters; whether somebody is left out is always told as it is now."""
        found = self._read(connection, f"raters:{self.raters}", RaterList, self.measure_raters)
        return _changed(found, lambda value: self._noted(connection, value))

    def read_questions(self, connection: Connection) -> KeptMeasure[QuestionList]:
        """Every question."""
        found = self._read(
            connection, f"questions:{self.raters}", QuestionList, self.measure_questions
        )
        return _changed(found, lambda value: self._named(connection, value))

    def read_map(self, connection: Connection, question: str) -> KeptMeasure[DisagreementMap]:
        """The disagreement map of a question; InputError if nobody asks it."""

        def measure(connection: Connection) -> DisagreementMap:
            return self.measure_map(connection, question)

        name = f"map:{self.raters}:{question}"
        found = self._read(connection, name, DisagreementMap, measure)
        if found.value is None and question not in self.questions:
            return KeptMeasure(measure(connection))
        return _changed(found, lambda value: replace(value, overview=self._asked(value.overview)))

    def mark(self, connection: Connection) -> str:
        """The mark of the answers as they stand, under the study's file as it is."""
        return f"{FORM}:{self.digest}:{judging_version(connection, self.study_id)}"

    def measure_raters(self, connection: Connection) -> RaterList:
        found = rater_overviews(connection, self.study_id, self.questions, raters=self.raters)
        return RaterList(found, newest_entries(connection, self.study_id))

    def measure_questions(self, connection: Connection) -> QuestionList:
        answers = read_answers(
            connection, self.study_id, raters=self.raters, questions=self.questions
        )
        found = question_overviews(self.questions, answers, asked=self.asked, own=self.own)
        return QuestionList(self.raters, answers.excluded, found)

    def measure_map(self, connection: Connection, question: str) -> DisagreementMap:
        answers = read_answers(
            connection,
            self.study_id,
            raters=self.raters,
            question=question,
            questions=self.questions,
        )
        if question not in self.questions and not answers.ratings:
            hint = near(question, self.questions)
            raise InputError(f"'{self.study}' has no question '{question}'.{hint}")
        return disagreement_map(
            question, self.questions.get(question), answers, own=question in self.own
        )

    def measure_all(self, connection: Connection) -> dict[str, str]:
        """All measures of the study, by the name they are kept under."""
        raters = self.measure_raters(connection)
        answers = read_answers(
            connection, self.study_id, raters=self.raters, questions=self.questions
        )
        maps = [
            disagreement_map(name, self.questions.get(name), answers, own=name in self.own)
            for name in dict.fromkeys([*self.asked, *answers.by_question])
        ]
        people = _written(replace(raters, raters=[_brief(each) for each in raters.raters]))
        drawn = {
            each.overview.name: _written(replace(each, overview=_bare(each.overview)))
            for each in maps
        }
        found: dict[str, str] = {}
        for whose in self._same(raters):
            asked = QuestionList(whose, answers.excluded, [_bare(each.overview) for each in maps])
            found |= {f"raters:{whose}": people, f"questions:{whose}": _written(asked)}
            found |= {f"map:{whose}:{name}": written for name, written in drawn.items()}
        return found

    def is_measured(self, connection: Connection) -> bool:
        """Whether what is kept was measured of the answers as they stand."""
        kept = read_summary(connection, self.study_id, f"questions:{self.raters}")
        return kept is not None and kept.mark == self.mark(connection)

    def _same(self, measured: RaterList) -> tuple[RaterFilter, ...]:
        """Whose answers these are: where all raters are of one kind, also those of that kind."""
        kinds = {each.kind for each in measured.raters}
        only: list[RaterFilter] = [kind for kind in get_args(RaterFilter) if {kind} == kinds]
        return (self.raters, *(only if self.raters == "all" else ()))

    def _read(
        self,
        connection: Connection,
        name: str,
        kind: type[T],
        measure: Callable[[Connection], T],
    ) -> KeptMeasure[T]:
        if not has_more_labels(connection, self.study_id, FEW):
            return KeptMeasure(measure(connection))
        kept = self.unsaved.get(name) or read_summary(connection, self.study_id, name)
        mark = self.mark(connection)
        if kept is None or kept.mark.rpartition(":")[0] != mark.rpartition(":")[0]:
            return KeptMeasure(None)
        try:
            value = _read(kept, kind)
        except msgspec.MsgspecError:
            return KeptMeasure(None)  # written by another version of this program
        if kept.mark == mark:
            return KeptMeasure(value)
        came = labels_since(connection, self.study_id, kept.mark.rpartition(":")[2])
        return KeptMeasure(value, kept.time, came)

    def _noted(self, connection: Connection, value: RaterList) -> RaterList:
        """With who is left out, and everybody's record, as they are now."""
        notes = {
            note.rater_id: note for note in exclusion_notes(connection, study_id=self.study_id)
        }
        for each in value.raters:
            each.note = notes.get(each.rater_id)
        return replace(value, records=newest_entries(connection, self.study_id))

    def _named(self, connection: Connection, value: QuestionList) -> QuestionList:
        """With the questions of the study's file, and the number of those who are left out now."""
        return replace(
            value,
            questions=[self._asked(each) for each in value.questions],
            excluded=len(excluded_raters(connection, self.study_id)),
        )

    def _asked(self, overview: QuestionOverview) -> QuestionOverview:
        question = self.questions.get(overview.name)
        facets = tuple(replace(each, question=question) for each in overview.facets)
        return replace(overview, question=question, facets=facets)


def keep_measures(connection: Connection, study_id: int, kept: Mapping[str, KeptSummary]) -> None:
    """Keep what was measured of a study, by name."""
    for name, summary in kept.items():
        keep_summary(connection, study_id, name, summary)


def _changed(found: KeptMeasure[T], change: Callable[[T], T]) -> KeptMeasure[T]:
    return found if found.value is None else replace(found, value=change(found.value))


def _brief(rater: RaterOverview) -> RaterOverview:
    """The rater with the median of all times in the place of the times."""
    return replace(
        rater,
        label_seconds=_median_alone(rater.seconds_per_label),
        sheet_seconds=_median_alone(rater.seconds_per_sheet),
        note=None,
    )


def _median_alone(seconds: float | None) -> list[float]:
    return [] if seconds is None else [seconds]


def _bare(overview: QuestionOverview) -> QuestionOverview:
    """The overview without its question, which the study's file has."""
    facets: tuple[FacetOverview, ...] = tuple(
        replace(each, question=None) for each in overview.facets
    )
    return replace(overview, question=None, facets=facets)


def _written(value: Any) -> str:
    """A value as text: packed, because the keys of counts are points, names and truths."""
    packed = msgspec.msgpack.encode(value, enc_hook=_without)
    return base64.b64encode(zlib.compress(packed)).decode()


def _without(value: Any) -> None:
    """How a facet codes an answer is not kept: what is kept was coded."""
    if not callable(value):
        raise NotImplementedError(f"A {type(value).__name__} cannot be kept.")


def _cannot_code(value: Any, labels: Any) -> Any:
    raise TypeError("A facet that was kept codes no answers.")


def _read(kept: KeptSummary, kind: type[T]) -> T:
    packed = zlib.decompress(base64.b64decode(kept.content))
    return msgspec.msgpack.decode(packed, type=kind, dec_hook=lambda kind, value: _cannot_code)
