"""What FastAPI reads from the signature of an operation, once for all APIs of a test process.

A server makes one API and reads each signature once, at its first request. A test process makes an
API for every application that it opens; reading all signatures anew took a third of such a test.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from fastapi import params, routing

_read = routing._build_dependant_with_parameterless_dependencies


@cache
def _read_once(
    path: str, call: Callable[..., Any], dependencies: tuple[params.Depends, ...]
) -> Any:
    return _read(path=path, call=call, dependencies=dependencies)


def _known(*, path: str, call: Callable[..., Any], dependencies: Sequence[params.Depends]) -> Any:
    return _read_once(path, call, tuple(dependencies))


routing._build_dependant_with_parameterless_dependencies = _known
