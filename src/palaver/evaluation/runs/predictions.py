"""The predictions of a run: rows of the store, or the uploaded file that its model was handed in as.

An uploaded file was checked and brought into the order of its data set when it came, so it is the
answers, and no row is written for any of them. Runs of earlier versions of this program have rows for
uploaded answers, too; those are read as they are. See docs/design/uploaded-answers.md.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import DatasetVersion
from palaver.core.evaluation.models import ModelVersion
from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.tasks import Example
from palaver.evaluation.home import EvaluationHome
from palaver.storage.audit.runs import answers_path
from palaver.storage.evaluation.predictions import predictions_from, read_predictions

BLOCK = 1000
# Characters of a digest that stand in the path of an uploaded file.
SHORT_DIGEST = 16

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def upload_path(task: str, model: str, dataset: str, content: bytes) -> str:
    """Where checked answers are kept: the name ends in a digest of the content."""
    return f"predictions/{task}/{model}/{dataset}-{_short_digest(content)}.jsonl"


def reordered_path(path: str, content: bytes) -> str:
    """Where the answers at `path` are kept in another order."""
    return f"{path.rpartition('-')[0]}-{_short_digest(content)}.jsonl"


def uploaded_path(model: ModelVersion, dataset: DatasetVersion) -> str:
    """Where the answers of an uploaded model to a data set are kept; InputError if it has none."""
    path = model.options.get(dataset.digest)
    if path is None:
        raise InputError(
            "No predictions were uploaded for this version of the data set "
            f"({dataset.digest[:12]}). Upload them: palaver model add TASK NAME "
            "--predictions DATASET=FILE."
        )
    return str(path)


def check_upload(home: EvaluationHome, path: str, examples: Sequence[Example]) -> None:
    """Raise InputError unless an uploaded file has one answer to each example, in their order."""
    found = [each.uid for each in _uploaded(read_upload(home, path).splitlines())]
    wanted = [example.uid for example in examples]
    if found != wanted:
        missing = next((uid for uid in wanted if uid not in set(found)), "")
        told = f"no answer to '{missing}'" if missing else "answers in another order"
        raise InputError(f"The predictions in '{path}' contain {told}. Upload them again.")


def run_predictions(home: EvaluationHome, run: Run) -> list[Prediction]:
    """Every prediction of a run, in the order of the data set that it was made on."""
    path = home.store.read_now(lambda c: answers_path(c, run.id))
    if path is None:
        return home.store.read_now(lambda c: list(read_predictions(c, run.id)))
    return list(_uploaded(read_upload(home, path).splitlines()))


def prediction_blocks(
    home: EvaluationHome, run: Run, *, start: int = 0
) -> Iterator[list[Prediction]]:
    """The predictions from the item at `start` on, some at a time."""
    path = home.store.read_now(lambda c: answers_path(c, run.id)) if run.asked else None
    if path is not None:
        lines = islice(home.objects.lines(path), start, None)
        found = _uploaded(lines, start=start)
        while block := list(islice(found, BLOCK)):
            yield block
        return
    while block := _rows_from(home, run, start):
        yield block
        start = block[-1].position + 1


def _rows_from(home: EvaluationHome, run: Run, start: int) -> list[Prediction]:
    return home.store.read_now(lambda c: predictions_from(c, run.id, start=start, limit=BLOCK))


def read_upload(home: EvaluationHome, path: str) -> bytes:
    """The content of an uploaded file; InputError if it is not what was uploaded."""
    content = home.objects.read(path)
    told = path.rpartition("-")[2].removesuffix(".jsonl")
    if _short_digest(content) != told:
        raise InputError(
            f"'{path}' in {home.objects.url} is not what was uploaded: its content has another "
            "digest. Bring the file back from a backup, or upload it again."
        )
    return content


def _short_digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:SHORT_DIGEST]


def _uploaded(lines: Iterable[bytes], *, start: int = 0) -> Iterator[Prediction]:
    for position, line in enumerate(lines, start):
        record = _decode(line)
        uid = str(record.pop("id"))
        yield Prediction(position=position, uid=uid, answer=record, seconds=0.0)
