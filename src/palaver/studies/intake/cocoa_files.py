"""Files of CoCoA read for a study: examples or a `chat_state.db`, and the surveys about them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.chat_state import HEADER
from palaver.formats.cocoa.chat_state_records import find_chat_surveys, find_chats
from palaver.formats.cocoa.examples import find_examples
from palaver.formats.cocoa.schema import CocoaSchema
from palaver.formats.cocoa.shapes import is_number
from palaver.formats.cocoa.surveys import find_survey_labels
from palaver.formats.found_records import Found, Mistake, Unconverted
from palaver.formats.line_problems import MOST

# What CoCoA's sites asked about the partner, in words of ours.
WORDINGS = {
    "cooperative": "How cooperative was your partner?",
    "humanlike": "How much like a person did your partner behave?",
    "negotiator": "Did your partner behave as a reasonable person would?",
    "fluent": "How fluent was your partner?",
    "honest": "How honest was your partner?",
    "persuasive": "How persuasive was your partner?",
    "fair": "How fair was your partner?",
    "coherent": "How coherent was your partner?",
    "correct": "How correct was your partner?",
    "comments": "Is there anything else to say about your partner?",
}
_POINTS = range(1, 6)
_LONGEST = 100_000


@dataclass(slots=True)
class CocoaWork:
    """What files give: dialogues, labels about them, what was left out by reason, what is wrong."""

    dialogues: list[DialogueRecord] = field(default_factory=list)
    labels: list[LabelRecord] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    mistakes: list[str] = field(default_factory=list)

    def take(self, found: Iterable[Found]) -> None:
        """Keep what a reader finds."""
        for each in found:
            if isinstance(each, Mistake):
                if str(each) not in self.mistakes:
                    self.mistakes.append(str(each))
            elif isinstance(each, Unconverted):
                self.left_out[each.why] += 1
            elif isinstance(each.record, LabelRecord):
                self.labels.append(each.record)
            else:
                self.dialogues.append(each.record)


def read_cocoa_files(
    files: Sequence[Path],
    *,
    surveys: Path | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
    schema: CocoaSchema | None = None,
    lenient: bool = False,
) -> CocoaWork:
    """The dialogues and surveys of files; InputError with what is wrong, unless that may be left out.

    A database brings its own surveys.
    """
    work = CocoaWork()
    for file in files:
        with file.open("rb") as stream:
            is_database = stream.read(len(HEADER)) == HEADER
            stream.seek(0)
            find = find_chats if is_database else find_examples
            work.take(find(stream, str(file), schema=schema, scenarios=scenarios))
            if is_database:
                stream.seek(0)
                work.take(find_chat_surveys(stream, str(file)))
    if surveys is not None:
        with surveys.open("rb") as stream:
            is_database = stream.read(len(HEADER)) == HEADER
            stream.seek(0)
            find_labels = find_chat_surveys if is_database else find_survey_labels
            work.take(find_labels(stream, str(surveys)))
    if work.mistakes and not lenient:
        told = "\n  ".join(work.mistakes[:MOST])
        more = f"\n  … and {len(work.mistakes) - MOST:,} more" if len(work.mistakes) > MOST else ""
        raise InputError(
            f"Nothing was stored. What is wrong (--lenient leaves it out):\n  {told}{more}"
        )
    return work


def survey_entries(labels: Iterable[LabelRecord]) -> dict[str, dict[str, Any]]:
    """The questions that surveys answer, as a study file declares them.

    >>> survey_entries([])
    {}
    """
    values: dict[str, list[Any]] = {}
    for label in labels:
        values.setdefault(label.question, [])
        if label.value is not None:
            values[label.question].append(label.value)
    return {name: _entry(name, given) for name, given in values.items()}


def _entry(name: str, values: Sequence[Any]) -> dict[str, Any]:
    said = {"text": WORDINGS.get(name, f"{name.replace('_', ' ').capitalize()} (your partner)")}
    if values and not all(is_number(value) for value in values):
        return {"kind": "text", **said, "required": False, "max_characters": _LONGEST}
    if all(value in _POINTS for value in values):
        return {"kind": "likert", **said}
    least, most = min(values), max(values)
    whole = all(float(value).is_integer() for value in values)
    return {
        "kind": "slider",
        **said,
        "least": int(least // 1),
        "most": int(max(most, least + 1) // 1 + (0 if whole else 1)),
        "step": 1 if whole else 0.001,
    }
