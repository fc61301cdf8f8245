"""Static annotation: `do_external_annotations` as a screen stage and a rate stage with data."""

from pathlib import Path
from typing import Any

from palaver.formats.chateval.project import units_name
from palaver.formats.chateval.task_files import (
    TaskFile,
    read_lines_file,
    read_training_file,
    read_units_file,
)
from palaver.studies.intake.chateval.draft import ImportDraft

# What stands in for "as many as they like".
MANY_AT_ONCE = 10
# The platform trains in exactly three rounds, of which the last decides.
ROUNDS = 3


def add_rating(draft: ImportDraft) -> None:
    """The training, if there is one, and the stage in which the data are judged."""
    written = draft.config.blueprint.data_jsonl
    if not written:
        raise draft.config.problem("data_jsonl", "'data_jsonl' is missing: what is to be judged?")
    file = draft.project.locate(written)
    data = None if file is None else read_lines_file(file, draft.renaming)
    asked = draft.ask(data.tasks if data else _guessed(draft))
    if not asked:
        raise draft.config.problem(
            "data_jsonl", "Nothing would be asked: none of the data's tasks is defined."
        )
    _add_training(draft)
    rate: dict[str, Any] = {"ask": asked}
    if data is None:
        rate["data"] = draft.missing("data_jsonl", written)
    else:
        rate["data"] = draft.carry(written, data.content)
        _note_people(draft, rate, data)
        draft.report.map("data_jsonl", f"`rate.data` ({data.lines} assignments)")
        _note_systems(draft, data, str(rate["data"]))
    rate["units"] = _units(draft, data)
    _add_terms(draft, rate)
    _add_gold(draft, rate)
    draft.stages.append({"rate": rate})
    _report(draft, data)


def _guessed(draft: ImportDraft) -> list[str]:
    """The task that a study without its data most likely asks: the one it is named after."""
    name = draft.config.task.task_name.replace("_local", "")
    known = [task for task in draft.buckets if task in (name, f"{name}_label")]
    if not known:
        raise draft.config.problem(
            "data_jsonl",
            "The file that 'data_jsonl' names is not here, and without it the questions are "
            "unknown. Add the file, or name a task with 'task_name'.",
        )
    return known


def _note_people(draft: ImportDraft, rate: dict[str, Any], data: TaskFile) -> None:
    if data.people:
        rate["origin_salt"] = draft.salt
        draft.people |= data.people
        draft.report.pseudonymised.append(
            f"{len(data.people)} people in `origin_worker_id`; nobody judges a dialogue of their "
            "own, which the server checks with `rate.origin_salt`."
        )


def _note_systems(draft: ImportDraft, data: TaskFile, path: str) -> None:
    """Say whose dialogues are judged, and of how many ids nobody can tell."""
    if data.systems:
        systems = ", ".join(f"{name} {count}" for name, count in data.systems.most_common())
        draft.report.map("dialogue_id", f"`system` of the lines of `{path}`: {systems}")
    if data.nameless:
        count, first = len(data.nameless), data.nameless[0]
        draft.report.lose(
            "dialogue_id",
            f"{count} of {data.lines} lines have ids that name no system, such as '{first}', so "
            "`palaver rank` and `palaver compare` cannot tell whose dialogues they are; import "
            f'again with `--system-from PATTERN`, or add `"system"` to the lines of `{path}`',
        )


def _units(draft: ImportDraft, data: TaskFile | None) -> Any:
    name = units_name(draft.config.task.task_name)
    file = draft.project.units_file(draft.config.task.task_name)
    if file is None:
        return draft.missing("raters per group, by task_name", f"task_config/task_data/{name}")
    units = read_units_file(file)
    absent = sorted(data.groups - units.keys()) if data else []
    if absent:
        raise draft.config.problem(
            "task_name",
            f"{file}: the group '{absent[0]}' of the data is missing there"
            + (f" (and {len(absent) - 1} more)." if len(absent) > 1 else "."),
            part="task",
        )
    draft.report.map(name, "`rate.units`")
    return draft.carry(f"task_data/{name}", file.read_text(encoding="utf-8-sig"))


def _add_terms(draft: ImportDraft, rate: dict[str, Any]) -> None:
    task, report = draft.config.task, draft.report
    rate |= {"order": "file", "shuffle": True, "per_visit": 1}
    rate["at_once"] = task.allowed_concurrent or MANY_AT_ONCE
    report.map("allowed_concurrent", "`rate.at_once`")
    if not task.allowed_concurrent:
        report.lose(
            "allowed_concurrent: 0", f"it means no limit there; here it is {MANY_AT_ONCE} at once"
        )
    if task.maximum_units_per_worker:
        rate["per_rater"] = task.maximum_units_per_worker
        report.map("maximum_units_per_worker", "`rate.per_rater`; practice does not count here")
    rate["time_limit"] = draft.config.blueprint.annotation_duration_in_seconds
    report.map("annotation_duration_in_seconds", "`rate.time_limit`")


def _add_training(draft: ImportDraft) -> None:
    blueprint = draft.config.blueprint
    if not blueprint.use_screening_task:
        if blueprint.screen_json:
            draft.report.lose("screen_json", "use_screening_task is off, so nobody is trained")
        return
    if not blueprint.screen_json:
        raise draft.config.problem(
            "use_screening_task", "'use_screening_task' needs 'screen_json', which is missing."
        )
    screen: dict[str, Any] = {}
    file = draft.find("screen_json", blueprint.screen_json)
    if file is None:
        screen["training"] = draft.missing("screen_json", blueprint.screen_json)
    else:
        screen |= _training(draft, file)
    screen["attempts"] = 1
    if blueprint.max_screening_units:
        screen["at_most"] = blueprint.max_screening_units
        draft.report.map("max_screening_units", "`screen.at_most`")
    if blueprint.passed_qualification_name:
        screen["qualification"] = blueprint.passed_qualification_name
        draft.report.map("passed_qualification_name", "`screen.qualification`")
    draft.stages.append({"screen": screen})
    draft.report.map("use_screening_task", "a `screen` stage")
    if not blueprint.gold_jsonl:
        draft.report.mended.append(
            "The platform installed screening only where `gold_jsonl` was set as well. Here it "
            "works alone."
        )
    draft.report.mended.append(
        "Right answers stay on the server, which decides who passes; the platform sent them to "
        "the browser and trusted its answer."
    )


def _training(draft: ImportDraft, file: Path) -> dict[str, Any]:
    training = read_training_file(file, draft.renaming)
    if len(training.tasks) != 1:
        raise draft.config.problem(
            "screen_json",
            f"{file}: training is about one task; got {', '.join(training.tasks) or 'none'}.",
        )
    rounds = len(training.allowed)
    deciding = min(ROUNDS, rounds)
    if rounds != ROUNDS:
        draft.report.lose("screen_json", f"it has {rounds} rounds; the platform knows 3")
    draft.report.map("screen_json", f"`screen.training`; round {deciding} decides")
    return {
        "training": draft.carry(str(file), training.content),
        "ask": draft.ask(training.tasks)[0],
        "pass": {"rounds": [deciding], "mistakes": training.allowed[deciding - 1]},
    }


def _add_gold(draft: ImportDraft, rate: dict[str, Any]) -> None:
    blueprint = draft.config.blueprint
    if not blueprint.gold_jsonl:
        if blueprint.use_golds:
            raise draft.config.problem(
                "use_golds", "'use_golds' needs 'gold_jsonl', which is missing."
            )
        return
    file = draft.find("gold_jsonl", blueprint.gold_jsonl)
    if file is None and not blueprint.use_golds:
        draft.report.lose("gold_jsonl", "use_golds is off, and the file is not here")
        return
    # The bar after one failure is left out there for these tasks.
    spared = "transitions" in draft.config.task.task_name
    gold: dict[str, Any] = {
        "file": draft.missing("gold_jsonl", blueprint.gold_jsonl)
        if file is None
        else draft.carry(str(file), read_lines_file(file, draft.renaming).content),
        "after": 0 if blueprint.min_golds else 4,
        "allowed_mistakes": blueprint.allowed_gold_mistakes,
        "on_fail": "warn" if spared else "bar",
    }
    if not blueprint.use_golds:
        draft.report.map("gold_jsonl", f"`{gold['file']}`, beside the study and not in use")
        draft.remarks += _commented_gold(gold)
        return
    rate["gold"] = gold
    draft.report.map("use_golds", "`rate.gold`")
    draft.report.map("gold_jsonl", "`rate.gold.file`")
    draft.report.map("min_golds", f"`rate.gold.after: {gold['after']}`")
    draft.report.map("allowed_gold_mistakes", "`rate.gold.allowed_mistakes`")
    if blueprint.gold_qualification_base:
        rate["qualification"] = blueprint.gold_qualification_base
        draft.report.map("gold_qualification_base", "`rate.qualification`")
    if blueprint.max_incorrect_golds:
        draft.report.lose(
            "max_incorrect_golds",
            "one failed item decides, as it did there, whatever this key said",
        )


def _commented_gold(gold: dict[str, Any]) -> list[str]:
    settings = ", ".join(f"{key}: {value}" for key, value in gold.items())
    return [
        "Hidden checks are off (use_golds). To use them, add to the rate stage:",
        f"  gold: {{{settings}}}",
    ]


def _report(draft: ImportDraft, data: TaskFile | None) -> None:
    report = draft.report
    if data is not None and any(draft.kind_of(task) == "comparative" for task in data.tasks):
        report.mended.append(
            "Left and right are drawn for each rater and recorded; on the platform they were "
            "fixed by the file."
        )
    report.mended.append(
        "Items of one group go to different raters, across runs too; `_local` is no longer "
        "appended to names, and the units file is found by itself."
    )
