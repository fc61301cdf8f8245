"""The options of a study's systems, checked by the kind of system that takes them."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from palaver.core.errors import InputError, UnknownNameError
from palaver.formats.faults import Fault, pydantic_faults
from palaver.systems.build import options_type, validate_options


def option_faults(systems: Any) -> Iterator[Fault]:
    """What each kind of system says about the options it is given.

    An entry that is no mapping or has no kind is left to the study's own structure.
    """
    for name, given in systems.items() if isinstance(systems, dict) else []:
        if isinstance(given, dict) and isinstance(given.get("kind"), str):
            for fault in _faults(given["kind"], given):
                yield fault.under("systems", name)


def _faults(kind: str, given: dict[str, Any]) -> Iterator[Fault]:
    try:
        validate_options(kind, given)
    except UnknownNameError as error:
        yield Fault(("kind",), str(error))
    except ValidationError as error:
        yield from pydantic_faults(error, options_type(kind))
    except InputError as error:
        yield Fault((), str(error))
