"""How far a kind of system reaches: what somebody could do here who may name one in a study.

A connector says so itself; one that says nothing runs programs. Whoever changes a study from afar may
not reach further than the study did before (`studies/file/reach`).
"""

from typing import Any, Literal

from palaver.core.errors import PalaverError
from palaver.systems.options import CallOptions
from palaver.systems.registry import SYSTEMS

# It answers from files of the study's folder, asks over the network, or runs code of somebody's own.
Reach = Literal["folder", "network", "programs"]
# The options that say whom a system asks over the network, and what is sent along of this server.
WHERE = frozenset({"url", "base_url", "headers", "api_key_env", "inside", "quoted", "secret"})


def reach_of(kind: str) -> Reach:
    """How far a kind reaches; a kind that cannot be loaded is as bad as any."""
    try:
        found: Reach = getattr(SYSTEMS.get(kind), "reach", "programs")
    except PalaverError:
        return "programs"
    return found


def reaching_options(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a system that decide what it reaches; the others change only how it answers."""
    reach = reach_of(str(options.get("kind")))
    if reach == "network":
        return {key: value for key, value in options.items() if key in WHERE or key == "kind"}
    if reach == "programs":
        patience = CallOptions.model_fields
        return {key: value for key, value in options.items() if key not in patience}
    return {}
