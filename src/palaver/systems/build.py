"""From a kind and its options to a system that is ready to talk, or a model that is ready to start."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from palaver.core.errors import InputError, MissingExtraError
from palaver.systems.guard import Guarded
from palaver.systems.options import (
    CallOptions,
    PredictorOptions,
    describe_problem,
    described_options,
)
from palaver.systems.predictor import GuardedPredictor
from palaver.systems.registry import PREDICTORS, SYSTEMS

T = TypeVar("T")
Chosen = TypeVar("Chosen", bound=CallOptions)


def build_system(name: str, options: Mapping[str, Any], *, folder: Path) -> Guarded:
    """The system that `options` describe, guarded; InputError where they are wrong."""
    kind = options.get("kind")
    if not isinstance(kind, str):
        known = ", ".join(SYSTEMS.names())
        raise InputError(f"System '{name}' needs a 'kind'. Known: {known}.")

    def build() -> Guarded:
        valid = validate_options(kind, options)
        return Guarded(SYSTEMS.get(kind)(valid, folder=folder), valid)

    return _built(build, f"System '{name}'", lambda: option_names(kind), detail=f" ({kind})")


def build_predictor(kind: str, options: Mapping[str, Any], *, folder: Path) -> GuardedPredictor:
    """The predictor that `options` describe; InputError names the option that is wrong."""

    def build() -> GuardedPredictor:
        made = PREDICTORS.get(kind)
        valid = _validated(made.options_type, options)
        return GuardedPredictor(made(valid, folder=folder), valid)

    return _built(build, f"Model of kind '{kind}'", lambda: predictor_options(kind))


def options_type(kind: str) -> type[CallOptions]:
    """The options that systems of this kind take."""
    return SYSTEMS.get(kind).options_type


def validate_options(kind: str, options: Mapping[str, Any]) -> CallOptions:
    """The checked options of a system; pydantic's ValidationError is let through."""
    return _validated(options_type(kind), options)


def option_names(kind: str) -> dict[str, str]:
    """Every option of a kind of system as it is written in YAML, with its description."""
    return described_options(options_type(kind))


def predictor_kinds() -> list[str]:
    """Every kind of model there is."""
    return PREDICTORS.names()


def predictor_options_type(kind: str) -> type[PredictorOptions]:
    """The options that models of this kind take."""
    return PREDICTORS.get(kind).options_type


def predictor_options(kind: str) -> dict[str, str]:
    """Every option of a kind of model as it is written in YAML, with its description."""
    return described_options(predictor_options_type(kind))


def _validated(kind: type[Chosen], options: Mapping[str, Any]) -> Chosen:
    return kind.model_validate({key: value for key, value in options.items() if key != "kind"})


def _built(
    build: Callable[[], T], what: str, known: Callable[[], dict[str, str]], *, detail: str = ""
) -> T:
    """What `build` makes; what is wrong with it is said of `what`."""
    try:
        return build()
    except ValidationError as error:
        problems = " ".join(describe_problem(known(), each) for each in error.errors())
        raise InputError(f"{what}{detail}: {problems}") from error
    except MissingExtraError:
        raise
    except InputError as error:
        raise type(error)(f"{what}: {error}") from error
