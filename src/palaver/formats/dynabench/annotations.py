"""The fields of a configuration, one object each, as fields of a task file."""

from collections.abc import Mapping
from typing import Any

from palaver.core.errors import InputError
from palaver.formats.dynabench.draft import TaskDraft, as_list, as_mapping

# What each type of theirs is here, old names included.
TYPES = {
    "string": "string",
    "text": "string",
    "image": "image",
    "context_string_selection": "context_string_selection",
    "multiclass": "multiclass",
    "target_label": "multiclass",
    "multilabel": "multilabel",
    "prob": "prob",
    "multiclass_probs": "prob",
    "conf": "prob",
}
OLD_TYPES = frozenset({"text", "target_label", "multiclass_probs", "conf"})
# What only their pages needed.
SHOWN = ("placeholder", "as_goal_message", "display_type")
READ = frozenset({"name", "type", "display_name", "labels", "reference_name", "single_prob"})


def flat(entry: Any) -> dict[str, Any]:
    """An object without the level that an older form put its arguments under."""
    if isinstance(entry, str):
        return {"type": entry}
    if not isinstance(entry, Mapping):
        raise InputError(f"Expected an object with a 'type'; got {entry!r:.60}.")
    arguments = as_mapping(entry.get("constructor_args"), "constructor_args")
    rest = {key: value for key, value in entry.items() if key != "constructor_args"}
    return {**rest, **arguments}


def field_of(entry: Any, draft: TaskDraft) -> dict[str, Any]:
    """A field as a task file writes it; what became of it is noted."""
    given = flat(entry)
    name, kind = given.get("name"), given.get("type")
    if not isinstance(name, str) or not name:
        raise InputError(f"A field without 'name': {dict(given)!r:.80}.")
    ours = TYPES.get(str(kind))
    if ours is None:
        draft.look_at.append(f"The type '{kind}' of '{name}' is not known; it became a string.")
        ours = "string"
    elif kind in OLD_TYPES:
        draft.changed.append(f"'{name}': the old type '{kind}' is '{ours}'.")
    found: dict[str, Any] = {"name": name, "type": ours}
    if given.get("display_name"):
        found["title"] = str(given["display_name"])
    if ours == "context_string_selection":
        found["reference"] = str(given.get("reference_name") or "context")
    labels = _labels(given, draft) if ours in ("multiclass", "multilabel", "prob") else []
    if labels:
        found["labels"] = labels
    for key in given:
        if key in SHOWN:
            note = f"'{key}' of fields: only their pages showed it."
            if note not in draft.left_out:
                draft.left_out.append(note)
        elif key not in READ:
            draft.left_out.append(f"'{key}' of the field '{name}'.")
    return found


def _labels(given: Mapping[str, Any], draft: TaskDraft) -> list[str]:
    """The labels, also those of another field that a probability refers to."""
    labels = given.get("labels")
    if labels is None and not given.get("single_prob") and given.get("reference_name"):
        labels = draft.fields.get(str(given["reference_name"]), {}).get("labels")
        if labels is None:
            draft.look_at.append(
                f"'{given['name']}' refers to the labels of '{given['reference_name']}', which has "
                "none; it became a single probability."
            )
    if isinstance(labels, Mapping):
        labels = list(labels)
    return [str(label) for label in as_list(labels, "labels")]


def add_outputs(entries: list[Any], draft: TaskDraft) -> None:
    """The outputs; one that is an input already is just its name."""
    written: list[Any] = []
    draft.data["output"] = written
    for entry in entries:
        given = {"name": entry} if isinstance(entry, str) else flat(entry)
        name = str(given.get("name"))
        if name in draft.given:
            written.append(name)
        elif "type" in given:
            written.append(field_of(given, draft))
        else:
            written.append({"name": name, "type": "string"})
            draft.look_at.append(
                f"The output '{name}' is not an input and has no type; it became a string."
            )
