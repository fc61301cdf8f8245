"""Where the platform's answer object keeps the answer to a task, and how it is written there.

The object has no names of tasks: a flow is kept under the texts of its questions, a scale under its
label, a multiselect under `<title>_labels`, a comparison under its question.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palaver.core.questions.comparative import Comparative
from palaver.core.questions.flow import Flow
from palaver.core.questions.flow_tree import walk
from palaver.core.questions.turns import at_index
from palaver.formats.chateval.buckets import Bucket

SIDES = ("a", "b", "tie")


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """An answer to one task, about a turn or about the whole; None where nothing was answered."""

    answer: Any
    turn: int | None = None


def stored_answers(
    bucket: Bucket, entry: dict[str, Any], turns: int, *, asked: bool
) -> Iterator[TaskAnswer]:
    """What one dialogue's part of the answer object says about a task.

    Where the task was certainly `asked`, a turn without a mark counts as an answer too: nothing was
    ticked. Otherwise only what stands there is given.
    """
    question = bucket.question()
    if question.about != "turn":
        answer = _about_whole(bucket, entry)
        if asked or answer is not None:
            yield TaskAnswer(answer)
        return
    marked = _mapping(entry.get("data"))
    for turn in range(turns):
        if question.indices is None or not at_index(question.indices, turn):
            continue
        answer = _about_turn(bucket, _mapping(marked.get(str(turn))))
        if asked or answer:
            yield TaskAnswer(answer, turn)


def storage_keys(bucket: Bucket) -> tuple[str, ...]:
    """The keys under which its answers stand; tasks that share them cannot be told apart."""
    question = bucket.question()
    if isinstance(question, Flow):
        return tuple(
            key for place in walk(question.ask) for key in (place.step.text, place.step.id)
        )
    if bucket.kind == "multiselect":
        return (f"{bucket.title}_labels",)
    return (question.text,) if isinstance(question, Comparative) else bucket.options


def _about_whole(bucket: Bucket, entry: dict[str, Any]) -> Any:
    if bucket.kind == "comparative":
        chosen = _mapping(entry.get("comparative")).get(bucket.entry["text"])
        known = chosen in bucket.options
        return SIDES[bucket.options.index(chosen)] if known else chosen
    if bucket.kind == "aspects":
        given = _mapping(entry.get("ratings")) or _mapping(entry.get("likert"))
        return _points(bucket, given)
    if bucket.kind == "likert":
        return _mapping(entry.get("likert")).get(bucket.options[0])
    return None


def _about_turn(bucket: Bucket, marked: dict[str, Any]) -> Any:
    if bucket.kind == "multiselect":
        return marked.get(f"{bucket.title}_labels", [])
    if bucket.kind == "likert":
        return marked.get(bucket.options[0])
    if bucket.kind == "aspects":
        return _points(bucket, marked)
    return {key: marked[key] for key in storage_keys(bucket) if marked.get(key)}


def _points(bucket: Bucket, given: dict[str, Any]) -> dict[str, Any] | None:
    ids = {aspect["label"]: aspect["id"] for aspect in bucket.entry["aspects"]}
    return {ids[label]: point for label, point in given.items() if label in ids} or None


def _mapping(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}
