"""Any version of a model as a predictor: one that is asked, or answers that were uploaded."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.evaluation.datasets import DatasetVersion
from palaver.core.evaluation.models import UPLOADED, ModelVersion
from palaver.core.protocols import Predictor, Reply
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.files import unpack
from palaver.storage.objects import Objects
from palaver.systems.build import build_predictor

# Where the files of models are unpacked to be run.
UNPACKED = "unpacked"

BATCH = 1000

_decode = msgspec.json.Decoder(dict[str, Any]).decode


def build_model(home: EvaluationHome, version: ModelVersion, dataset: DatasetVersion) -> Predictor:
    """The predictor that asks this version; not started yet."""
    if version.kind == UPLOADED:
        return _uploaded(home, version, dataset)
    return build_predictor(version.kind, version.options, folder=model_folder(home, version))


def model_folder(home: EvaluationHome, version: ModelVersion) -> Path:
    """The folder a version runs in, with its files; the home where it has none."""
    if not version.folder:
        return home.folder
    return unpack(home.objects, version.folder, home.folder / UNPACKED)


class UploadedPredictions:
    """Answers that were computed elsewhere: no time of its own, no memory."""

    batch = BATCH
    concurrency = 1

    def __init__(self, objects: Objects, path: str) -> None:
        self._objects = objects
        self._path = path
        self._answers: dict[str, dict[str, Any]] = {}

    async def start(self) -> None:
        """Read the file, on a thread: it may be large."""
        self._answers = await asyncio.to_thread(self._read)

    async def predict(self, questions: Sequence[Mapping[str, Any]]) -> Sequence[Reply]:
        return [Reply(self._answer(str(question["uid"])), 0.0) for question in questions]

    def memory(self) -> float | None:
        """None: where the answers came from is not known."""
        return None

    async def close(self) -> None:
        self._answers = {}

    def _read(self) -> dict[str, dict[str, Any]]:
        records = map(_decode, self._objects.lines(self._path))
        return {str(record["id"]): record for record in records}

    def _answer(self, uid: str) -> dict[str, Any]:
        if uid not in self._answers:
            raise SystemFailureError("silent", f"The predictions contain no answer to '{uid}'.")
        return self._answers[uid]


def _uploaded(
    home: EvaluationHome, version: ModelVersion, dataset: DatasetVersion
) -> UploadedPredictions:
    path = version.options.get(dataset.digest)
    if path is None:
        raise InputError(
            "No predictions were uploaded for this version of the data set "
            f"({dataset.digest[:12]}). Upload them: palaver model add TASK NAME "
            "--predictions DATASET=FILE."
        )
    return UploadedPredictions(home.objects, str(path))
