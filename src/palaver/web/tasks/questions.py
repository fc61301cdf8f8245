"""What a model is asked of a data set, for teams that answer it themselves."""

from collections.abc import Iterator

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.datasets import DatasetVersion
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.submissions import answerable_sets
from palaver.web.tasks.access import Visit

BLOCK = 200


def answerable(connection: Connection, found: Visit, name: str) -> DatasetVersion:
    """The newest version of a data set that submissions are evaluated on."""
    for each in answerable_sets(connection, found.row):
        if each.name == name:
            return each
    raise UnknownNameError(f"There is no data set '{name}' to answer.")


def question_lines(found: Visit, version: DatasetVersion) -> Iterator[bytes]:
    """The questions as JSON lines, in blocks; no gold, no tags."""
    examples = read_examples(found.home, found.task, version)
    encode = msgspec.json.Encoder().encode_lines
    for start in range(0, len(examples), BLOCK):
        yield encode([found.task.question(each) for each in examples[start : start + BLOCK]])
