"""One configuration of any generation as a task file, with a report of what was done."""

from typing import Any

from palaver.core.errors import InputError
from palaver.formats.dynabench.annotations import add_outputs, field_of, flat
from palaver.formats.dynabench.codes import codes_for
from palaver.formats.dynabench.draft import TaskDraft
from palaver.formats.dynabench.first import add_first, with_metric
from palaver.formats.dynabench.measures import (
    add_deltas,
    add_performance,
    add_weights,
    add_wrong,
)
from palaver.formats.dynabench.plain import as_list
from palaver.formats.dynabench.rows import add_row
from palaver.formats.dynabench.source import DynabenchSource
from palaver.formats.dynabench.third import add_third, is_third

ORDER = (
    "name",
    "title",
    "about",
    "instructions",
    "content_warning",
    "context",
    "input",
    "output",
    "gold",
    "perf_metric",
    "metrics",
    "delta_metrics",
    "aggregation",
    "model_wrong",
    "codes",
)
READ = {
    "goal_message",
    "content_warning",
    "model_wrong_metric",
    "aggregation_metric",
    "perf_metric",
    "eval_metrics",
    "delta_metrics",
    "context",
    "input",
    "output",
    "metadata",
    "train_file_metric",
}


def convert(source: DynabenchSource) -> TaskDraft:
    """The task file that a configuration becomes; InputError where it says too little."""
    draft = TaskDraft(source.name, {"name": source.name})
    config = with_metric(source.config) if source.first else source.config
    read = set(READ)
    if source.first:
        read |= add_first(draft, config)
    elif is_third(config):
        read |= add_third(draft, config)
    else:
        _add_second(draft, config)
    add_performance(draft, config, _further(config))
    add_deltas(draft, config.get("delta_metrics"))
    add_weights(draft, config.get("aggregation_metric"))
    add_wrong(draft, config.get("model_wrong_metric") or draft.data.pop("model_wrong_metric", None))
    _add_codes(draft)
    _add_texts(draft, config)
    _leave_out(draft, config)
    add_row(draft, source.row)
    draft.left_out += [f"'{key}'." for key in config if key not in read]
    draft.data = {key: draft.data[key] for key in ORDER if draft.data.get(key)}
    return draft


def _add_second(draft: TaskDraft, config: dict[str, Any]) -> None:
    for key in ("context", "input"):
        draft.data[key] = []
        for each in as_list(config.get(key), key):
            draft.data[key].append(field_of(each, draft))
    outputs = as_list(config.get("output"), "output")
    if not outputs:
        raise InputError("The configuration has no 'output', so nothing can be scored.")
    add_outputs(outputs, draft)
    draft.taken += [f"{key}: {_names(draft.data[key])}" for key in ("context", "input", "output")]
    targets = [name for name in draft.outputs if name in draft.given]
    if targets:
        draft.taken.append(f"targets, hidden from models: {', '.join(targets)}")


def _names(entries: list[Any]) -> str:
    names = (each if isinstance(each, str) else str(each["name"]) for each in entries)
    return ", ".join(names) or "none"


def _further(config: dict[str, Any]) -> list[Any]:
    given = config.get("eval_metrics") or []
    return given if isinstance(given, list) else [given]


def _add_codes(draft: TaskDraft) -> None:
    codes: dict[str, str] = {}
    for each in draft.fields.values():
        codes |= codes_for(each.get("labels", []))
    if codes:
        draft.data["codes"] = codes
        draft.changed.append(f"Old codes of labels are read as well: {', '.join(codes)}.")


def _add_texts(draft: TaskDraft, config: dict[str, Any]) -> None:
    if config.get("goal_message"):
        draft.data["instructions"] = str(config["goal_message"])
        draft.changed.append("'goal_message' became the instructions.")
    if config.get("content_warning"):
        draft.data["content_warning"] = str(config["content_warning"])
        draft.taken.append("content_warning")


def _leave_out(draft: TaskDraft, config: dict[str, Any]) -> None:
    if config.get("train_file_metric"):
        draft.left_out.append("'train_file_metric': models are scored here, not training sets.")
    metadata = config.get("metadata")
    if not metadata:
        return
    draft.left_out.append("'metadata': what annotators are asked belongs to a study (study.yaml).")
    validate = metadata.get("validate") if isinstance(metadata, dict) else None
    for each in (flat(entry) for entry in as_list(validate, "validate")):
        target = str(each.get("name", "")).removeprefix("corrected_")
        right = draft.fields.get(target, {}).get("labels")
        listed = [str(label) for label in as_list(each.get("labels"), "labels")]
        if right and listed and set(listed) != set(right):
            wrong = ", ".join(sorted(set(listed) - set(right)))
            draft.look_at.append(
                f"'{each['name']}' offered validators other labels ({wrong or 'fewer'}) than "
                f"'{target}' has ({', '.join(right)}): a defect of the file; what they chose may be "
                "wrong in its data."
            )
