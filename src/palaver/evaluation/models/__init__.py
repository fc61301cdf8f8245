"""Models: how they are brought, tried, kept, and asked."""

from palaver.evaluation.models.predictors import build_model, model_folder

__all__ = ["build_model", "model_folder"]
