"""A `TaskIO` module of dynalab, read from its syntax and never executed.

Such a module says what a model is sent (`data`, the questions it is tried with) and what it answers
(`verify_response`, a method that asserts what must hold). It becomes a configuration of the second
generation, with notes on what was read. A condition that no field stands for is listed, so that nobody
takes it for kept; the method itself can be run as the task's own check.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from palaver.core.errors import InputError
from palaver.core.words import listed
from palaver.formats.dynabench.draft import Notes
from palaver.formats.dynabench.first import CONTEXT
from palaver.formats.dynabench.plain_values import assigned_by, names_of, value_of
from palaver.formats.dynabench.response_conditions import ANYWAY, read_conditions
from palaver.formats.dynabench.response_parts import ResponsePart

CLASS = "TaskIO"
METHOD = "verify_response"
SIGNING = "parse_signature_input"
PROBES = "data"
IDS = ("uid", "id")
FLORES = "flores"
# What a target is measured by until somebody says otherwise, by its type.
METRICS = {
    "multiclass": "accuracy",
    "multilabel": "dataperf_f1",
    "context_string_selection": "squad_f1",
    "string": "bleu",
    "prob": "jsd",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskIoModule:
    """A configuration with what its file says beside it."""

    config: dict[str, Any]
    probes: tuple[dict[str, Any], ...]
    notes: Notes


@dataclass(frozen=True, slots=True)
class _Probe:
    """A question of `data`, and where it stands."""

    place: str
    values: dict[str, Any]


@dataclass(slots=True)
class _Signing:
    """What `parse_signature_input` names: the task, the inputs and the outputs."""

    task: str = ""
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)


def task_io_class(tree: ast.Module) -> ast.ClassDef | None:
    """The class of a module that says what an answer is; None if it is no such module."""
    classes = (each for each in tree.body if isinstance(each, ast.ClassDef))
    return next((each for each in classes if METHOD in _methods(each)), None)


def read_task_io(tree: ast.Module, *, file: str) -> TaskIoModule:
    """What a module says; InputError if that is too little for a task."""
    owner = task_io_class(tree)
    if owner is None:
        raise InputError(f"{file} has no class '{CLASS}' with a method '{METHOD}'.")
    methods, notes = _methods(owner), Notes()
    names, probes = _read_top(tree, notes)
    found = read_conditions(methods[METHOD], owner, names)
    signing = _signing(methods.get(SIGNING), names)
    sent = (key for each in probes for key in each.values)
    inputs = [key for key in dict.fromkeys((*signing.inputs, *sent)) if key not in IDS]
    parts = {name: part for name, part in found.parts.items() if name not in ANYWAY}
    targets = [name for name in signing.outputs if name not in ANYWAY]
    targets = targets or [name for name, part in parts.items() if not part.optional]
    for name, nothing in (("what a model is sent", inputs), ("what it must answer", targets)):
        if not nothing:
            raise InputError(
                f"{file}: neither '{PROBES}' nor '{METHOD}' nor '{SIGNING}' says {name}. Write a "
                "task file of your own: palaver task init NAME."
            )
    outputs = [parts.get(name, ResponsePart(name)) for name in targets]
    outputs += [part for name, part in parts.items() if name not in targets]
    _say(notes, outputs, targets, signing, found.unread)
    config = _config(inputs, outputs, targets, probes, notes)
    fitting = tuple(_fitting(probes, inputs, notes))
    return TaskIoModule(config=config, probes=fitting, notes=notes)


def _methods(owner: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}


def _read_top(tree: ast.Module, notes: Notes) -> tuple[dict[str, Any], list[_Probe]]:
    """What the names of a module stand for, and its probes."""
    names, probes = names_of(tree), list[_Probe]()
    for statement in tree.body:
        for name, value in assigned_by(statement):
            if name == PROBES:
                probes = list(_probes(value, names, notes))
                continue
            try:
                names[name] = value_of(value, names)
            except ValueError:
                names.pop(name, None)
    return names, probes


def _probes(value: ast.expr, names: dict[str, Any], notes: Notes) -> Iterator[_Probe]:
    """The questions in `data`: a list of them, or a single one; their ids are not needed."""
    entries = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
    for n, entry in enumerate(entries, 1):
        place = f"Probe {n} of '{PROBES}', line {entry.lineno}"
        try:
            if not isinstance(entry, ast.Dict) or None in entry.keys:
                raise ValueError(f"'{ast.unparse(entry)[:60]}' is not a plain dictionary")
            keys = [str(value_of(key, names)) for key in entry.keys if key is not None]
            pairs = zip(keys, entry.values, strict=True)
            found = {key: value_of(each, names) for key, each in pairs if key not in IDS}
        except ValueError as error:
            notes.left_out.append(f"{place}: {error}.")
        else:
            yield _Probe(place, found)


def _fitting(probes: list[_Probe], inputs: list[str], notes: Notes) -> Iterator[dict[str, Any]]:
    """The probes that ask all there is to ask."""
    for probe in probes:
        wrong = [name for name in inputs if not isinstance(probe.values.get(name), str)]
        if wrong:
            notes.left_out.append(f"{probe.place}: it has no text for {listed(wrong)}.")
        else:
            yield {name: probe.values[name] for name in inputs}


def _signing(method: ast.FunctionDef | None, names: dict[str, Any]) -> _Signing:
    """What is signed: the dictionaries that the method fills, by the names it gives them."""
    found = _Signing()
    for statement in method.body if method else []:
        for name, value in assigned_by(statement):
            if name == "task" and isinstance(value, ast.Constant):
                found.task = str(value.value)
            elif name == "inputs":
                found.inputs = _keys(value, names)
            elif name == "outputs":
                found.outputs = _keys(value, names)
    return found


def _keys(value: ast.expr, names: dict[str, Any]) -> list[str]:
    """The keys of `{key: response[key] for key in ["label"]}`, or of a dictionary."""
    try:
        if isinstance(value, ast.DictComp) and len(value.generators) == 1:
            keys = value_of(value.generators[0].iter, names)
            return [str(key) for key in keys] if isinstance(keys, list) else []
        if isinstance(value, ast.Dict):
            return [str(value_of(key, names)) for key in value.keys if key is not None]
    except ValueError:
        return []
    return []


def _config(
    inputs: list[str],
    outputs: list[ResponsePart],
    targets: list[str],
    probes: list[_Probe],
    notes: Notes,
) -> dict[str, Any]:
    """The fields as the second generation writes them."""
    known = next((part.labels for part in outputs if part.labels), [])
    answered = {part.name: _output(part, known, notes) for part in outputs}
    asked = [_input(name, probes, notes) for name in inputs]
    first = answered[targets[0]]
    metric = "sp_bleu" if _is_translation(inputs) else METRICS[first["type"]]
    notes.look_at.append(
        f"Such a file does not say how answers are measured; '{metric}' was written. The "
        "task_config.py of the server it was made for says 'perf_metric' and 'delta_metrics'."
    )
    return {
        "context": [each for each in asked if each["name"] in CONTEXT],
        "input": [
            *(each for each in asked if each["name"] not in CONTEXT),
            *(answered[name] for name in targets),
        ],
        "output": [name if name in targets else each for name, each in answered.items()],
        "perf_metric": {"type": metric, "reference_name": targets[0]},
    }


def _is_translation(inputs: list[str]) -> bool:
    return {name.lower().replace("_", "") for name in inputs} >= {"sourcetext", "targetlanguage"}


def _output(part: ResponsePart, labels: list[str], notes: Notes) -> dict[str, Any]:
    """An output by what the conditions say of it."""
    if part.labels:
        return {"name": part.name, "type": "multiclass", "labels": part.labels}
    if part.members and not part.is_share and "dict" not in part.types:
        return {"name": part.name, "type": "multilabel", "labels": part.members}
    if part.members or "dict" in part.types:
        return {"name": part.name, "type": "prob", "labels": part.members or labels}
    if part.is_share:
        return {"name": part.name, "type": "prob", "single_prob": True}
    if part.reference:
        return {
            "name": part.name,
            "type": "context_string_selection",
            "reference_name": part.reference,
        }
    if "str" not in part.types:
        notes.look_at.append(
            f"'{METHOD}' does not say what '{part.name}' holds; it became a string."
        )
    return {"name": part.name, "type": "string"}


def _input(name: str, probes: list[_Probe], notes: Notes) -> dict[str, Any]:
    if name == "image":
        return {"name": name, "type": "image"}
    given = (each.values[name] for each in probes if name in each.values)
    other = next((value for value in given if not isinstance(value, str)), None)
    if other is not None:
        notes.look_at.append(
            f"'{name}' is a {type(other).__name__} in '{PROBES}'; it became a string. Give it a type "
            "that fits, or make it a text."
        )
    return {"name": name, "type": "string"}


def _say(
    notes: Notes,
    outputs: list[ResponsePart],
    targets: list[str],
    signing: _Signing,
    unread: list[str],
) -> None:
    """What becomes of the conditions and of signatures."""
    demanded = [part.name for part in outputs if not part.optional and part.name not in targets]
    if demanded:
        notes.look_at.append(
            f"'{METHOD}' demands {listed(demanded)}; here an output without gold may be left out."
        )
    notes.conditions += unread
    notes.changed.append(
        "Ids, signatures and further keys of answers are checked as for every task; what a file of "
        "that kind says of them is not needed."
    )
    if signing.task == FLORES:
        notes.changed.append(
            f"Answers are signed as '{FLORES}': so they are here, if the task's name begins with it."
        )
