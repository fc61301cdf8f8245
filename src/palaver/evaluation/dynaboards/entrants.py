"""Who is on a board and what they are scored on, as the store has it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.storage.evaluation.boards import teams_of
from palaver.storage.evaluation.datasets import StoredDataset, list_datasets
from palaver.storage.evaluation.models import StoredModel, list_models


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A model on a board, in its newest version."""

    model_id: int
    key: str
    name: str
    submitter_id: int | None
    team: str
    published: bool
    anonymous: bool
    tags: tuple[str, ...]
    link: str
    version_id: int

    def label(self, *, public: bool) -> str:
        """What it is called: in public an unpublished model has a number and no name."""
        return self.name if self.published or not public else f"unpublished model {self.model_id}"

    def shown_team(self, *, public: bool) -> str | None:
        """The team that submitted it; in public only of published models that are not anonymous."""
        hidden = public and (self.anonymous or not self.published)
        return None if hidden else self.team or None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringSet:
    """A scoring data set in its newest version, and the perturbed versions made from it by kind."""

    dataset_id: int
    name: str
    version_id: int
    number: int
    items: int
    digest: str
    variants: dict[str, tuple[int, ...]]


def read_entrants(connection: Connection, task_id: int) -> tuple[Entrant, ...]:
    """The models of a task that are not retired, oldest first."""
    teams = teams_of(connection, task_id)
    return tuple(
        _entrant(model, teams)
        for model in list_models(connection, task_id)
        if model.retired is None
    )


def read_sets(connection: Connection, task_id: int) -> tuple[ScoringSet, ...]:
    """The scoring data sets of a task, oldest first."""
    known = list_datasets(connection, task_id)
    return tuple(
        ScoringSet(
            dataset_id=each.id,
            name=each.name,
            version_id=each.version.id,
            number=each.version.number,
            items=each.version.items,
            digest=each.version.digest,
            variants=_variants(each, known),
        )
        for each in known
        if each.access == "scoring" and each.parent_id is None
    )


def _entrant(model: StoredModel, teams: dict[int, str]) -> Entrant:
    return Entrant(
        model_id=model.id,
        key=model.key,
        name=model.name,
        submitter_id=model.submitter_id,
        team=teams.get(model.submitter_id, "") if model.submitter_id is not None else "",
        published=model.published,
        anonymous=model.anonymous,
        tags=model.tags,
        link=model.link,
        version_id=model.version.id,
    )


def _variants(parent: StoredDataset, known: Sequence[StoredDataset]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for each in known:
        if each.parent_id == parent.id and each.kind:
            found.setdefault(each.kind, []).append(each.version.id)
    return {kind: tuple(versions) for kind, versions in found.items()}
