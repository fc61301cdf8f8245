"""What the row of a task says beside its configuration."""

from typing import Any

from palaver.formats.dynabench.draft import TaskDraft

MACHINES = (
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
TEXTS = {"name": "title", "desc": "about", "instructions_md": "instructions"}
READ = frozenset(
    {"task_code", "task", "shortname", "hidden", "dynalab_threshold", "dynalab_hr_diff"}
)


def add_row(draft: TaskDraft, row: dict[str, Any]) -> None:
    """Take the texts of a row; say what became of the rest."""
    for theirs, ours in TEXTS.items():
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
    machines = [key for key in MACHINES if row.get(key) not in (None, "", False)]
    if machines:
        draft.left_out.append(f"{', '.join(machines)}: machines of a cloud that is not needed.")
    known = {*TEXTS, *MACHINES, *READ}
    others = [key for key, value in row.items() if key not in known and value not in (None, "")]
    if others:
        draft.left_out.append(f"{', '.join(others)}: of their site.")
