"""From a kind and its options to a system that is ready to talk, or a model that is ready to start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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

_TYPES = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "list",
    "object": "mapping",
}


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


def makes_moves(kind: str) -> bool:
    """Whether systems of a kind are given events and answer with moves; others know words alone."""
    return bool(getattr(SYSTEMS.get(kind), "makes_moves", False))


def only_game(system: Guarded) -> str:
    """The one game that a system plays; empty for one that sits down at any."""
    return str(getattr(system.system, "only_game", ""))


def folder_option(kind: str) -> str:
    """The option that names the folder a kind of model runs from; empty where none does."""
    return str(getattr(PREDICTORS.get(kind), "folder_option", ""))


def options_type(kind: str) -> type[CallOptions]:
    return SYSTEMS.get(kind).options_type


def validate_options(kind: str, options: Mapping[str, Any]) -> CallOptions:
    """The checked options of a system; pydantic's ValidationError is let through."""
    return _validated(options_type(kind), options)


def option_names(kind: str) -> dict[str, str]:
    """Every option of a kind of system as it is written in YAML, with its description."""
    return described_options(options_type(kind))


@dataclass(frozen=True, slots=True, kw_only=True)
class KindOption:
    """An option of a kind of model, as it is written in model.yaml."""

    option: str
    type: str
    required: bool
    default: Any
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictorKind:
    """A kind of model, and the options that it takes; those that it needs come first."""

    kind: str
    about: str
    options: tuple[KindOption, ...]


def describe_predictor(kind: str) -> PredictorKind:
    """What a kind of model is and takes; UnknownNameError if there is no such kind."""
    model = PREDICTORS.get(kind)
    types = model.options_type.model_json_schema(by_alias=True)["properties"]
    options = [
        KindOption(
            option=field.alias or name,
            type=_type_words(types[field.alias or name]),
            required=field.is_required(),
            default=None if field.is_required() else field.get_default(call_default_factory=True),
            about=field.description or "",
        )
        for name, field in model.options_type.model_fields.items()
    ]
    about = (model.__doc__ or "").partition("\n")[0]
    needed_first = sorted(options, key=lambda each: not each.required)
    return PredictorKind(kind=kind, about=about, options=tuple(needed_first))


def _type_words(schema: Mapping[str, Any]) -> str:
    kinds = [schema, *schema.get("anyOf", ())]
    named = [_TYPES[kind["type"]] for kind in kinds if kind.get("type") in _TYPES]
    return " or ".join(dict.fromkeys(named)) or "text"


def predictor_kinds() -> list[str]:
    return PREDICTORS.names()


def predictor_options_type(kind: str) -> type[PredictorOptions]:
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
