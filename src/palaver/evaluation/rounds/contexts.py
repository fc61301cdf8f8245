"""Contexts of a round: from a data set of its task, and as they are kept with it."""

import hashlib
import random
from collections.abc import Sequence

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import Round, RoundContext
from palaver.core.serial import convert, encode
from palaver.core.tasks import Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.storage.evaluation.datasets import find_dataset


def contexts_of_dataset(
    home: EvaluationHome, task_id: int, task: Task, name: str, *, sample: int | None, seed: str
) -> tuple[RoundContext, ...]:
    """The different contexts of a data set's items, all or a sample, without what is gold."""
    dataset = home.store.read_now(lambda c: find_dataset(c, task_id, name))
    fields = [each.name for each in task.context]
    if not fields:
        raise InputError(f"The task '{task.name}' has no context that a data set could give.")
    different: dict[bytes, RoundContext] = {}
    for example in read_examples(home, task, dataset):
        values = {field: example.values[field] for field in fields}
        made = RoundContext(
            id=example.uid, values=values, tag=example.tags[0] if example.tags else ""
        )
        different.setdefault(msgspec.json.encode(values, order="sorted"), made)
    found = list(different.values())
    if sample is not None and sample < len(found):
        found = random.Random(seed).sample(found, sample)
    return tuple(found)


def keep_contexts(
    home: EvaluationHome, task: str, contexts: Sequence[RoundContext]
) -> tuple[str, str]:
    """Store the contexts of a round; where they are, and their SHA-256."""
    content = b"".join(encode(each) + b"\n" for each in contexts)
    digest = hashlib.sha256(content).hexdigest()
    path = f"rounds/{task}/contexts-{digest[:16]}.jsonl"
    if not home.objects.exists(path):
        home.objects.put(path, content)
    return path, digest


def contexts_of_round(home: EvaluationHome, round_: Round) -> tuple[RoundContext, ...]:
    """The contexts that a round was opened with; InputError where they are not what was kept."""
    content = home.objects.read(round_.contexts_path)
    if hashlib.sha256(content).hexdigest() != round_.contexts_digest:
        raise InputError(
            f"The contexts in {round_.contexts_path} are not those that round {round_.number} of "
            f"'{round_.task}' was opened with."
        )
    return tuple(convert(msgspec.json.decode(line), RoundContext) for line in content.splitlines())
