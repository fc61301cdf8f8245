"""Keys that have no equivalent here, or say nothing, and why."""

from palaver.studies.intake.chateval.draft import Draft

# Key (part.key) → why. Reported only where the file sets it.
WITHOUT = {
    "blueprint.block_qualification": "whoever fails is remembered under `qualification` here",
    "blueprint.onboard_task_data_path": "the older form of training; use `screen_json`",
    "blueprint.onboarding_qualification": "the older form of training; use `screen_json`",
    "blueprint.override_opt": "it sets up ParlAI's contexts, which are not here",
    "blueprint.task_model_parallel": "it concerns ParlAI's models in the platform's own process",
    "blueprint.max_concurrent_responses": "systems answer side by side; limits are the system's",
    "blueprint.random_seed": "orders are drawn per rater and recorded",
    "blueprint.final_rating_question": "the platform never read it",
    "blueprint.context_seed": "the platform never read it",
    "blueprint.max_onboard_time": "the platform never read it",
    "blueprint.task_config_path": "paths are those of the study's folder",
    "blueprint.custom_source_dir": "pages are Palaver's own",
    "blueprint.world_file": "it is code of the platform",
    "task.task_tags": "tags are for MTurk's listing",
    "task.max_num_concurrent_units": "limit this at the panel where people come from",
    "architect.hostname": "the address is given to `palaver serve --host`",
    "architect.port": "the port is given to `palaver serve --port`",
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


def report_unmapped(draft: Draft) -> None:
    """Say what the file sets and this study does not hold."""
    config, report = draft.config, draft.report
    for key, why in WITHOUT.items():
        if key in config.given:
            report.lose(key.partition(".")[2], why)
    collects = config.blueprint.do_collect_dialogue
    idle = [
        key for key in (JUDGING if collects else COLLECTING) if f"blueprint.{key}" in config.given
    ]
    if idle:
        mode = "judges finished dialogues" if not collects else "collects dialogues"
        report.lose(", ".join(idle), f"without effect: this configuration {mode}")
    if not collects and "task.assignment_duration_in_seconds" in config.given:
        report.lose(
            "assignment_duration_in_seconds", "`rate.time_limit` says how long a sheet is held"
        )
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
