"""What a configuration sets and its study does not hold: one line of the report for each key."""

from palaver.formats.chateval.config import PARTS
from palaver.studies.intake.chateval.draft import ImportDraft

_MODE = "the study has another stage instead"
_NEVER_READ = "the platform never read it"
_OLDER = "the older form of training; use `screen_json`"
_NO_LIMIT = "0 means no limit there, and there is none here"
_NO_CHECKS = "hidden checks are off in this configuration"
_NO_TRAINING = "nobody is trained in this configuration"
_EMPTY = "it is empty"

# Key → why it is left out where it has become nothing else. Every key of the platform is here.
WHY = {
    # The mode, and what is there in both.
    "do_collect_dialogue": _MODE,
    "do_external_annotations": _MODE,
    "annotations_config_path": _EMPTY,
    "annotation_duration_in_seconds": "`rate.time_limit` is for dialogues of others; nobody is "
    "hurried after a chat of their own",
    "worker_blocklist_paths": _EMPTY,
    "left_pane_text_path": _EMPTY,
    "chat_startup_instructions_path": _EMPTY,
    "task_config_path": "paths are those of the study's folder",
    "custom_source_dir": "pages are Palaver's own",
    "world_file": "it is code of the platform",
    "random_seed": "orders are drawn per rater and recorded",
    "override_opt": "it sets up ParlAI's contexts, which are not here",
    "task_model_parallel": "it concerns ParlAI's models in the platform's own process",
    "max_concurrent_responses": "systems answer side by side; give a system `concurrency`",
    "final_rating_question": _NEVER_READ,
    "context_seed": _NEVER_READ,
    "max_onboard_time": _NEVER_READ,
    # Collecting.
    "num_bots": "the conditions say how many chats there are; only its pages read this key",
    "conversations_needed_string": _EMPTY,
    "num_turns": _EMPTY,
    "max_resp_time": _EMPTY,
    "conversation_start_mode": _EMPTY,
    "include_persona": "off there; systems are told nothing here either",
    "check_acceptability": "off there; there is no such check here",
    "do_interactive_online_annotations": "it is empty: nothing is asked during the chat",
    "do_interactive_offline_annotations": "it is empty: nothing is asked after the chat",
    "model_opt_path": _EMPTY,
    # Judging.
    "data_jsonl": _EMPTY,
    "screen_json": _NO_TRAINING,
    "use_screening_task": _NO_TRAINING,
    "max_screening_units": _NO_TRAINING,
    "passed_qualification_name": _NO_TRAINING,
    "onboard_task_data_path": _OLDER,
    "onboarding_qualification": _OLDER,
    "block_qualification": "whoever fails is remembered under `qualification` here",
    "gold_jsonl": _NO_CHECKS,
    "use_golds": _NO_CHECKS,
    "min_golds": _NO_CHECKS,
    "max_incorrect_golds": "one failed item decides, as it did there, whatever this key said",
    "allowed_gold_mistakes": _NO_CHECKS,
    "gold_qualification_base": _NO_CHECKS,
    # The task and the server.
    "task_name": _EMPTY,
    "task_title": _EMPTY,
    "task_description": _EMPTY,
    "task_reward": "0: nothing is paid",
    "task_tags": "tags are for MTurk's listing",
    "assignment_duration_in_seconds": "`rate.time_limit` says how long an item is held",
    "allowed_concurrent": "a person holds one conversation after the other here",
    "maximum_units_per_worker": _NO_LIMIT,
    "max_num_concurrent_units": "limit this at the panel where people come from",
    "hostname": "the address is given to `palaver serve --host`",
    "port": "the port is given to `palaver serve --port`",
}
# Keys beside these parts.
BESIDE = {
    ("mephisto", "log_level"): "`palaver serve --verbose` logs more",
    ("monitoring_log_rate",): "progress is on the desk",
    ("mturk", "worker_blocklist_paths"): _EMPTY,
}
COLLECTING = (
    *("do_interactive_online_annotations", "do_interactive_offline_annotations", "num_bots"),
    *("conversations_needed_string", "num_turns", "max_resp_time", "conversation_start_mode"),
    *("include_persona", "check_acceptability", "model_opt_path"),
)
JUDGING = (
    *("data_jsonl", "gold_jsonl", "screen_json", "use_golds", "min_golds", "max_incorrect_golds"),
    *("allowed_gold_mistakes", "use_screening_task", "max_screening_units"),
    *("gold_qualification_base", "passed_qualification_name"),
)


def report_left_out(draft: ImportDraft) -> None:
    """Say what the file sets and this study does not hold, key by key."""
    config, report = draft.config, draft.report
    told = {theirs.partition(":")[0] for theirs, _ in (*report.mapped, *report.without)}
    collects = config.blueprint.do_collect_dialogue
    idle = JUDGING if collects else COLLECTING
    mode = "collects dialogues" if collects else "judges finished dialogues"
    for steps, kind in PARTS.items():
        for key in kind.__struct_fields__:
            if f"{steps[-1]}.{key}" not in config.given or key in told:
                continue
            unused = key in idle and steps[-1] == "blueprint"
            report.lose(key, f"without effect: this configuration {mode}" if unused else WHY[key])
    for steps, why in BESIDE.items():
        if steps in config.beside and steps[-1] not in told:
            report.lose(".".join(steps), why)
    for key in config.unknown:
        report.lose(key, "the platform's code does not read this key either")
    if config.provider != "mock":
        report.lose(
            f"provider: {config.provider}",
            "people come by address here (`crowd.kind: chateval`); set MTurk's qualifications "
            "(locale, approved HITs) at MTurk",
        )
    if config.architect_kind not in ("local", "mock"):
        report.lose(f"architect: {config.architect_kind}", "`palaver serve` runs anywhere")
