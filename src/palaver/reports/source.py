"""What an export reads: one study (or all) of a store, as of one moment, masked or not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError, StudyError
from palaver.core.questions import Question
from palaver.core.records import DialogueRecord, LabelRecord, QuestionRecord, RaterRecord, TidyLabel
from palaver.core.registry import near
from palaver.core.studies.dialogues import REAL
from palaver.core.studies.progress import StoredStudy
from palaver.formats.marked_yaml import parse_marked
from palaver.reports.masks import StudyMasks
from palaver.storage.dialogues.dialogues import dialogue_records, load_dialogue
from palaver.storage.dialogues.summaries import count_studies
from palaver.storage.judging.tidy import (
    borrowed_dialogues,
    label_records,
    labelled_pairs,
    labels_of_dialogues,
    rater_records,
)
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.questions import add_built_in, build_questions

# Dialogues whose labels are read at once.
_BATCH = 200


@dataclass(frozen=True, slots=True)
class LabelledDialogues:
    """What a study judged: one dialogue, or two that were compared, and what was said of it."""

    dialogues: tuple[DialogueRecord, ...]
    labels: list[TidyLabel]


@dataclass(frozen=True, slots=True)
class StudySource:
    """A study's records, read from one transaction."""

    connection: Connection
    study: str | None
    # How what was said is masked; None: it is not.
    masks: StudyMasks | None
    # The folders of studies, by name, for formats that carry their files along.
    study_folders: Mapping[str, Path] = field(default_factory=dict)
    # The sections of released data whose labels are wanted; all labels where none is named.
    sections: tuple[str, ...] = ()

    def studies(self) -> list[StoredStudy]:
        known = list_studies(self.connection)
        if self.study is None:
            return known
        chosen = [study for study in known if study.name == self.study]
        if not chosen:
            names = [study.name for study in known]
            hint = near(self.study, names) or f" Known: {', '.join(names) or 'none'}."
            raise InputError(f"There is no study '{self.study}' in this store.{hint}")
        return chosen

    def dialogues(self) -> Iterator[DialogueRecord]:
        """Every dialogue, oldest first; `purpose` tells practice and checks from data."""
        records = dialogue_records(self.connection, self.study)
        return map(self.masks.dialogue, records) if self.masks else records

    def data(self) -> Iterator[DialogueRecord]:
        """Every dialogue that is neither practice nor a check, oldest first."""
        return (record for record in self.dialogues() if record.purpose == REAL)

    def counts(self, **rows: int) -> dict[str, int]:
        """How much there is, in the numbers of the desk, and how many `rows` a file has beside.

        A file of labels also has those that do not count: replaced, erased, excluded, practice and
        checks. What is not there, or as many as the rows, is not told.
        """
        names = {study.name for study in self.studies()}
        found = [study for study in count_studies(self.connection) if study.name in names]
        told = ("dialogues", "practice", "checks", "labels", "raters")
        counts = {name: sum(getattr(study, name) for study in found) for name in told}
        for name in ("practice", "checks"):
            if not counts[name]:
                del counts[name]
        for name, count in rows.items():
            if count != counts[name]:
                counts[f"{name.removesuffix('s')}_rows"] = count
        return counts

    def labels(self) -> Iterator[LabelRecord]:
        """Every label, oldest first."""
        records = label_records(self.connection, self.study, sections=self.sections)
        return map(self.masks.label, records) if self.masks else records

    def raters(self) -> Iterator[RaterRecord]:
        """Whoever labelled, in each study."""
        return rater_records(self.connection, self.study, sections=self.sections)

    def of(self, study: StoredStudy) -> "StudySource":
        return replace(self, study=study.name)

    def labelled_dialogues(self) -> Iterator[LabelledDialogues]:
        """Every dialogue that is data with what the study says of it, then those of other studies."""
        assert self.study is not None
        borrowed = (self._load(key) for key in borrowed_dialogues(self.connection, self.study))
        records = chain(self.data(), borrowed)
        while batch := list(islice(records, _BATCH)):
            keys = [record.id for record in batch]
            found = labels_of_dialogues(self.connection, self.study, keys, sections=self.sections)
            for record in batch:
                yield LabelledDialogues((record,), self._masked(found[record.id]))

    def labelled_pairs(self) -> Iterator[LabelledDialogues]:
        """Every pair of dialogues that the study compared, in the order of the unit's sides."""
        assert self.study is not None
        for pair in labelled_pairs(self.connection, self.study, sections=self.sections):
            sides = tuple(self._load(key) for key in pair.dialogues)
            yield LabelledDialogues(sides, self._masked(pair.labels))

    def _load(self, key: str) -> DialogueRecord:
        record = load_dialogue(self.connection, key).record()
        return self.masks.dialogue(record) if self.masks else record

    def _masked(self, labels: list[TidyLabel]) -> list[TidyLabel]:
        return [*map(self.masks.label, labels)] if self.masks else labels


@dataclass(frozen=True, slots=True)
class StoredQuestions:
    """The questions by name; `readable` is false if the definition, or one of them, is broken."""

    questions: dict[str, Question]
    readable: bool


def read_questions(study: StoredStudy) -> StoredQuestions:
    """The questions that a study's stored definition declares or takes from the library."""
    try:
        marked = parse_marked(study.definition.encode(), file=study.name)
    except StudyError:
        return StoredQuestions({}, readable=False)
    asked = add_built_in(build_questions(marked.data.get("questions", {})), marked.data)
    return StoredQuestions(asked.questions, readable=not asked.key_problems)


def question_record(study: str, question: Question) -> QuestionRecord:
    said = msgspec.to_builtins(question, str_keys=True)
    # The tag that tells structs apart and the name stand in columns of their own.
    definition = {key: value for key, value in said.items() if key not in ("type", "name")}
    return QuestionRecord(
        study=study,
        question=question.name,
        question_version=question.version,
        kind=question.kind,
        about=question.about,
        level=question.level,
        labels=list(question.label_names),
        text=question.text,
        definition={"kind": question.kind, **definition},
    )


def hold_still(connection: Connection) -> Connection:
    """Make everything that is read from here on of one moment."""
    # SQLite's transactions are so; PostgreSQL's only if asked, before the first statement.
    if connection.dialect.name == "postgresql":
        return connection.execution_options(isolation_level="REPEATABLE READ")
    return connection
