"""A team submits a model: checked, registered, counted and recorded in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.core.audit import SERVER
from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.dataset_names import known_name
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import AddedModel, Model
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.submissions import Submission, Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.registry import near
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.decisions import (
    check_name,
    publish_model,
    retire_model,
    unpublish_model,
)
from palaver.evaluation.models.outlook import (
    add_model_told,
    check_takes_predictions,
    with_outlook,
)
from palaver.evaluation.models.registration import Plan
from palaver.evaluation.models.uploads import keep_predictions
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.runs.plans import plan_for_model
from palaver.evaluation.submissions.endpoints import check_endpoint, check_patience
from palaver.evaluation.submissions.team_view import answerable_sets, own_submission
from palaver.evaluation.submissions.teams import allowance, check_allowance, check_terms
from palaver.storage.audit.entries import record
from palaver.storage.evaluation.models import find_model, model_named, set_model
from palaver.storage.evaluation.runs import hold_task, runs_of_versions
from palaver.storage.evaluation.submitters import record_submission

Register = Callable[[Plan], AddedModel]


def submit_endpoint(
    home: EvaluationHome,
    team: Team,
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
        team,
        task_row,
        name,
        lambda plan: add_model_told(
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
    team: Team,
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
    check_takes_predictions(task)
    known = home.store.read_now(lambda c: answerable_sets(c, task_row))
    _check_sets(files, known)
    try:
        added = _submit(
            home,
            team,
            task_row,
            name,
            lambda plan: keep_predictions(
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
    return with_outlook(home, task_row, task, replace(added, notes=()))


def publish_submission(
    connection: Connection, team: Team, task_row: StoredTask, name: str, *, anonymous: bool = False
) -> Submission:
    """Let the board show the name of a team's model, and the team unless it is `anonymous`."""
    own = own_submission(connection, team, task_row, name)
    publish_model(connection, task_row, own.key, anonymous=anonymous)
    return own_submission(connection, team, task_row, own.key)


def unpublish_submission(
    connection: Connection, team: Team, task_row: StoredTask, name: str
) -> Submission:
    """Let the board show a team's model without its name."""
    own = own_submission(connection, team, task_row, name)
    unpublish_model(connection, task_row, own.key)
    return own_submission(connection, team, task_row, own.key)


def withdraw_submission(
    connection: Connection, team: Team, task_row: StoredTask, name: str, *, now: float
) -> Submission:
    """Take a team's model off the board; its runs are kept, submitting it again brings it back."""
    own = own_submission(connection, team, task_row, name)
    retire_model(connection, task_row, own.key, now=now)
    return own_submission(connection, team, task_row, own.key)


def _submit(
    home: EvaluationHome,
    team: Team,
    task_row: StoredTask,
    name: str,
    register: Register,
    *,
    now: float,
) -> AddedModel:
    """Check what can be checked before the work, then register with the checks that must hold."""
    check_name(name)
    if team.task_id != task_row.id:
        raise AccessError(f"The token of '{team.team}' is for another task.")
    check_terms(team, task_row)
    existed = home.store.read_now(lambda c: _is_known(c, team, task_row, name))
    home.store.read_now(lambda c: check_allowance(allowance(c, team, task_row, now=now), now=now))

    def plan(connection: Connection, row: StoredTask, model: Model, *, now: float) -> list[Run]:
        hold_task(connection, row.id)  # two submissions at once must not both be the last one
        model = _claimed(connection, team, model, existed=existed, now=now)
        check_allowance(allowance(connection, team, row, now=now), now=now)
        due = [*plan_for_model(connection, row, model, now=now), *_again(connection, row, model)]
        if due:
            record_submission(
                connection, submitter_id=team.id, model_version_id=model.version_id, now=now
            )
            record(
                connection,
                "submission.make",
                by=SERVER,
                now=now,
                subject=f"{row.name}/{model.key}",
                detail={"team": team.team, "runs": len(due)},
            )
        return due

    return register(plan)


def _is_known(connection: Connection, team: Team, task_row: StoredTask, name: str) -> bool:
    """Whether the team has this model already; AccessError if somebody else has."""
    model = model_named(connection, task_row.id, name)
    if model is None:
        return False
    _check_owner(team, model)
    return True


def _claimed(
    connection: Connection, team: Team, model: Model, *, existed: bool, now: float
) -> Model:
    """The model as the team's own; AccessError if it became somebody else's meanwhile."""
    if not existed and model.submitter_id is None and model.created == now:
        set_model(connection, model.id, submitter_id=team.id)
        return find_model(connection, model.task_id, model.name)
    _check_owner(team, model)
    return model


def _check_owner(team: Team, model: Model) -> None:
    if model.submitter_id != team.id:
        raise AccessError(
            f"The name '{model.name}' is taken: another team, or whoever runs this task, has used "
            "it. Choose another name."
        )


def _again(connection: Connection, task_row: StoredTask, model: Model) -> list[Run]:
    """The runs of this version that failed or were cancelled, let go on."""
    sets = [each.version_id for each in answerable_sets(connection, task_row)]
    found = runs_of_versions(connection, [model.version_id], sets)
    stuck = [run for run in found if run.state in ("failed", "cancelled")]
    return [retry_run(connection, run, by_hand=False) for run in stuck]


def _check_sets(files: Mapping[str, Path], known: Sequence[Dataset]) -> None:
    names = [each.name for each in known]
    for name in files:
        if known_name(name, names) is None:
            raise InputError(
                f"There is no data set '{name[:80]}' to answer.{near(name, names)} Data sets: "
                f"{listed(names) or 'none yet'}."
            )


def _without_folders(message: str, files: Mapping[str, Path]) -> str:
    for name, file in files.items():
        message = message.replace(str(file), f"predictions for {name}")
    return message
