"""The third generation: what the page shows (goal, context, user_input) says what the fields are."""

from collections.abc import Iterator, Mapping
from typing import Any

from palaver.formats.dynabench.annotations import TYPES, add_outputs, field_of, flat
from palaver.formats.dynabench.draft import TaskDraft, as_list, as_mapping

MARKS = ("goal", "user_input", "model_input", "model_output", "response_fields")
NAME, NAMES = "field_name_for_the_model", "field_names_for_the_model"
READ = {*MARKS, "model_evaluation_metric", "required_fields", "creation_samples_title"}
# A page where an answer is marked in the context.
SELECTABLE = "selectable-text"
ANSWER = "answer"


def is_third(config: Mapping[str, Any]) -> bool:
    return isinstance(config.get("context"), Mapping) or any(key in config for key in MARKS)


def add_third(draft: TaskDraft, config: Mapping[str, Any]) -> set[str]:
    """The fields of a task; the keys that were read."""
    draft.data["context"] = list(_context(config.get("context"), draft))
    draft.data["input"] = []
    for each in as_list(config.get("input"), "input"):
        draft.data["input"].append(field_of(each, draft))
    for found in _asked(config):
        if found["name"] not in draft.given:
            draft.data["input"].append(found)
    _add_selection(draft, config)
    draft.taken.append(f"fields: {', '.join(sorted(draft.given)) or 'none'}")
    predicted = as_mapping(config.get("model_output"), "model_output").get("model_prediction_label")
    named = config.get("output") or ([predicted] if predicted else [])
    add_outputs(as_list(named, "output"), draft)
    draft.taken.append(f"outputs: {', '.join(draft.outputs)}")
    _add_texts(draft, config)
    _add_rule(draft, config)
    _say_what_was_sent(draft, config)
    return READ


def _context(context: Any, draft: TaskDraft) -> Iterator[dict[str, Any]]:
    """The fields that the context shows; a list is as the second generation wrote it."""
    if isinstance(context, list):
        yield from (field_of(each, draft) for each in context)
        return
    given = context if isinstance(context, Mapping) else {}
    kind = "image" if "image" in str(given.get("type", "")) else "string"
    for shown, name in _names(given).items():
        if shown != ANSWER:
            yield {"name": name, "type": kind}


def _asked(config: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The fields that people fill in: the goal where it has options, and the inputs."""
    goal = config.get("goal")
    for entry in [*as_list(config.get("user_input"), "user_input"), *([goal] if goal else [])]:
        if not isinstance(entry, Mapping):
            continue
        given = flat(entry)
        options = given.get("options") or given.get("labels")
        for name in _names(given).values():
            if isinstance(options, list) and options:
                yield {"name": name, "type": "multiclass", "labels": [str(o) for o in options]}
            else:
                kind = TYPES.get(str(given.get("type")), "string")
                yield {"name": name, "type": kind if kind in ("image", "string") else "string"}


def _names(given: Mapping[str, Any]) -> dict[str, str]:
    """What each part is called for the model."""
    names = given.get(NAMES)
    found = (
        {str(key): str(value) for key, value in names.items()} if isinstance(names, Mapping) else {}
    )
    if given.get(NAME):
        found[str(given[NAME])] = str(given[NAME])
    return found


def _add_selection(draft: TaskDraft, config: Mapping[str, Any]) -> None:
    """An answer that is marked in the context."""
    context = config.get("context")
    if not isinstance(context, Mapping) or context.get("type") != SELECTABLE:
        return
    metric = config.get("perf_metric")
    first = metric[0] if isinstance(metric, list) and metric else metric
    name = str(flat(first).get("reference_name") or ANSWER) if first else ANSWER
    texts = [each["name"] for each in draft.data["context"]]
    if name not in draft.given and texts:
        draft.data["input"].append(
            {"name": name, "type": "context_string_selection", "reference": texts[0]}
        )
    sent = _names(context).get(ANSWER)
    if sent and sent != name:
        draft.changed.append(f"The marked answer is '{name}' here; its page called it '{sent}'.")


def _add_texts(draft: TaskDraft, config: Mapping[str, Any]) -> None:
    goal = config.get("goal")
    if isinstance(goal, Mapping) and goal.get("text"):
        draft.data["instructions"] = str(goal["text"])
        draft.changed.append("The text of 'goal' became the instructions.")
    for key in ("required_fields", "creation_samples_title", "response_fields"):
        if config.get(key):
            draft.left_out.append(f"'{key}': only its page needed it.")


def _add_rule(draft: TaskDraft, config: Mapping[str, Any]) -> None:
    rule = config.get("model_evaluation_metric")
    if not isinstance(rule, Mapping) or not rule.get("metric_name"):
        return
    if config.get("model_wrong_metric"):
        draft.left_out.append("'model_evaluation_metric': 'model_wrong_metric' already says it.")
        return
    artifacts = rule.get("artifacts") if isinstance(rule.get("artifacts"), Mapping) else {}
    draft.data["model_wrong_metric"] = {"type": rule["metric_name"], **(artifacts or {})}
    draft.changed.append("'model_evaluation_metric' became the rule of model_wrong.")


def _say_what_was_sent(draft: TaskDraft, config: Mapping[str, Any]) -> None:
    sent = config.get("model_input")
    renamed = {k: v for k, v in sent.items() if k != v} if isinstance(sent, Mapping) else {}
    for theirs, ours in renamed.items():
        draft.look_at.append(
            f"'model_input': models there were sent '{ours}' as '{theirs}'; here it keeps its name. "
            "An endpoint that expects the other name gets it through a template (see "
            "docs/models.md)."
        )
