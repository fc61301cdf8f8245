"""What a writer may send: every field of the form, filled in as its kind asks."""

from collections.abc import Mapping
from typing import Any

from palaver.core.errors import MoveError
from palaver.core.protocols import MAX_CHARACTERS
from palaver.core.words import listed
from palaver.games.model_in_the_loop.form import FormField
from palaver.games.model_in_the_loop.writing import Writing


def check_values(writing: Writing, data: Mapping[str, Any]) -> None:
    """Raise MoveError unless `data` holds a try that this session can send now."""
    values, asked = data.get("values"), writing.asked
    names = [each.name for each in asked.form.writes]
    if not isinstance(values, dict) or set(values) != set(names):
        raise MoveError("bad_try", f"A try has {listed(names)} and nothing else.")
    for each in asked.form.writes:
        _check_field(each, values[each.name], asked.context)
        wanted = asked.goal.get(each.name)
        if wanted is not None and values[each.name] != wanted:
            raise MoveError("bad_goal", f"Here '{each.title}' is to be '{wanted}'.")
    if any(values == each.values for each in writing.answered):
        raise MoveError("tried_already", "You have tried exactly this. Change something.")


def _check_field(each: FormField, value: Any, context: Mapping[str, Any]) -> None:
    match each.form:
        case "choice":
            if value not in each.labels:
                raise MoveError(
                    "bad_label", f"Choose the {each.title}: {listed(each.labels, 'or')}."
                )
        case "several":
            if not isinstance(value, list) or not set(map(str, value)) <= set(each.labels):
                raise MoveError("bad_label", f"Choose from {listed(each.labels)}.")
        case "span":
            _check_text(each, value)
            if value not in str(context.get(each.reference, "")):
                raise MoveError("not_in_text", "Mark the words in the text itself.")
        case _:
            _check_text(each, value)


def _check_text(each: FormField, value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        missing = "Mark the right words" if each.form == "span" else f"Write the {each.title}"
        raise MoveError("empty", f"{missing} first.")
    if len(value) > MAX_CHARACTERS:
        raise MoveError(
            "too_long",
            f"It has {len(value)} characters; at most {MAX_CHARACTERS} can be sent. "
            "Please shorten it.",
        )
