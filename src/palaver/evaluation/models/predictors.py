"""A version of a model as a predictor that can be asked, from the files that it was added with."""

from pathlib import Path

from palaver.core.evaluation.models import ModelVersion
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.files import unpack
from palaver.systems.build import build_predictor
from palaver.systems.predictor import GuardedPredictor

# Where the files of models are unpacked to be run.
UNPACKED = "unpacked"


def build_model(home: EvaluationHome, version: ModelVersion) -> GuardedPredictor:
    """The predictor that asks this version; not started yet."""
    return build_predictor(version.kind, version.options, folder=model_folder(home, version))


def model_folder(home: EvaluationHome, version: ModelVersion) -> Path:
    """The folder a version runs in, with its files; the home where it has none."""
    if not version.folder:
        return home.folder
    return unpack(home.objects, version.folder, home.folder / UNPACKED)
