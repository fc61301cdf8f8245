"""What `palaver model predict` does once PyTorch is known to be there."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from palaver.cli.evaluation.home import at_home
from palaver.cli.evaluation.model_choice import called_task
from palaver.cli.output import print_json
from palaver.core.errors import InputError
from palaver.core.serial import encode
from palaver.core.tasks import Task
from palaver.core.words import counted
from palaver.evaluation.challenges.file_check import item_noun, read_questions
from palaver.models.checkpoints.folder import Checkpoint, check_model, open_checkpoint
from palaver.models.faces import RESPONDERS, Responder
from palaver.models.training.processes import chosen_device

# How many questions a model is asked in one call.
_AT_ONCE = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenPredictions:
    """What was written, and what to do with it."""

    output: str
    items: int
    noun: str
    next: str


def run(
    folders: Sequence[Path],
    file: Path,
    output: Path,
    *,
    task_name: str | None,
    device: str,
    home: Path | None,
    as_json: bool,
) -> None:
    """Answer what the file asks, and write that down."""
    if output.exists() and output.samefile(file):
        raise InputError(f"{output} is the file that is answered, and stays. Give another as -o.")
    checkpoints = [open_checkpoint(folder) for folder in folders]
    kind = _responder_kind(checkpoints)
    members = [member for each in checkpoints for member in each.all]
    if task_name is None and not _tasks(members):
        responder = kind(members, chosen_device(device))
        written = _submission(responder, file, output)
    else:
        task = called_task(task_name or _only_task(members), home=home)
        responder = kind(members, chosen_device(device))
        written = _predictions(responder, task, file, output)
    if as_json:
        print_json(written)
        return
    click.echo(f"{counted(written.items, written.noun)} of {file.name} answered: {output}")
    click.echo(f"\nNext: {written.next}")


def _responder_kind(checkpoints: Sequence[Checkpoint]) -> type[Responder]:
    """What answers from all of the checkpoints; InputError where no one thing does."""
    for each in checkpoints:
        for member in each.all:
            check_model(member, tuple(RESPONDERS.names()))
    kinds = {RESPONDERS.get(member.model): each for each in checkpoints for member in each.all}
    if len(kinds) > 1:
        one, other = list(kinds.values())[:2]
        raise InputError(
            f"{one.folder} ({one.model}) and {other.folder} ({other.model}) cannot answer as one. "
            "Give checkpoints of one kind."
        )
    return next(iter(kinds))


def _tasks(checkpoints: Sequence[Checkpoint]) -> list[str]:
    """The tasks that checkpoints say they have learnt."""
    return list(dict.fromkeys(task for each in checkpoints for task in each.words.get("task", ())))


def _only_task(checkpoints: Sequence[Checkpoint]) -> str:
    first, *others = _tasks(checkpoints)
    if others:
        raise InputError(
            f"The checkpoints have learnt different tasks, '{first}' and '{others[0]}'. Give those "
            "of one."
        )
    return first


def _submission(responder: Responder, file: Path, output: Path) -> WrittenPredictions:
    """Write what a shared task takes, for a model that knows its form."""
    submission = getattr(responder, "submission", None)
    if submission is None:
        raise click.UsageError(
            "Which task is the file of? The checkpoint does not say: --task TASK."
        )
    records = submission(file)
    lines = b",\n".join(encode(record) for record in records)
    _write(output, b"[\n" + lines + b"\n]\n")
    return WrittenPredictions(
        output=str(output),
        items=len(records),
        noun="dialogue",
        next=shlex.join(
            ["palaver", "score", "dialeval", "--gold", str(file), "--pred", str(output)]
        ),
    )


def _predictions(responder: Responder, task: Task, file: Path, output: Path) -> WrittenPredictions:
    """Write a line for each item of a file of a task, as a data set's predictions are written."""
    questions = [task.question(each) for each in read_questions(task, file)]
    lines = [encode(record) + b"\n" for record in _answers(responder, questions)]
    _write(output, b"".join(lines))
    kept = shlex.quote(f"DATASET={output}")
    add = f"palaver model add {task.name} NAME --predictions {kept}"
    return WrittenPredictions(
        output=str(output), items=len(lines), noun=item_noun(task), next=at_home(add)
    )


def _answers(
    responder: Responder, questions: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(questions), _AT_ONCE):
        yield from responder.answer(questions[start : start + _AT_ONCE])


def _write(output: Path, content: bytes) -> None:
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_bytes(content)
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror}.") from error
