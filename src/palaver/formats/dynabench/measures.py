"""How a configuration measures: performance, deltas, weights, and when a model counts as fooled."""

from collections.abc import Mapping
from typing import Any

from palaver.core.errors import InputError, UnknownNameError
from palaver.formats.dynabench.annotations import flat
from palaver.formats.dynabench.draft import TaskDraft, as_list, as_mapping, as_number
from palaver.metrics.registry import find_metric, metric_name

DELTAS = ("fairness", "robustness")
RUNNING = ("throughput", "memory")
WANTED = {"-1": "lower", "1": "higher"}
# Gold that data sets keep under another name than the output.
GOLD_NAMES = {"translatedText": "targetText"}
POSITIVE = "1"


def add_gold(draft: TaskDraft, wanted: list[str]) -> None:
    """Name the field that holds the gold of an output where it is not the output's own."""
    gold: dict[str, str] = {}
    for name in draft.outputs:
        held = GOLD_NAMES.get(name)
        if held is not None:
            gold[name] = held
            draft.changed.append(
                f"The gold of '{name}' is read from '{held}', where their data sets keep it, and "
                f"from '{name}' where there is none."
            )
    for name in wanted:
        if name in draft.outputs and name not in draft.given and name not in gold:
            gold[name] = "answers" if name == "answer" else name
            draft.changed.append(
                f"'{name}' is not an input there, yet it is measured: its gold is read from "
                f"'{gold[name]}' of the data set."
            )
    if gold:
        draft.data["gold"] = gold


def add_performance(draft: TaskDraft, config: Mapping[str, Any], further: list[Any]) -> None:
    """The metric that ranks, and all others."""
    ranking = config.get("perf_metric") or (further[0] if further else None)
    entries = ranking if isinstance(ranking, list) else [ranking]
    if not entries or entries[0] is None:
        raise InputError("The configuration has no 'perf_metric'.")
    add_gold(draft, [str(name) for entry in entries if (name := flat(entry).get("reference_name"))])
    metrics: list[dict[str, Any]] = []
    seen: set[str] = set()
    for given in (flat(each) for each in [*entries, *further]):
        if _old_name(given) not in seen:
            seen.add(_old_name(given))
            metrics.append(_metric(given, draft))
    draft.data["perf_metric"] = metrics[0]
    if metrics[1:]:
        draft.data["metrics"] = metrics[1:]
    draft.taken.append("perf_metric: " + metrics[0]["metric"])
    if len(entries) > 1:
        draft.changed.append("'perf_metric' was a list: the first ranks, the others are metrics.")


def _old_name(given: Mapping[str, Any]) -> str:
    return str(given["type"] if "type" in given else given.get("name"))


def _metric(given: Mapping[str, Any], draft: TaskDraft) -> dict[str, Any]:
    old = _old_name(given)
    reference = given.get("reference_name")
    name = str(reference) if reference in draft.outputs else next(iter(draft.gold), "")
    kind = draft.fields.get(name, {}).get("type")
    ours = metric_name(old, spans=kind == "context_string_selection")
    if ours != old:
        draft.changed.append(f"The metric '{old}' is '{ours}' here.")
    found: dict[str, Any] = {"metric": ours}
    if name:
        found["fields"] = [name]
    if ours == "f1":
        labels = draft.fields.get(name, {}).get("labels", [])
        if POSITIVE in labels or not labels:
            found["options"] = {"positive": POSITIVE}
        else:
            draft.look_at.append(
                "Set the class that 'f1' looks for: options: {positive: …}; theirs was always '1'."
            )
    if ours == "sp_bleu":
        draft.look_at.append(
            "'sp_bleu' needs the SentencePiece model of FLORES-101, which cannot be shipped: "
            "options: {model: FILE}. Theirs averages over pairs of languages: tag items by pair."
        )
    _check(ours, given, draft)
    return found


def _check(name: str, given: Mapping[str, Any], draft: TaskDraft) -> None:
    try:
        metric = find_metric(name)
    except UnknownNameError as error:
        draft.look_at.append(f"{error} The task is written, but cannot be added until it is there.")
        return
    direction = given.get("utility_direction")
    if direction is None:
        return
    wanted = WANTED.get(str(direction))
    if wanted != metric.direction:
        draft.look_at.append(
            f"'utility_direction: {direction}' contradicts the metric: of '{name}', "
            f"{metric.direction} is better. The metric's own direction counts."
        )
    else:
        draft.left_out.append("'utility_direction': the metric knows it.")


def add_deltas(draft: TaskDraft, given: Any) -> None:
    """Fairness and robustness, where they count."""
    kinds = [str(flat(each).get("type")) for each in as_list(given, "delta_metrics")]
    known = [kind for kind in kinds if kind in DELTAS]
    if known:
        draft.data["delta_metrics"] = known
        draft.taken.append("delta_metrics: " + ", ".join(known))
    for kind in kinds:
        if kind not in DELTAS:
            draft.look_at.append(f"The delta metric '{kind}' is not known here.")


def add_weights(draft: TaskDraft, given: Any) -> None:
    """The weights that the board starts with."""
    if not given:
        return
    found = flat(given)
    if found.get("type") not in (None, "dynascore"):
        draft.look_at.append(
            f"The aggregation '{found['type']}' is not known; boards use Dynascore."
        )
    weights = as_mapping(found.get("default_weights"), "default_weights")
    ranking = draft.data["perf_metric"]["metric"]
    known = {ranking, *RUNNING, *draft.data.get("delta_metrics", [])}
    spans = ranking == "squad_f1"
    named = {
        ranking if name == "perf" else metric_name(str(name), spans=spans): value
        for name, value in weights.items()
    }
    kept = {
        name: as_number(value, "default_weights") for name, value in named.items() if name in known
    }
    for name in named.keys() - kept.keys():
        draft.look_at.append(
            f"The weight of '{name}' is left out: it is not a column of the board."
        )
    if kept:
        draft.data["aggregation"] = {"weights": kept}
        draft.taken.append("aggregation_metric: its default weights")
    else:
        draft.taken.append("aggregation_metric: Dynascore, with its usual weights")


def add_wrong(draft: TaskDraft, given: Any) -> None:
    """When a model counts as fooled."""
    found = flat(given) if given else {"type": "ask_user"}
    rule = str(found.get("type"))
    if rule not in ("exact_match", "string_f1", "ask_user"):
        draft.look_at.append(f"The rule '{rule}' of model_wrong is not known; people are asked.")
        return
    named = found.get("reference_names") or [found.get("reference_name")]
    names = as_list(named, "reference_names")
    fields = [str(name) for name in names if name in draft.gold]
    if rule == "ask_user":
        return
    fields = fields or draft.gold[:1]
    if not fields:
        draft.look_at.append(f"'{rule}' compares with gold, but there is none; people are asked.")
        return
    written: dict[str, Any] = {"rule": rule, "fields": fields}
    if rule == "string_f1":
        written["threshold"] = as_number(found.get("threshold", 0.4), "threshold")
    draft.data["model_wrong"] = written
    draft.taken.append(f"model_wrong: {rule} of {', '.join(fields)}")
