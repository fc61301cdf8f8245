"""The first generation: keys and metrics of a task; what it answers was in the code beside it.

What the file does not say and everybody knew stands here: labels, answers and old codes of the tasks.
"""

from typing import Any

from palaver.formats.dynabench.draft import TaskDraft, as_list

NLI = ("entailed", "neutral", "contradictory")
HATE = ("not-hateful", "hateful")
SENTIMENT = ("negative", "positive", "neutral")

# Old codes by the labels they stand for.
CODES: dict[frozenset[str], dict[str, str]] = {
    frozenset(NLI): {
        "e": "entailed",
        "n": "neutral",
        "c": "contradictory",
        "entailment": "entailed",
        "contradiction": "contradictory",
    },
    frozenset(HATE): {
        "nothate": "not-hateful",
        "nohate": "not-hateful",
        "hate": "hateful",
    },
}


def _labelled(labels: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {"name": "label", "type": "multiclass", "labels": list(labels)},
        {"name": "prob", "type": "prob", "labels": list(labels)},
    ]


ANSWER = [
    {"name": "answer", "type": "context_string_selection", "reference": "context"},
    {"name": "conf", "type": "prob"},
]
TRANSLATION = [{"name": "translatedText", "type": "string"}]

# What a model of the first generation was sent and answered, where the file has no 'input_keys'.
KEYS: dict[str, list[str]] = {
    "nli": ["context", "hypothesis"],
    "hs": ["statement"],
    "sentiment": ["statement"],
    "qa": ["context", "question"],
    "vqa": ["image", "question"],
    "flores": ["sourceText", "sourceLanguage", "targetLanguage"],
}
OUTPUTS: dict[str, list[dict[str, Any]]] = {
    "nli": _labelled(NLI),
    "hs": _labelled(HATE),
    "sentiment": _labelled(SENTIMENT),
    "qa": ANSWER,
    "vqa": [{"name": "answer", "type": "string"}],
    "flores": TRANSLATION,
}
CONTEXT = frozenset(
    {
        "context",
        "image",
        "sourceLanguage",
        "targetLanguage",
        "source_language",
        "target_language",
    }
)
MACHINES = (
    "instance_config",
    "instance_type",
    "instance_count",
    "aws_region",
    "s3_bucket",
    "eval_server_id",
)
# The oldest files name a function that measures, such as get_accuracy.
FUNCTION = "eval_fn"
# How a task is measured: one of these without the others of its file means something else.
MEASURES = ("perf_metric", "eval_metrics", FUNCTION)
IDS = ("uid", "id")


def codes_for(labels: list[str]) -> dict[str, str]:
    """The old codes of these labels, if they had some."""
    return dict(CODES.get(frozenset(labels), {}))


def with_metric(config: dict[str, Any]) -> dict[str, Any]:
    """The configuration with the metric that its function computes, where it names a function."""
    if FUNCTION not in config or "perf_metric" in config:
        return config
    return {**config, "perf_metric": str(config[FUNCTION]).removeprefix("get_")}


def add_first(draft: TaskDraft, config: dict[str, Any]) -> set[str]:
    """The fields of a task by its keys and its code; the keys that were read."""
    task = _known_task(draft.name)
    given = config.get("input_keys") or KEYS.get(task, [])
    keys = [str(key) for key in as_list(given, "input_keys") if key not in IDS]
    if "input_keys" in config:
        draft.taken.append("input_keys: " + ", ".join(keys))
    elif keys:
        draft.changed.append(f"No 'input_keys': those of '{task}' ({', '.join(keys)}) are used.")
    fields = [{"name": key, "type": "image" if key == "image" else "string"} for key in keys]
    outputs = OUTPUTS.get(task) or [{"name": "label", "type": "string"}]
    if task:
        draft.changed.append(
            f"What models answer is not in such a file; it is taken from the task '{task}': "
            f"{', '.join(str(output['name']) for output in outputs)}."
        )
    else:
        draft.look_at.append(
            "What models answer is not in such a file. A 'label' of type string was written: make "
            "it multiclass with its labels, or whatever it is."
        )
    target, *others = outputs
    draft.data["context"] = [field for field in fields if field["name"] in CONTEXT]
    draft.data["input"] = [field for field in fields if field["name"] not in CONTEXT]
    if task == "vqa":
        draft.data["output"] = [target, *others]
    else:
        draft.data["input"].append(target)
        draft.data["output"] = [target["name"], *others]
    machines = [key for key in MACHINES if key in config]
    if machines:
        draft.left_out.append(f"{', '.join(machines)}: machines of a cloud that is not needed.")
    return {"input_keys", FUNCTION, *MACHINES}


def _known_task(name: str) -> str:
    """The task that a code stands for: flores_full and flores-small1 are flores."""
    return next(
        (each for each in OUTPUTS if name == each or name.startswith((f"{each}_", f"{each}-"))), ""
    )
