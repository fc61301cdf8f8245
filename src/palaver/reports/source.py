"""What an export reads: one study (or all) of a store, as of one moment, masked or not."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.registry import near
from palaver.formats.masking import mask_dialogue, mask_label
from palaver.storage.dialogues import dialogue_records
from palaver.storage.labels import label_records
from palaver.storage.studies import StoredStudy, list_studies


@dataclass(frozen=True, slots=True)
class Source:
    """A study's records, read from one transaction."""

    connection: Connection
    study: str | None
    masked: bool
    # The folders of studies, by name, for formats that carry their files along.
    study_folders: Mapping[str, Path] = field(default_factory=dict)

    def studies(self) -> list[StoredStudy]:
        """The chosen study, or all."""
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
        """Every dialogue, oldest first."""
        records = dialogue_records(self.connection, self.study)
        return map(mask_dialogue, records) if self.masked else records

    def labels(self) -> Iterator[LabelRecord]:
        """Every label, oldest first."""
        records = label_records(self.connection, self.study)
        return map(mask_label, records) if self.masked else records


def hold_still(connection: Connection) -> Connection:
    """Make everything that is read from here on of one moment."""
    # SQLite's transactions are so; PostgreSQL's only if asked, before the first statement.
    if connection.dialect.name == "postgresql":
        return connection.execution_options(isolation_level="REPEATABLE READ")
    return connection
