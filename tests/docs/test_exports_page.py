"""Every format, and every field of every file, is in docs/exports.md."""

import msgspec
import pytest

from palaver.core.dialogue import Seat
from palaver.core.events import HOUSEKEEPING, Event
from palaver.core.questions import QUESTION_KINDS
from palaver.core.records import DialogueRecord, LabelRecord, QuestionRecord, RaterRecord
from palaver.core.scenario import Scenario
from palaver.formats import label_studio, tables
from palaver.formats.messages import ChatRow, Takeover
from palaver.reports.export import EXPORTS
from palaver.reports.manifest import FileEntry, Manifest

from .reading import CODE, page, rows, section

PAGE = page("exports.md")


@pytest.mark.parametrize("name", EXPORTS.names())
def test_every_format(name: str) -> None:
    assert name in rows(section(PAGE, "Exports"))


@pytest.mark.parametrize(
    ("struct", "title"),
    [
        (DialogueRecord, "palaver: dialogues.jsonl"),
        (Event, "palaver: dialogues.jsonl"),
        (LabelRecord, "palaver: labels.jsonl"),
        (RaterRecord, "palaver: raters.jsonl"),
        (QuestionRecord, "palaver: questions.jsonl"),
        (ChatRow, "messages"),
        (Manifest, "manifest.json"),
    ],
)
def test_every_field(struct: type[msgspec.Struct], title: str) -> None:
    described = rows(section(PAGE, title))
    assert set(struct.__struct_fields__) <= set(described)


@pytest.mark.parametrize(
    ("struct", "title"),
    [
        (Seat, "palaver: dialogues.jsonl"),
        (Scenario, "palaver: dialogues.jsonl"),
        (Takeover, "messages"),
        (FileEntry, "manifest.json"),
        (label_studio.Paragraph, "label-studio"),
        (label_studio.StudioAnnotation, "label-studio"),
        (label_studio.StudioPrediction, "label-studio"),
        (label_studio.StudioResult, "label-studio"),
        (label_studio.StudioTask, "label-studio"),
    ],
)
def test_every_field_inside_a_field(struct: type[msgspec.Struct], title: str) -> None:
    assert set(struct.__struct_fields__) <= set(CODE.findall(section(PAGE, title)))


def test_no_field_that_does_not_exist() -> None:
    assert set(rows(section(PAGE, "palaver: labels.jsonl"))) == set(LabelRecord.__struct_fields__)
    assert set(rows(section(PAGE, "palaver: raters.jsonl"))) == set(RaterRecord.__struct_fields__)
    described = set(rows(section(PAGE, "palaver: questions.jsonl")))
    assert described == set(QuestionRecord.__struct_fields__)
    assert set(rows(section(PAGE, "messages"))) == set(ChatRow.__struct_fields__)
    assert set(rows(section(PAGE, "manifest.json"))) == set(Manifest.__struct_fields__)


def test_every_column() -> None:
    text = section(PAGE, "csv and parquet")
    dialogues, rest = text.split("`events`: one row per event.")
    events = rest.split("`labels`:")[0]
    assert set(rows(dialogues)) == set(tables.DIALOGUES.names)
    assert set(rows(events)) == set(tables.EVENTS.names)
    assert set(tables.LABELS.names) == set(LabelRecord.__struct_fields__)
    assert set(tables.RATERS.names) == set(RaterRecord.__struct_fields__)
    assert set(tables.QUESTIONS.names) == set(QuestionRecord.__struct_fields__)


def test_every_kind_of_question_has_its_place_in_label_studio() -> None:
    assert set(rows(section(PAGE, "label-studio"))) >= set(QUESTION_KINDS.names())


def test_every_action_of_the_house() -> None:
    assert set(CODE.findall(section(PAGE, "palaver: dialogues.jsonl"))) >= HOUSEKEEPING
