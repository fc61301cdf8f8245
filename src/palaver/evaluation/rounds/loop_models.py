"""Which models sit in the loop: by name, by name and version, or whoever leads the task's board."""

from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.models import UPLOADED, ModelHead
from palaver.core.evaluation.rounds import RoundModel
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.words import listed
from palaver.evaluation.dynaboards.board_reader import read_board
from palaver.evaluation.models.builtin import builtin_models
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.models import find_model, list_model_versions, list_models

LEADER = "leader"


def resolve_models(
    connection: Connection, task_row: StoredTask, names: Sequence[str]
) -> tuple[RoundModel, ...]:
    """The versions that these names stand for now; InputError where one cannot be asked."""
    found = [
        _leader(connection, task_row) if name == LEADER else _named(connection, task_row, name)
        for name in names
    ]
    return tuple(dict.fromkeys(found))


def leading_model(connection: Connection, task_row: StoredTask) -> ModelHead | None:
    """The first model of the task's board that can be asked; None where none is ranked.

    Where none was evaluated yet, the only model there is leads.
    """
    models = {each.key: each for each in list_models(connection, task_row.id) if _can_ask(each)}
    board = read_board(connection, task_row, stored_task(task_row))
    ranked = (models.get(each.key) for each in board.models)
    first = next((each for each in ranked if each is not None), None)
    return first or (next(iter(models.values())) if len(models) == 1 else None)


def _leader(connection: Connection, task_row: StoredTask) -> RoundModel:
    first = leading_model(connection, task_row)
    if first is not None:
        return RoundModel(name=first.name, version=first.version, version_id=first.version_id)
    askable = [each.name for each in list_models(connection, task_row.id) if _can_ask(each)]
    if not askable:
        raise InputError(
            f"The task '{task_row.name}' has no model that could be asked. Add one: palaver model "
            f"add {task_row.name} NAME …{_built_in(task_row)}"
        )
    raise InputError(
        f"No model leads the board of '{task_row.name}' yet: none was evaluated on its scoring "
        f"data sets. Name the models of the round: {', '.join(askable)}."
    )


def _named(connection: Connection, task_row: StoredTask, name: str) -> RoundModel:
    plain, _, wanted = name.partition("@")
    model = _stored(connection, task_row, plain)
    if not _can_ask(model):
        why = "was retired" if model.retired is not None else "is a file of predictions"
        raise InputError(f"The model '{plain}' {why}, so it cannot answer what people write.")
    if not wanted:
        return RoundModel(name=model.name, version=model.version, version_id=model.version_id)
    versions = {str(each.version): each for each in list_model_versions(connection, model.id)}
    if wanted not in versions:
        raise UnknownNameError(
            f"The model '{plain}' has no version '{wanted}'; it has {', '.join(versions)}."
        )
    version = versions[wanted]
    return RoundModel(name=model.name, version=version.version, version_id=version.version_id)


def _stored(connection: Connection, task_row: StoredTask, name: str) -> ModelHead:
    try:
        return find_model(connection, task_row.id, name)
    except UnknownNameError as error:
        raise UnknownNameError(
            f"{error} To put it in the loop of '{task_row.name}', add it first: palaver model add "
            f"{task_row.name} {name} …{_built_in(task_row)}"
        ) from None


def _built_in(task_row: StoredTask) -> str:
    """Which models need not be added, in a sentence that follows another; empty where none."""
    names = builtin_models(task_row.name)
    return f" Or name one that is built in: {listed(names, 'or')}." if names else ""


def _can_ask(model: ModelHead) -> bool:
    return model.retired is None and model.kind != UPLOADED and model.challenge_id is None
