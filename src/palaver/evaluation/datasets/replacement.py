"""A new version of a data set that has uploaded answers: they are carried over if they answer it.

Where the new version asks the same questions and only its gold differs, every uploaded file is an
answer to it as well: new runs are planned on it, and the runs on the earlier version stay. Where it asks
others, the files stay with the earlier version, and whoever lists entries says so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.audit import SERVER
from palaver.core.evaluation.datasets import Dataset, DatasetVersion
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Example, Task
from palaver.evaluation.datasets.contents import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.predictions import read_upload, reordered_path
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.models import add_uploads, uploads_for
from palaver.storage.evaluation.runs import hold_task

_decode = msgspec.json.Decoder(Example).decode


@dataclass(frozen=True, slots=True)
class Replacement:
    """What a new content has in common with the earlier one.

    `order` are the uids of the new one where the questions are the same, and None where they are not;
    `is_moved` says that they stand in another order.
    """

    earlier: Dataset
    order: tuple[str, ...] | None
    is_moved: bool = False


def read_replacement(
    home: EvaluationHome,
    task_row: StoredTask,
    task: Task,
    earlier: Dataset | None,
    *,
    digest: str,
    path: str,
) -> Replacement | None:
    """What a new content replaces; None where nobody has uploaded answers to the earlier one."""
    if earlier is None or earlier.digest == digest:
        return None
    if not home.store.read_now(lambda c: uploads_for(c, task_row.id, earlier.digest)):
        return None
    before = _questions(task, read_examples(home, task, earlier))
    after = _questions(task, [_decode(line) for line in home.objects.lines(path)])
    if before != after:
        return Replacement(earlier, None)
    return Replacement(earlier, tuple(after), is_moved=list(before) != list(after))


def carry_over(
    connection: Connection,
    home: EvaluationHome,
    task_row: StoredTask,
    dataset: DatasetVersion,
    found: Replacement,
    *,
    now: float,
) -> None:
    """Let uploaded answers to the earlier version be answers to this one, and record it.

    In the transaction that adds the version, before its runs are planned.
    """
    hold_task(connection, task_row.id)
    paths = uploads_for(connection, task_row.id, found.earlier.digest)
    if found.order is not None:
        add_uploads(connection, dataset.digest, _in_order(home, found, paths))
    record(
        connection,
        "dataset.replace",
        by=SERVER,
        now=now,
        subject=f"{task_row.name}/{found.earlier.name}",
        detail={
            "version": dataset.version,
            "before": found.earlier.version,
            "only_gold": found.order is not None,
            "answers": len(paths),
        },
    )


def _questions(task: Task, examples: Sequence[Example]) -> dict[str, Any]:
    """What models are asked, by uid: all but gold and tags."""
    return {example.uid: (task.question(example), example.input_id) for example in examples}


def _in_order(home: EvaluationHome, found: Replacement, paths: Mapping[int, str]) -> dict[int, str]:
    """The files in the order of the new version; written anew where that is another one."""
    if not found.is_moved or found.order is None:
        return dict(paths)
    moved: dict[str, str] = {}
    for path in set(paths.values()):
        lines = {_id(line): line for line in read_upload(home, path).splitlines()}
        content = b"\n".join(lines[uid] for uid in found.order) + b"\n"
        moved[path] = reordered_path(path, content)
        home.objects.put(moved[path], content)
    return {version_id: moved[path] for version_id, path in paths.items()}


class _Id(msgspec.Struct):
    id: str


def _id(line: bytes) -> str:
    return _decode_id(line).id


_decode_id = msgspec.json.Decoder(_Id).decode
