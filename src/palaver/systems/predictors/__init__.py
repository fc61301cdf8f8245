"""Models that answer questions of a task, by kind of endpoint."""

from palaver.systems.predictors.build import (
    build_predictor,
    predictor_kinds,
    predictor_options,
)
from palaver.systems.predictors.failures import BatchFailureError
from palaver.systems.predictors.images import embed_images
from palaver.systems.predictors.registry import PREDICTORS

__all__ = [
    "PREDICTORS",
    "BatchFailureError",
    "build_predictor",
    "embed_images",
    "predictor_kinds",
    "predictor_options",
]
