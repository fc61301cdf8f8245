"""A team submits a model: checked, registered, counted and recorded in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.registry import near
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.adding import AddedModel, Plan, add_model
from palaver.evaluation.models.names import check_name
from palaver.evaluation.models.uploading import add_predictions
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.runs.planning import plan_for_model
from palaver.evaluation.submissions.allowances import allowance, check_allowance
from palaver.evaluation.submissions.endpoints import check_endpoint, check_patience
from palaver.evaluation.submissions.standing import answerable_sets
from palaver.evaluation.submissions.terms import check_terms
from palaver.storage.evaluation.models import StoredModel, find_model, list_models, set_model
from palaver.storage.evaluation.runs import hold_task, runs_of_versions
from palaver.storage.evaluation.submitters import Submitter, record_submission

Register = Callable[[Plan], AddedModel]


def submit_endpoint(
    home: EvaluationHome,
    submitter: Submitter,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    kind: str,
    options: Mapping[str, Any],
    about: str = "",
    link: str = "",
    tags: Sequence[str] = (),
    now: float,
) -> AddedModel:
    """Register a team's endpoint and plan its runs; unpublished until the team publishes it."""
    check_endpoint(kind, options, private=home.settings.private_endpoints)
    check_patience(options)
    return _submit(
        home,
        submitter,
        task_row,
        name,
        lambda plan: add_model(
            home,
            task_row,
            task,
            name=name,
            kind=kind,
            options=options,
            about=about,
            link=link,
            tags=tuple(tags),
            now=now,
            plan=plan,
        ),
        now=now,
    )


def submit_predictions(
    home: EvaluationHome,
    submitter: Submitter,
    task_row: StoredTask,
    task: Task,
    *,
    name: str,
    files: Mapping[str, Path],
    about: str = "",
    link: str = "",
    tags: Sequence[str] = (),
    now: float,
) -> AddedModel:
    """Register a team's predictions, a file per scoring data set, and plan their runs."""
    known = home.store.read_now(lambda c: answerable_sets(c, task_row))
    _check_sets(files, known)
    try:
        added = _submit(
            home,
            submitter,
            task_row,
            name,
            lambda plan: add_predictions(
                home,
                task_row,
                task,
                name=name,
                files=dict(files),
                about=about,
                link=link,
                tags=tuple(tags),
                now=now,
                plan=plan,
            ),
            now=now,
        )
    except InputError as error:
        # A stranger is told the name of a file, not where it lay here.
        raise InputError(_without_folders(str(error), files)) from error
    # Notes of the registration may name data sets that a team must not know of.
    return replace(added, notes=_notes(known, added))


def publish(
    connection: Connection,
    submitter: Submitter,
    name: str,
    *,
    published: bool = True,
    anonymous: bool | None = None,
) -> StoredModel:
    """Let the board show the name of a team's model, or not; with or without the team's."""
    model = own_model(connection, submitter, name)
    values: dict[str, Any] = {"published": published}
    if anonymous is not None:
        values["anonymous"] = anonymous
    set_model(connection, model.id, **values)
    return own_model(connection, submitter, name)


def withdraw(connection: Connection, submitter: Submitter, name: str, *, now: float) -> StoredModel:
    """Take a team's model off the board; its runs are kept, submitting it again brings it back."""
    model = own_model(connection, submitter, name)
    if model.retired is None:
        set_model(connection, model.id, retired=now)
    return own_model(connection, submitter, name)


def own_model(connection: Connection, submitter: Submitter, name: str) -> StoredModel:
    """A team's model by name or key; InputError if it has none such, whoever else may."""
    own = [
        each
        for each in list_models(connection, submitter.task_id)
        if each.submitter_id == submitter.id
    ]
    for each in own:
        if name in (each.name, each.key):
            return each
    raise InputError(
        f"Your team has no model '{name[:80]}' here.{near(name, [each.name for each in own])}"
    )


def _submit(
    home: EvaluationHome,
    submitter: Submitter,
    task_row: StoredTask,
    name: str,
    register: Register,
    *,
    now: float,
) -> AddedModel:
    """Check what can be checked before the work, then register with the checks that must hold."""
    check_name(name)
    if submitter.task_id != task_row.id:
        raise AccessError(f"The token of '{submitter.team}' is for another task.")
    check_terms(submitter, task_row)
    existed = home.store.read_now(lambda c: _is_known(c, submitter, task_row, name))
    home.store.read_now(
        lambda c: check_allowance(allowance(c, submitter, task_row, now=now), now=now)
    )

    def plan(
        connection: Connection, row: StoredTask, model: StoredModel, *, now: float
    ) -> list[Run]:
        hold_task(connection, row.id)  # two submissions at once must not both be the last one
        model = _claimed(connection, submitter, model, existed=existed, now=now)
        check_allowance(allowance(connection, submitter, row, now=now), now=now)
        due = [*plan_for_model(connection, row, model, now=now), *_again(connection, row, model)]
        if due:
            record_submission(
                connection, submitter_id=submitter.id, model_version_id=model.version.id, now=now
            )
        return due

    added = register(plan)
    model = home.store.read_now(lambda c: find_model(c, task_row.id, name))
    return replace(added, model=model)


def _is_known(
    connection: Connection, submitter: Submitter, task_row: StoredTask, name: str
) -> bool:
    """Whether the team has this model already; AccessError if somebody else has."""
    for each in list_models(connection, task_row.id):
        if each.name == name:
            _check_owner(submitter, each)
            return True
    return False


def _claimed(
    connection: Connection,
    submitter: Submitter,
    model: StoredModel,
    *,
    existed: bool,
    now: float,
) -> StoredModel:
    """The model as the team's own; AccessError if it became somebody else's meanwhile."""
    if not existed and model.submitter_id is None and model.created == now:
        set_model(connection, model.id, submitter_id=submitter.id)
        return find_model(connection, model.task_id, model.name)
    _check_owner(submitter, model)
    return model


def _check_owner(submitter: Submitter, model: StoredModel) -> None:
    if model.submitter_id != submitter.id:
        raise AccessError(
            f"The name '{model.name}' is taken: another team, or whoever runs this task, has used "
            "it. Choose another name."
        )


def _again(connection: Connection, task_row: StoredTask, model: StoredModel) -> list[Run]:
    """The runs of this version that failed or were cancelled, let go on."""
    sets = [each.version_id for each in answerable_sets(connection, task_row)]
    found = runs_of_versions(connection, [model.version.id], sets)
    stuck = [run for run in found if run.state in ("failed", "cancelled")]
    return [retry_run(connection, run, by_hand=False) for run in stuck]


def _check_sets(files: Mapping[str, Path], known: Sequence[Dataset]) -> None:
    names = [each.name for each in known]
    for name in files:
        if name not in names:
            raise InputError(
                f"There is no data set '{name[:80]}' to answer.{near(name, names)} There are: "
                f"{listed(names) or 'none yet'}."
            )


def _without_folders(message: str, files: Mapping[str, Path]) -> str:
    for name, file in files.items():
        message = message.replace(str(file), f"predictions for {name}")
    return message


def _notes(known: Sequence[Dataset], added: AddedModel) -> tuple[str, ...]:
    answered = added.version.options
    without = [
        each.name for each in known if each.parent_id is not None and each.digest not in answered
    ]
    if not without:
        return ()
    return (
        f"No fairness or robustness from {listed(without)}: there are no predictions for "
        f"{'it' if len(without) == 1 else 'them'}.",
    )
