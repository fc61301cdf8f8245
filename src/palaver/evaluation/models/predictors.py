"""Any version of a model as a predictor."""

from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import DatasetVersion
from palaver.core.evaluation.models import UPLOADED, ModelVersion
from palaver.core.protocols import Predictor
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.files import unpack
from palaver.evaluation.models.uploads import UploadedPredictions
from palaver.systems.build import build_predictor

# Where the files of models are unpacked to be run.
UNPACKED = "unpacked"


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
