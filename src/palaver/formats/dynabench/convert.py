"""One configuration of any generation as a task file, with a report of what was done."""

from typing import Any

from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.formats.dynabench.annotations import add_outputs, field_of, flat
from palaver.formats.dynabench.draft import TaskDraft, as_list
from palaver.formats.dynabench.first import add_first, codes_for, with_metric
from palaver.formats.dynabench.measures import (
    add_deltas,
    add_performance,
    add_weights,
    add_wrong,
)
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
    "probes",
    "verify",
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
# What the row of a task says beside its configuration.
ROW_MACHINES = (
    "instance_type",
    "instance_count",
    "aws_region",
    "s3_bucket",
    "eval_server_id",
    "create_endpoint",
    "gpu",
    "extra_torchserve_config",
    "build_sqs_queue",
    "eval_sqs_queue",
    "is_decen_task",
    "task_aws_account_id",
    "task_gateway_predict_prefix",
)
ROW_TEXTS = {"name": "title", "desc": "about", "instructions_md": "instructions"}
ROW_READ = frozenset(
    {"task_code", "task", "shortname", "hidden", "dynalab_threshold", "dynalab_hr_diff"}
)


def convert(source: DynabenchSource, *, verify: str = "") -> TaskDraft:
    """The task file that a configuration becomes; InputError where it says too little.

    `verify` names the function that runs the file's own check of answers, if it is to be run.
    """
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
    _add_row(draft, source.row)
    if source.probes:
        draft.data["probes"] = list(source.probes)
        draft.taken.append(f"data: {counted(len(source.probes), 'probe')}")
    draft.changed += source.notes.changed
    draft.left_out += source.notes.left_out
    draft.look_at += source.notes.look_at
    _add_check(draft, source, verify)
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


def _add_check(draft: TaskDraft, source: DynabenchSource, verify: str) -> None:
    """What becomes of a check of answers of the file's own."""
    for each in draft.fields.values() if source.has_check else ():
        if each["type"] == "prob" and each.get("labels"):
            each["normalised"] = False
            draft.changed.append(
                f"The numbers of '{each['name']}' need not add up to 1: they are divided by their "
                "sum."
            )
    if verify:
        draft.data["verify"] = verify
        draft.taken.append("verify_response: run on every answer")
    elif source.has_check:
        draft.left_out += [
            f"verify_response, {each}: no field says this." for each in source.notes.conditions
        ]
        draft.left_out.append(
            "verify_response itself: it was read and is not run. With --verify it checks every "
            "answer, which runs this Python wherever answers are checked."
        )


def _names(entries: list[Any]) -> str:
    names = (entry if isinstance(entry, str) else str(entry["name"]) for entry in entries)
    return ", ".join(names) or "none"


def _further(config: dict[str, Any]) -> list[Any]:
    given = config.get("eval_metrics") or []
    return given if isinstance(given, list) else [given]


def _add_codes(draft: TaskDraft) -> None:
    codes: dict[str, str] = {}
    for field in draft.fields.values():
        codes |= codes_for(field.get("labels", []))
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


def _add_row(draft: TaskDraft, row: dict[str, Any]) -> None:
    """Take the texts of the row beside the configuration; say what became of the rest."""
    for theirs, ours in ROW_TEXTS.items():
        text = str(row.get(theirs) or "").strip()
        if text and ours == "instructions" and draft.data.get(ours):
            draft.data[ours] = f"{draft.data[ours]}\n\n{text}"
        elif text:
            draft.data[ours] = text
        if text:
            draft.taken.append(f"{theirs}: as {ours}")
    most, hours = row.get("dynalab_threshold"), row.get("dynalab_hr_diff")
    if most is not None or hours is not None:
        options = [f"--submissions {most}"] if most is not None else []
        options += [f"--hours {hours}"] if hours is not None else []
        draft.look_at.append(
            f"Its limit of submissions: palaver task set {draft.name} {' '.join(options)}"
        )
    if row.get("hidden") is False:
        draft.look_at.append(f"Its page was public: palaver task set {draft.name} --public")
    machines = [key for key in ROW_MACHINES if row.get(key) not in (None, "", False)]
    if machines:
        draft.left_out.append(f"{', '.join(machines)}: machines of a cloud that is not needed.")
    known = {*ROW_TEXTS, *ROW_MACHINES, *ROW_READ}
    others = [key for key, value in row.items() if key not in known and value not in (None, "")]
    if others:
        draft.left_out.append(f"{', '.join(others)}: of their site.")
