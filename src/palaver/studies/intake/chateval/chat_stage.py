"""Dialogue collection: `do_collect_dialogue` as a chat stage, and the questions that go with it."""

from typing import Any

from palaver.formats.chateval.config import (
    NEEDED,
    Needed,
    conversations_needed,
    read_model_options,
    system_entry,
)
from palaver.formats.chateval.names import question_name
from palaver.studies.intake.chateval.draft import UNCONFIGURED, ImportDraft, shown
from palaver.studies.stages.parts import RESERVED

PAIR = "comparative"


def add_chat(draft: ImportDraft) -> None:
    """The chat stage, its systems, and what is asked during and after it."""
    needed = conversations_needed(draft.config)
    conditions = _conditions(draft, needed)
    is_paired = len(needed[0].models) == 2
    blueprint, task = draft.config.blueprint, draft.config.task
    chat: dict[str, Any] = {
        "arrangement": "paired" if is_paired else "system",
        "turns": {"exactly": blueprint.num_turns},
        "conditions": conditions,
        "limits": {
            "message": blueprint.max_resp_time,
            "dialogue": task.assignment_duration_in_seconds,
            "idle": None,
        },
    }
    _start(draft, chat)
    _online(draft, chat)
    draft.stages.append({"chat": chat})
    _offline(draft, chats=len(needed[0].models), is_paired=is_paired)
    _report(draft, needed, is_paired=is_paired)


def _conditions(draft: ImportDraft, needed: list[Needed]) -> list[dict[str, Any]]:
    options = _model_options(draft)
    names: dict[str, str] = {}
    conditions: list[dict[str, Any]] = []
    for each in needed:
        if each.count == 0:
            draft.report.lose("|".join(each.models), "none is needed, so it is left out")
            continue
        for model in each.models:
            if model not in names:
                names[model] = _system_name(draft, model, set(names.values()))
                _add_system(draft, names[model], system_entry(draft.project, model, options))
        conditions.append(
            {"systems": [names[model] for model in each.models], "needed": each.count}
        )
    if not conditions:
        raise draft.config.problem(NEEDED, f"'{NEEDED}' needs no conversation at all.")
    unused = len(options.keys() - names.keys())
    if unused:
        draft.report.lose("model_opt_path", f"{unused} models of the file are in no condition")
    return conditions


def _add_system(draft: ImportDraft, name: str, entry: dict[str, Any]) -> None:
    """Attach a system, and say what is still to be done about it."""
    draft.systems[name] = entry
    if entry["kind"] == UNCONFIGURED:
        draft.report.unconfigured.append(
            f"System '{name}': replace it with one of your own (kind, address), or run it where "
            "ParlAI is: `kind: agent` with `python` and `flags`."
        )
        return
    draft.report.map(f"model of system '{name}'", "`kind: agent`: the project's own class")
    if UNCONFIGURED in (python := entry.get("python", {})):
        draft.report.unconfigured.append(
            f"System '{name}': fill in `python`, {python[UNCONFIGURED]}."
        )


def _model_options(draft: ImportDraft) -> dict[str, str]:
    written = draft.config.blueprint.model_opt_path or "task_config/model_opts.yaml"
    file = draft.project.locate(written)
    if file is None:
        draft.report.unconfigured.append(f"`{shown(written)}` (model_opt_path) is not here.")
        return {}
    draft.report.map("model_opt_path", "`systems`, with ParlAI's options")
    return read_model_options(file)


def _system_name(draft: ImportDraft, model: str, taken: set[str]) -> str:
    name = question_name(model, taken)
    name = f"{name}_model" if name in RESERVED else name
    if name != model:
        draft.report.map(f"model '{model}'", f"system `{name}`: the name cannot be used in a study")
    return name


def _start(draft: ImportDraft, chat: dict[str, Any]) -> None:
    mode = draft.config.blueprint.conversation_start_mode
    if mode == "hi":
        chat["seeds"] = [{"by": "person", "text": "Hi!"}]
        draft.report.map("conversation_start_mode: hi", "`chat.seeds`")
    elif mode == "blended_skill_talk":
        draft.report.lose(
            "conversation_start_mode: blended_skill_talk",
            "the two seed utterances come from a data set that is not in the project; give them "
            "as `scenarios`",
        )
    else:
        raise draft.config.problem(
            "conversation_start_mode",
            f"'conversation_start_mode' takes 'hi' or 'blended_skill_talk'; got '{mode}'.",
        )


def _online(draft: ImportDraft, chat: dict[str, Any]) -> None:
    task = draft.config.blueprint.do_interactive_online_annotations
    if not task:
        return
    key = "do_interactive_online_annotations"
    if draft.kind_of(task) == PAIR:
        draft.report.lose(key, f"'{task}' compares two dialogues; it cannot be asked of a message")
        return
    names = draft.ask([task])
    if names:
        chat["online"] = {"ask": names[0], "required": "_optional" not in task}
        draft.report.map(key, "`chat.online`")
        draft.report.mended.append(
            "Online answers were lost if there were no offline tasks, and any display but "
            "multiselect blocked the chat for good. Here each answer is stored when it is given."
        )


def _offline(draft: ImportDraft, *, chats: int, is_paired: bool) -> None:
    lists = draft.config.blueprint.do_interactive_offline_annotations
    tasks = list(dict.fromkeys(task for tasks in lists for task in tasks))
    if not tasks:
        return
    key = "do_interactive_offline_annotations"
    pairs = [task for task in tasks if draft.kind_of(task) == PAIR]
    if pairs and not is_paired:
        draft.report.lose(
            ", ".join(pairs), "there is only one dialogue, so nothing can be compared"
        )
        tasks = [task for task in tasks if task not in pairs]
    each = [set(tasks_) - set(pairs) for tasks_ in lists]
    if len(lists) != chats or any(tasks_ != each[0] for tasks_ in each):
        draft.report.lose(key, "the lists differ from chat to chat; here all are asked after each")
    names = draft.ask(tasks)
    if not names:
        return
    draft.stages.append({"rate": {"ask": names, "when": "after_each", "shuffle": True}})
    draft.report.map(key, "a `rate` stage with `when: after_each` and `shuffle: true`")
    dropped = [task for task in tasks if "likert" not in task and "comparative" not in task]
    if dropped:
        draft.report.mended.append(
            f"The platform silently dropped {', '.join(dropped)} from the offline tasks. "
            "Here they are asked."
        )
    if pairs and is_paired:
        draft.report.mended.append("Comparisons are asked once, after the second chat.")


def _report(draft: ImportDraft, needed: list[Needed], *, is_paired: bool) -> None:
    blueprint, report = draft.config.blueprint, draft.report
    report.map(NEEDED, "`chat.conditions`" + (" with `arrangement: paired`" if is_paired else ""))
    report.map("num_turns", "`chat.turns.exactly`, which counts 'Hi!' too")
    report.map("max_resp_time", "`chat.limits.message`")
    report.map("assignment_duration_in_seconds", "`chat.limits.dialogue`")
    if blueprint.num_bots != len(needed[0].models):
        report.lose(
            "num_bots", f"the conditions have {len(needed[0].models)}; only its pages read this key"
        )
    if blueprint.include_persona:
        report.lose(
            "include_persona",
            "personas came from BlendedSkillTalk and went only to bots called 'blender'; give "
            "yours as `chat.personas` or `scenarios`",
        )
    if blueprint.check_acceptability:
        report.lose(
            "check_acceptability", "there is no such check here; it crashed on the platform"
        )
    report.mended.append(
        "Conversations are counted in the database: neither a restart nor many at once can exceed "
        "a condition. A lost connection is resumed."
    )
