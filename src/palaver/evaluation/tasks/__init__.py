"""Tasks as YAML files: reading them, the ones that are built in, and the ones that are stored."""

from palaver.evaluation.tasks.builtin import (
    builtin_names,
    builtin_task,
    builtin_text,
    write_starter,
)
from palaver.evaluation.tasks.definition import load_task, task_data, task_digest, task_from_data
from palaver.evaluation.tasks.stored import (
    TaskScan,
    add_task,
    ensure_task,
    find_public_task,
    scan_tasks,
    set_policy,
    stored_task,
    task_overviews,
    use_builtin_task,
)
from palaver.storage.evaluation.tasks import find_task, list_tasks

__all__ = [
    "TaskScan",
    "add_task",
    "builtin_names",
    "builtin_task",
    "builtin_text",
    "ensure_task",
    "find_public_task",
    "find_task",
    "list_tasks",
    "load_task",
    "scan_tasks",
    "set_policy",
    "stored_task",
    "task_data",
    "task_digest",
    "task_from_data",
    "task_overviews",
    "use_builtin_task",
    "write_starter",
]
