"""The study on its way: what the stages add to it, the files that go along, and the report."""

import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.chateval.buckets import Bucket, bucket_notes, read_buckets
from palaver.formats.chateval.config import Config
from palaver.formats.chateval.jsx import Descriptions
from palaver.formats.chateval.located import read_text
from palaver.formats.chateval.names import SHIPPED_ID
from palaver.formats.chateval.project import TASK_DIR, Project
from palaver.formats.chateval.prose import markdown_of
from palaver.formats.chateval.task_files import Renaming
from palaver.formats.excel import SUFFIX
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.studies import library

UNCONFIGURED = "unconfigured"


@dataclass(slots=True)
class ImportReport:
    """The report of one import; every entry is one line of it."""

    source: str = ""
    # (their key, what it became)
    mapped: list[tuple[str, str]] = field(default_factory=list)
    pseudonymised: list[str] = field(default_factory=list)
    unconfigured: list[str] = field(default_factory=list)
    # (their key, why there is nothing like it)
    without: list[tuple[str, str]] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)

    def map(self, theirs: str, ours: str) -> None:
        """Say what a key became."""
        self.mapped.append((theirs, ours))

    def lose(self, theirs: str, why: str) -> None:
        """Say that a key has no equivalent."""
        self.without.append((theirs, why))

    def text(self) -> str:
        parts = [
            f"# Imported from {self.source}",
            _section("Mapped", [f"`{theirs}` → {ours}" for theirs, ours in self.mapped]),
            _section("Pseudonymised", self.pseudonymised or ["Nobody: the files name no people."]),
            _section(
                "Still to be provided",
                self.unconfigured or ["Nothing. `palaver serve` can start."],
            ),
            _section(
                "Without equivalent",
                [f"`{theirs}`: {why}" for theirs, why in self.without] or ["Nothing."],
            ),
            _section("Mended", self.mended or ["Nothing applied to this configuration."]),
        ]
        return "\n\n".join(parts) + "\n"


@dataclass(slots=True)
class ImportDraft:
    """What will be written, and the report that is written with it."""

    project: Project
    config: Config
    salt: str
    report: ImportReport
    buckets: dict[str, Bucket] = field(default_factory=dict)
    systems: dict[str, Any] = field(default_factory=dict)
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    stages: list[dict[str, Any]] = field(default_factory=list)
    # Lines that stand as comments above the stages.
    remarks: list[str] = field(default_factory=list)
    # Path in the study's folder → content.
    files: dict[str, str | bytes] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)
    # Finds the system in the id of a dialogue.
    system_from: re.Pattern[str] = SHIPPED_ID
    # What the pages of the project say of its tasks.
    descriptions: Descriptions = field(default_factory=Descriptions)
    # The questions that are explained in the project's own words, and whether its texts are shown.
    described: list[str] = field(default_factory=list)
    has_own_texts: bool = False

    @property
    def renaming(self) -> Renaming:
        """How tasks and people are called in the files that go along."""
        names = {task: bucket.name for task, bucket in self.buckets.items()}
        return Renaming(names, lambda person: origin_pseudonym(self.salt, person), self.system_from)

    def read_buckets(self) -> None:
        """Read what can be asked; a file that is not here leaves the built-in questions."""
        written = self.config.blueprint.annotations_config_path
        if not written:
            raise self.config.problem(
                "annotations_config_path", "'annotations_config_path' is missing."
            )
        file = self.project.locate(written)
        if file is None:
            self.report.unconfigured.append(
                f"`{shown(written)}` (annotations_config_path) is not here; questions of the same "
                "name that ship with Palaver stand in for its tasks."
            )
            return
        self.buckets = read_buckets(file)
        count = len(self.buckets)
        self.report.map("annotations_config_path", f"`questions` ({count} tasks could be read)")

    def ask(self, tasks: Iterable[str]) -> list[str]:
        """The questions for some tasks, by name; they become part of the study."""
        names: list[str] = []
        for task in tasks:
            bucket = self.buckets.get(task)
            if bucket is not None:
                if bucket.name not in self.questions:
                    self.questions[bucket.name] = self._explained(bucket)
                names.append(bucket.name)
            elif self.buckets or library.question_entry(task) is None:
                self.report.lose(task, "no task has this name; it is not asked")
            else:
                names.append(task)
        return list(dict.fromkeys(names))

    def _explained(self, bucket: Bucket) -> dict[str, Any]:
        """The entry of a question, explained in the project's own words where its pages have any."""
        said = self.descriptions.of(bucket.title) or self.descriptions.of(bucket.task)
        text = "" if said is None else markdown_of(said.html)
        if said is None or not text:
            return _with_definition(bucket)
        self.described.append(bucket.name)
        if said.computed:
            listed = ", ".join(f"`{expression}`" for expression in said.computed)
            self.report.lose(
                f"frontend, '{bucket.title}'", f"computed by the page, so left out of it: {listed}"
            )
        return {**bucket.entry, "definition": text}

    def kind_of(self, task: str) -> str:
        """The kind of question that a task becomes; empty where nobody knows the task."""
        if task in self.buckets:
            return self.buckets[task].kind
        entry = library.question_entry(task)
        return "" if entry is None else str(entry["kind"])

    def find(self, key: str, written: str) -> Path | None:
        """A file of right answers: the one that is named, or the workbook that it was made of."""
        file = self.project.locate(written)
        if file is None:
            book = str(Path(written).with_suffix(SUFFIX))
            file = self.project.locate(book)
            if file is not None:
                self.report.map(key, f"`{shown(book)}`: {shown(written)} is not here")
        return file

    def carry(self, written: str, content: str | bytes) -> str:
        """Let a file go along; its path in the study's folder."""
        path = inside(written)
        self.files[path] = content
        return path

    def missing(self, key: str, written: str) -> dict[str, str]:
        """The entry for a file that is not here."""
        self.report.unconfigured.append(f"`{shown(written)}` ({key}) is not in the project.")
        return {UNCONFIGURED: f"{shown(written)} was not in the project"}

    def finish_report(self) -> None:
        """Report what concerns the tasks and the people."""
        asked = {task: b for task, b in self.buckets.items() if b.name in self.questions}
        for note in bucket_notes(asked):
            self.report.lose("annotation_buckets.json", note)
        left = len(self.buckets) - len(asked)
        if left:
            self.report.map("annotation_buckets.json", f"{left} tasks are not asked in this study")
        if self.described:
            self.report.map(
                "frontend/components/task_descriptions",
                f"`definition` of {', '.join(self.described)}, shown open (`guides: open`)",
            )
        ours = [
            name
            for name, entry in self.questions.items()
            if "definition" in entry and name not in self.described
        ]
        if ours:
            self.report.lose(
                "left pane",
                "the platform's instructions are in the code of its pages (`frontend/`), which says "
                f"nothing of {', '.join(ours)} here; Palaver's own definitions are shown instead",
            )
        if any("anchors" in entry for entry in self.questions.values()):
            self.report.mended.append(
                "`label_details` was never shown; raters see these words now."
            )


def new_salt(given: str | None) -> str:
    """The salt of an import: the one that was given, else a new one."""
    if given is not None and not given.strip():
        raise InputError("--salt needs some text; got nothing.")
    return given if given is not None else secrets.token_hex(16)


def shown(written: str) -> str:
    """A path as it stands in the project."""
    return written.replace(f"{TASK_DIR}/", "")


def inside(written: str) -> str:
    """Where a file of the project stands in the study: without what lies around it."""
    parts = [part for part in Path(shown(written)).parts if part not in ("/", "..", ".")]
    return "/".join(parts[-2:])


def markdown_file(project: Project, written: str | None) -> str | None:
    """The text of an HTML file of the project; None where none is named or here."""
    file = project.locate(written) if written else None
    return None if file is None else read_text(file)


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([f"## {title}", "", *(f"- {line}" for line in lines)])


def _with_definition(bucket: Bucket) -> dict[str, Any]:
    """The entry, with our own definition where the platform had one in its pages."""
    built_in = (
        library.question_entry(bucket.task) if bucket.kind in ("flow", "multiselect") else None
    )
    definition = (built_in or {}).get("definition")
    return {**bucket.entry, "definition": definition} if definition else bucket.entry
