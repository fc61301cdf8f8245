"""The viewer as a format that is written: of single files, and of studies."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from palaver.core.columns import described_records
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.dialogue_files import FileFormat, FilesBeside
from palaver.reports.export import Counts, ExportFormat
from palaver.reports.source import StudySource
from palaver.reports.viewer.entries import ViewerRow
from palaver.reports.viewer.page import ViewerPage

NAME = "html-viewer"
FILE = "html-viewer.html"


@dataclass(slots=True)
class ViewerWriter:
    """Writes the dialogues of files, each with the labels that stand beside them."""

    page: ViewerPage
    beside: FilesBeside

    def add(self, record: DialogueRecord) -> None:
        self.page.add(record, self.beside.labels.get(record.id, ()))

    def finish(self) -> None:
        self.page.finish()


def _write(source: StudySource, folder: Path) -> Counts:
    title = source.study or "All studies"
    count = 0
    with (folder / FILE).open("wb") as stream:
        page = ViewerPage(stream, title=title)
        for record, labels in _labelled(source):
            page.add(record, labels)
            count += 1
        if source.masks is not None:
            page.note = f"Personal details are masked: {source.masks.masking().in_words()}."
        page.finish()
    return {"dialogues": count}


def _labelled(source: StudySource) -> Iterator[tuple[DialogueRecord, list[LabelRecord]]]:
    for study in source.studies():
        for found in source.of(study).labelled_dialogues():
            yield found.dialogues[0], list(found.labels)


HTML_VIEWER = FileFormat(
    NAME,
    "dialogues",
    "a page to read and filter dialogues in, which opens from disk",
    writer=lambda stream, beside: ViewerWriter(ViewerPage(stream, title=beside.title), beside),
)

VIEWER_EXPORT = ExportFormat(
    name=NAME,
    summary="one page to read, filter and search dialogues in",
    write=_write,
    single=FILE,
    single_media_type="text/html",
    files=(described_records(FILE, "what the list shows of a dialogue", ViewerRow),),
)
