"""Schemathesis on one operation: the same examples in every run, as many as are asked for."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import GenerationMode


def fuzz(call: Callable[[Any], None], operation: Any, mode: GenerationMode, examples: int) -> None:
    """Call an operation with what its document allows, or forbids."""
    calls = given(operation.as_strategy(generation_mode=mode))(call)
    quickly = settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    quickly(seed(7)(calls))()
