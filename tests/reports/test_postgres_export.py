"""Exports from PostgreSQL: the same records as everywhere, of one moment."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.records import LabelRecord
from palaver.reports.export import export_study
from palaver.reports.opened_bundle import open_bundle
from palaver.reports.source import StudySource
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.judging.tidy import label_records
from palaver.storage.studies.studies import list_studies, register_study
from support.databases import Postgres

pytestmark = pytest.mark.postgres


@pytest.fixture
def store(postgres: Postgres) -> Iterator[Store]:
    store = Store(postgres.new_database())
    yield store
    store.close()


def test_a_bundle_of_postgresql_opens_as_sqlite_with_the_same_records(
    filled: Store, tmp_path: Path
) -> None:
    path = tmp_path / "demo.zip"
    export_study(filled, study="demo", format="bundle", destination=path, mask=False)
    opened = Store(f"sqlite:///{open_bundle(path, tmp_path / 'opened')}", read_only=True)
    assert opened.read_now(lambda c: list(dialogue_records(c))) == filled.read_now(
        lambda c: list(dialogue_records(c, "demo"))
    )
    assert opened.read_now(lambda c: list(label_records(c))) == filled.read_now(
        lambda c: list(label_records(c, "demo"))
    )
    opened.close()


def test_a_bundle_of_postgresql_is_masked_as_its_rows_are_read(
    filled: Store, tmp_path: Path
) -> None:
    path = tmp_path / "demo.zip"
    export_study(filled, study="demo", format="bundle", destination=path, mask=True)
    opened = Store(f"sqlite:///{open_bundle(path, tmp_path / 'opened')}", read_only=True)
    first = opened.read_now(lambda c: list(dialogue_records(c)))[0]
    values = opened.read_now(lambda c: [record.value for record in label_records(c)])
    opened.close()
    assert first.events[0].text == "mail me: [email]"
    assert "as [email] says" in values


def test_what_is_written_meanwhile_is_not_in_the_export(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = StudySource.labels

    def write_first(self: StudySource) -> Iterator[LabelRecord]:
        filled.write_now(
            lambda c: register_study(c, name="late", title="", digest="", definition="", now=1.0)
        )
        return real(self)

    monkeypatch.setattr(StudySource, "labels", write_first)
    stream = io.BytesIO()
    export_study(filled, study=None, format="palaver", destination=stream, mask=True)
    with zipfile.ZipFile(stream) as archive:
        assert not [name for name in archive.namelist() if "late" in name]
    assert len(filled.read_now(list_studies)) == 3
