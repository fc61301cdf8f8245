"""`annotation_buckets.json`: what raters are asked, as entries of a study file.

A task has a display (`config`), says which turns it is about (`indices`), and has options whose shape
depends on the display. Texts stay as they are, SPEAKER_X and SPEAKER_Y included: the finished state
files and the training files name questions and answers by their texts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import Problem, StudyError
from palaver.core.questions import QUESTION_KINDS, Question
from palaver.core.registry import near
from palaver.formats.chateval.flows import flow_steps, option_label
from palaver.formats.chateval.located import MarkedFile, parse_json, read_json
from palaver.formats.chateval.names import question_name, slug
from palaver.formats.json_places import Steps

INDICES = ("no_indices", "odd", "even", "all", "all_skip_first")
FLOWS = {
    "button_flow": "folded",
    "nondetails_button_flow": "open",
    "nondetails_nonhelp_button_flow": "plain",
}
KNOWN_KEYS = frozenset(
    {"task_title", "question", "indices", "config", "options", "require", "label_details"}
)
LEVELS = ("turn", "dialogue")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """One task: its name there, the question's name here, and the entry for a study file."""

    task: str
    name: str
    # Under `<title>_labels` the choices of a multiselect are stored.
    title: str
    entry: dict[str, Any]
    # What was changed or could not be kept.
    notes: tuple[str, ...] = ()
    # The texts or values of the options as state files hold them, in the order of the file.
    options: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return str(self.entry["kind"])

    def question(self) -> Question:
        fields = {key: value for key, value in self.entry.items() if key != "kind"}
        made: Question = msgspec.convert(
            {**fields, "name": self.name}, QUESTION_KINDS.get(self.kind)
        )
        return made


def read_buckets(file: Path) -> dict[str, Bucket]:
    """The tasks of a file, by their names there; StudyError with every problem."""
    return _buckets(read_json(file))


def parse_buckets(text: str, *, file: str) -> dict[str, Bucket]:
    """The same from a text, such as the one that a finished chat carries along."""
    return _buckets(parse_json(text.removeprefix("\ufeff"), file=file))


def _buckets(marked: MarkedFile) -> dict[str, Bucket]:
    data = marked.data
    if not isinstance(data, dict) or not isinstance(data.get("config"), dict):
        raise marked.error(
            (),
            "The tasks must be under the key 'config': "
            '{"config": {"<task>": {"config": "likert-5-turn", …}}}. It is missing.',
        )
    made: dict[str, Bucket] = {}
    problems: list[Problem] = []
    for task, given in data["config"].items():
        draft = _Draft(marked, task, given)
        bucket = draft.convert(taken={other.name for other in made.values()})
        problems += draft.problems
        if bucket is not None:
            made[task] = bucket
    if problems:
        raise StudyError(problems)
    return made


@dataclass(slots=True)
class _Draft:
    """One task on its way, with what is wrong with it."""

    marked: MarkedFile
    task: str
    given: Any
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)

    def convert(self, *, taken: set[str]) -> Bucket | None:
        """The bucket; None where there are problems."""
        if not isinstance(self.given, dict):
            self.report((), f"The task '{self.task}' must be a mapping; got {_sort(self.given)}.")
            return None
        self._check_keys()
        display = self.given.get("config")
        maker = DISPLAYS.get(display) if isinstance(display, str) else None
        if maker is None:
            hint = near(str(display), DISPLAYS) or f" Known: {', '.join(DISPLAYS)}."
            self.report(("config",), f"Task '{self.task}': there is no display '{display}'.{hint}")
            return None
        entry = maker(self)
        if self.problems:
            return None
        name = question_name(self.task, taken)
        if name != self.task:
            self.notes.append(f"is called '{name}' here")
        return self._checked(
            Bucket(
                task=self.task,
                name=name,
                title=self._text("task_title", self.task),
                entry=entry,
                notes=tuple(self.notes),
                options=tuple(self.options),
            )
        )

    def report(self, steps: Steps, message: str) -> None:
        self.problems.append(self.marked.problem(("config", self.task, *steps), message))

    @property
    def is_required(self) -> bool:
        return isinstance(self.given.get("require"), dict)

    def heading(self) -> str:
        """What stands over the question: its text, or the title of the task in words."""
        title = self._text("task_title", self.task)
        return self._text("question", "") or title.replace("_", " ").strip().capitalize()

    def whole(self) -> dict[str, Any]:
        """The entry's turns for a display that is about the whole dialogue."""
        if self._indices() not in (None, "no_indices"):
            self.notes.append("is about the whole dialogue; its 'indices' had no effect")
        return {}

    def turns(self) -> dict[str, Any]:
        return {"indices": self._indices()}

    def rows(self, *keys: str) -> list[dict[str, Any]]:
        """The options as mappings that have these keys; problems where they have not."""
        options = self.given.get("options")
        if not isinstance(options, list) or not options:
            shape = "{" + ", ".join(f'"{key}": …' for key in keys) + "}"
            expected = f"'options' must be a list of {shape}"
            self.report(("options",), f"Task '{self.task}': {expected}; got {_sort(options)}.")
            return []
        sound = []
        for n, row in enumerate(options):
            missing = [k for k in keys if not isinstance(row, dict) or not _is_text(row.get(k))]
            if missing:
                message = f"Task '{self.task}': option {n + 1} needs '{missing[0]}' as text."
                self.report(("options", n), message)
            else:
                sound.append(row)
        return sound

    def anchors(self) -> dict[str, Any]:
        """The words at points of the scale, which the platform never showed."""
        details = self.given.get("label_details")
        if details is None:
            return {}
        if not isinstance(details, dict) or not all(
            key in {"1", "2", "3", "4", "5"} and _is_text(text) for key, text in details.items()
        ):
            self.report(
                ("label_details",),
                f"Task '{self.task}': 'label_details' takes texts under \"1\" to \"5\".",
            )
            return {}
        return {"anchors": {int(key): text for key, text in details.items()}} if details else {}

    def _checked(self, bucket: Bucket) -> Bucket | None:
        try:
            bucket.question()
        except msgspec.ValidationError as error:
            self.report((), f"Task '{self.task}' does not make a question: {error}")
            return None
        return bucket

    def _check_keys(self) -> None:
        unknown = sorted(set(self.given) - KNOWN_KEYS)
        if unknown:
            self.notes.append(f"has keys that are not read: {', '.join(unknown)}")
        require = self.given.get("require")
        if require is None:
            return
        if not isinstance(require, dict) or require.get("level") not in LEVELS:
            self.report(
                ("require",),
                f"Task '{self.task}': 'require' takes {{\"level\": \"turn\"}} or "
                f'{{"level": "dialogue"}}; got {_sort(require)}.',
            )
        elif "labels" in require:
            self.notes.append("'require.labels' was never implemented there; it has no effect")

    def _indices(self) -> str | None:
        indices = self.given.get("indices")
        if indices in INDICES:
            return str(indices)
        hint = near(str(indices), INDICES) or f" Known: {', '.join(INDICES)}."
        self.report(("indices",), f"Task '{self.task}': there are no indices '{indices}'.{hint}")
        return None

    def _text(self, key: str, otherwise: str) -> str:
        text = self.given.get(key)
        if text is None:
            return otherwise
        if not _is_text(text):
            self.report((key,), f"Task '{self.task}': '{key}' takes text; got {_sort(text)}.")
            return otherwise
        return str(text)


def _flow(draft: _Draft) -> dict[str, Any]:
    display = FLOWS[draft.given["config"]]
    made = flow_steps(draft.task, draft.given.get("options"), is_required=draft.is_required)
    for steps, message in made.problems:
        draft.report(("options", *steps), f"Task '{draft.task}': {message}")
    draft.notes += made.notes
    return {
        "kind": "flow",
        "display": display,
        "text": draft.heading(),
        "required": draft.is_required,
        **draft.turns(),
        "ask": made.steps,
    }


def _multiselect(draft: _Draft) -> dict[str, Any]:
    options = []
    for row in draft.rows("value", "label"):
        draft.options.append(row["value"])
        label = option_label(draft.task, row["value"])
        option = {"id": row["value"], "text": row["label"]} | ({"label": label} if label else {})
        if row.get("speaker") is not None:
            option["speaker"] = row["speaker"]
        options.append(option)
    return {
        "kind": "multiselect",
        "text": draft.heading(),
        "required": draft.is_required,
        **draft.turns(),
        "options": options,
    }


def _likert(draft: _Draft, where: dict[str, Any]) -> dict[str, Any]:
    rows = draft.rows("label", "question")
    draft.options += [row["label"] for row in rows]
    shared = {"required": draft.is_required, **where, **draft.anchors()}
    if len(rows) != 1:
        draft.notes.append("has several scales, which are kept together as aspects")
        aspects = [{"text": row["question"], "label": row["label"]} for row in rows]
        return {"kind": "aspects", "text": draft.heading(), **shared, "aspects": _with_ids(aspects)}
    return {"kind": "likert", "text": rows[0]["question"], "label": rows[0]["label"], **shared}


def _comparative(draft: _Draft) -> dict[str, Any]:
    options = draft.given.get("options")
    if (
        not isinstance(options, list)
        or len(options) not in (2, 3)
        or not all(map(_is_text, options))
    ):
        draft.report(
            ("options",),
            f"Task '{draft.task}': 'options' must be two or three texts (left, right, and no "
            f"difference); got {_sort(options)}.",
        )
        return {}
    draft.options += options
    tie = {"label_tie": options[2]} if len(options) == 3 else {"tie": False}
    return {
        "kind": "comparative",
        "text": draft.heading(),
        "required": draft.is_required,
        **draft.whole(),
        "label_a": options[0],
        "label_b": options[1],
        **tie,
    }


def _aspects(draft: _Draft, where: dict[str, Any]) -> dict[str, Any]:
    rows = draft.rows("value", "label")
    draft.options += [row["value"] for row in rows]
    aspects = [{"text": row["label"], "label": row["value"]} for row in rows]
    return {
        "kind": "aspects",
        "text": draft.heading(),
        "required": draft.is_required,
        **where,
        **draft.anchors(),
        "aspects": _with_ids(aspects),
    }


def _with_ids(aspects: list[dict[str, str]]) -> list[dict[str, str]]:
    made: list[dict[str, str]] = []
    for aspect in aspects:
        id = slug(aspect["label"], [other["id"] for other in made], otherwise="aspect")
        made.append({"id": id, **aspect})
    return made


# How each display becomes an entry.
DISPLAYS: dict[str, Callable[[_Draft], dict[str, Any]]] = {
    **dict.fromkeys(FLOWS, _flow),
    "multiselect": _multiselect,
    "likert-5-turn": lambda draft: _likert(draft, draft.turns()),
    "likert-5-dialogue": lambda draft: _likert(draft, draft.whole()),
    "comparative": _comparative,
    "foreach-5-select": lambda draft: _aspects(draft, draft.turns()),
    "foreach-5-select-dialogue": lambda draft: _aspects(draft, draft.whole()),
}


def bucket_notes(buckets: dict[str, Bucket]) -> Iterator[str]:
    """What was changed or could not be kept, task by task."""
    for bucket in buckets.values():
        for note in bucket.notes:
            yield f"Task '{bucket.task}' {note}."


def _is_text(given: Any) -> bool:
    return isinstance(given, str) and bool(given.strip())


def _sort(given: Any) -> str:
    if isinstance(given, dict | list):
        return "a mapping" if isinstance(given, dict) else f"a list of {len(given)}"
    return "nothing" if given is None else repr(given)[:40]
