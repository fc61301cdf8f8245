"""From a kind and its options to a predictor that is ready to start."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from palaver.core.errors import InputError, MissingExtraError
from palaver.systems.options import describe_problem, described_options
from palaver.systems.predictors.guard import GuardedPredictor
from palaver.systems.predictors.options import PredictorOptions
from palaver.systems.predictors.registry import PREDICTORS


def build_predictor(kind: str, options: Mapping[str, Any], *, folder: Path) -> GuardedPredictor:
    """The predictor that `options` describe; InputError names the option that is wrong."""
    try:
        valid = validate_options(kind, options)
        return GuardedPredictor(PREDICTORS.get(kind)(valid, folder=folder), valid)
    except ValidationError as error:
        problems = " ".join(
            describe_problem(predictor_options(kind), each) for each in error.errors()
        )
        raise InputError(f"Model of kind '{kind}': {problems}") from error
    except MissingExtraError:
        raise
    except InputError as error:
        raise type(error)(f"Model of kind '{kind}': {error}") from error


def predictor_kinds() -> list[str]:
    """Every kind of model there is."""
    return PREDICTORS.names()


def predictor_options(kind: str) -> dict[str, str]:
    """Every option of a kind as it is written in YAML, with its description."""
    return described_options(PREDICTORS.get(kind).options_type)


def validate_options(kind: str, options: Mapping[str, Any]) -> PredictorOptions:
    """The checked options; pydantic's ValidationError is let through."""
    given = {key: value for key, value in options.items() if key != "kind"}
    return PREDICTORS.get(kind).options_type.model_validate(given)
