"""From the lines under `systems:` in a study file to a system that is ready to talk."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from palaver.core.errors import InputError, MissingExtraError
from palaver.systems.guard import Guarded
from palaver.systems.options import CallOptions, describe_problem, described_options
from palaver.systems.registry import SYSTEMS


def build_system(name: str, options: Mapping[str, Any], *, folder: Path) -> Guarded:
    """The system that `options` describe, guarded; InputError where they are wrong."""
    kind = options.get("kind")
    if not isinstance(kind, str):
        known = ", ".join(SYSTEMS.names())
        raise InputError(f"System '{name}' needs a 'kind'. Known: {known}.")
    try:
        valid = validate_options(kind, options)
        return Guarded(SYSTEMS.get(kind)(valid, folder=folder), valid)
    except ValidationError as error:
        problems = " ".join(describe_problem(option_names(kind), each) for each in error.errors())
        raise InputError(f"System '{name}' ({kind}): {problems}") from error
    except MissingExtraError:
        raise
    except InputError as error:
        raise InputError(f"System '{name}': {error}") from error


def options_type(kind: str) -> type[CallOptions]:
    """The options that systems of this kind take."""
    return SYSTEMS.get(kind).options_type


def validate_options(kind: str, options: Mapping[str, Any]) -> CallOptions:
    """The checked options of a system; pydantic's ValidationError is let through."""
    given = {key: value for key, value in options.items() if key != "kind"}
    return options_type(kind).model_validate(given)


def option_names(kind: str) -> dict[str, str]:
    """Every option of a kind of system as it is written in YAML, with its description."""
    return described_options(options_type(kind))
