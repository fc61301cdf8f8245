"""Which examples of a round become data, and why each of the others does not.

Nothing is mended and nothing is guessed: an example is taken as it was written, or left out for the
first reason that holds, and every reason is counted.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import WrittenExample
from palaver.core.tasks import Field, Task
from palaver.core.words import counted
from palaver.metrics.registry import find_metric
from palaver.metrics.shapes import HUMAN_ANSWERS

# What an example may have been noticed for, and is then left out, unless somebody wants it all the same.
NOTED = ("duplicate", "copied", "language")
# Every reason to leave an example out, in the order in which they are looked at, as a list tells them.
REASONS: Mapping[str, str] = {
    "withdrawn": "its writer has withdrawn",
    "retracted": "its writer took it back",
    "undecided": "nobody said whether the model was wrong",
    "right": "the model was right",
    "not kept": "its writer went on to another try",
    "waiting": "it waits for judgements",
    "split": "those who judged it disagree",
    "incorrect": "it was found incorrect",
    "flagged": "it was flagged",
    "label": "its label is not one that the task has now",
    "invalid": "it is not an item of the task as it is now",
    "copied": "it is copied from its context",
    "language": "it is in another language",
    "duplicate": "it is the same as another example",
    "other split": "the model was right, and its writer is in another split",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The examples that become data, in the order they were written; of the others, why not."""

    taken: tuple[WrittenExample, ...]
    # Examples that the model got right and people found right: for training alone.
    right: tuple[WrittenExample, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> dict[str, int]:
        """How many were left out, by reason."""
        return in_order(Counter(self.reasons.values()))

    @property
    def waiting(self) -> int:
        """How many would perhaps become data if people went on judging."""
        return sum(reason == "waiting" for reason in self.reasons.values())


def sort_out(
    examples: Iterable[WrittenExample],
    task: Task,
    *,
    noted: Collection[str] = (),
    right: bool = False,
) -> Selection:
    """What becomes data: verified examples that are items of the task as it is now.

    What was noticed of an example leaves it out unless `noted` names it. With `right`, examples that
    the model got right and people found correct are taken for training.
    """
    taken: list[WrittenExample] = []
    for_training: list[WrittenExample] = []
    reasons: dict[str, str] = {}
    seen: set[str] = set()
    for example in sorted(examples, key=lambda each: (each.time, each.uid)):
        is_right = right and example.wrong is False and example.standing == "correct"
        reason = _reason(example, task, noted, is_right=is_right)
        content = _content(example, task)
        if not reason and content in seen and "duplicate" not in noted:
            reason = "duplicate"
        if reason:
            reasons[example.uid] = reason
            continue
        seen.add(content)
        (for_training if is_right else taken).append(example)
    return Selection(taken=tuple(taken), right=tuple(for_training), reasons=reasons)


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts of reasons in the order of `REASONS`; those that nobody has are left out."""
    return {reason: counts[reason] for reason in REASONS if counts.get(reason)}


def item_record(example: WrittenExample, task: Task, **metadata: Any) -> dict[str, Any]:
    """The record of a data set that an example becomes."""
    return {
        "uid": example.uid,
        **_fields(example, task),
        "tags": [example.tag] if example.tag else [],
        "metadata": metadata,
    }


def _reason(example: WrittenExample, task: Task, noted: Collection[str], *, is_right: bool) -> str:
    """Why an example is left out; empty if it is taken."""
    found = "" if is_right else _standing(example)
    if example.retracted:
        found = "retracted"
    if not found:
        found = _misfit(example, task)
    if not found:
        found = next((n for n in NOTED if n in example.notes and n not in noted), "")
    return found


def _standing(example: WrittenExample) -> str:
    if example.wrong is None:
        return "undecided"
    if not example.wrong:
        return "right"
    if not example.kept:
        return "not kept"
    return "" if example.standing == "correct" else example.standing


def _misfit(example: WrittenExample, task: Task) -> str:
    record = {"uid": example.uid, **_fields(example, task)}
    try:
        task.read_example(record)
    except InputError:
        golds = {task.gold[target.name] for target in task.targets}
        others = {name: value for name, value in record.items() if name not in golds}
        return "label" if _are_asked(others, task) else "invalid"
    return ""


def _are_asked(record: Mapping[str, Any], task: Task) -> bool:
    """Whether everything but the gold is as the task asks for it."""
    try:
        for each in task.asked:
            each.check(record[each.name] if each.name in record else each.absent(), record)
    except ValueError:
        return False
    return True


def _fields(example: WrittenExample, task: Task) -> dict[str, Any]:
    """The fields of the task that an example has; the gold under the name that it is kept under."""
    wanted = [each.name for each in task.asked]
    found = {name: example.values[name] for name in wanted if name in example.values}
    for target in task.targets:
        kept = task.gold[target.name]
        name = kept if kept in example.values else target.name
        if name in example.values:
            gold = example.values[name]
            found[kept] = _of_people(example, gold) if _is_of_people(task, target) else gold
    return found


def _is_of_people(task: Task, target: Field) -> bool:
    """Whether the metric compares an output with what several people answered, as it does in `vqa`."""
    if target.name not in task.performance.fields:
        return False
    metric = find_metric(task.performance.metric, folder=Path(task.folder or "."))
    return metric.references is HUMAN_ANSWERS


def _of_people(example: WrittenExample, gold: Any) -> Any:
    """The writer's answer, and that of each who judged it: their own, or the one they found correct."""
    if isinstance(gold, list):
        return gold
    votes = [each for each in example.votes if each.mode == "user"]
    others = [each.label or (gold if each.verdict == "correct" else "") for each in votes]
    return [gold, *filter(None, others)]


def _content(example: WrittenExample, task: Task) -> str:
    """What a model is asked, whatever its case and spaces: two of these are the same example."""
    asked = (str(example.values.get(each.name, "")) for each in task.asked)
    return "\0".join(
        " ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in asked
    )


def left_out_words(left_out: Mapping[str, int]) -> Sequence[str]:
    """What was left out, a line for each reason."""
    return [f"{counted(count, 'example')}: {REASONS[name]}" for name, count in left_out.items()]
