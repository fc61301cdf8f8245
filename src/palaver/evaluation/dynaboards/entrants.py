"""Who is on a board and what they are scored on, as the store has it."""

from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.core.evaluation.boards import Entrant, ScoringSet
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models


def read_entrants(connection: Connection, task_id: int) -> tuple[Entrant, ...]:
    """The models of a task that are not retired, oldest first."""
    return tuple(
        _entrant(model) for model in list_models(connection, task_id) if model.retired is None
    )


def read_sets(connection: Connection, task_id: int) -> tuple[ScoringSet, ...]:
    """The scoring data sets of a task, oldest first."""
    known = list_datasets(connection, task_id)
    return tuple(
        ScoringSet(
            id=each.id,
            name=each.name,
            version=each.version,
            items=each.items,
            version_id=each.version_id,
            digest=each.digest,
            variants=_variants(each, known),
        )
        for each in known
        if each.access == "scoring" and each.parent_id is None
    )


def _entrant(model: Model) -> Entrant:
    return Entrant(
        id=model.id,
        key=model.key,
        name=model.name,
        submitter_id=model.submitter_id,
        team=model.team,
        published=model.published,
        anonymous=model.anonymous,
        tags=model.tags,
        link=model.link,
        version_id=model.version_id,
    )


def _variants(parent: Dataset, known: Sequence[Dataset]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for each in known:
        if each.parent_id == parent.id and each.kind:
            found.setdefault(each.kind, []).append(each.version_id)
    return {kind: tuple(versions) for kind, versions in found.items()}
