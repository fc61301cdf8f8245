"""What a team sees of its models: which runs there are, how far they are, and why one failed."""

from sqlalchemy import Connection

from palaver.core.errors import UnknownNameError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import UPLOADED
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.submissions import Submission, SubmittedRun, Team
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.registry import near
from palaver.core.serial import extended
from palaver.evaluation.models.outlook import ranking_outlooks
from palaver.evaluation.runs.results import with_performance
from palaver.evaluation.tasks import stored_task
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.runs import list_runs, replaced_runs


def answerable_sets(connection: Connection, task_row: StoredTask) -> list[Dataset]:
    """The data sets that submissions are evaluated on: scoring ones, and variants of these."""
    known = list_datasets(connection, task_row.id)
    scoring = {each.id for each in known if each.access == "scoring" and each.parent_id is None}
    return [each for each in known if each.id in scoring or each.parent_id in scoring]


def own_submissions(connection: Connection, team: Team, task_row: StoredTask) -> list[Submission]:
    """The models of a team, newest first, with their runs on data sets it may know of.

    A run on a version of a data set that was replaced before the run began is left out.
    """
    names = {each.name for each in answerable_sets(connection, task_row)}
    models = [
        model for model in list_models(connection, task_row.id) if model.submitter_id == team.id
    ]
    versions = {model.version_id for model in models}
    listed = [
        run
        for run in list_runs(connection, task_id=task_row.id)
        if run.model_version_id in versions and run.dataset in names
    ]
    gone = replaced_runs(connection, [each.id for each in listed])
    results = with_performance(connection, [each for each in listed if each.id not in gone])
    answered = [set(each.options) if each.kind == UPLOADED else None for each in models]
    outlooks = ranking_outlooks(connection, task_row, stored_task(task_row), answered)
    return [
        extended(
            model,
            Submission,
            created=model.version_created,
            runs=tuple(
                _run(result) for result in results if result.model_version_id == model.version_id
            ),
            outlook=outlook,
        )
        for model, outlook in reversed(list(zip(models, outlooks, strict=True)))
    ]


def own_submission(
    connection: Connection, team: Team, task_row: StoredTask, name: str
) -> Submission:
    """A team's model by name or key; UnknownNameError if it has none such, whoever else may."""
    found = own_submissions(connection, team, task_row)
    for each in found:
        if name in (each.name, each.key):
            return each
    names = [each.name for each in found]
    raise UnknownNameError(f"Your team has no model '{name[:80]}' here.{near(name, names)}")


def _run(run: Run) -> SubmittedRun:
    score = run.performance
    return SubmittedRun(
        key=run.key,
        dataset=run.dataset,
        state=run.state,
        reason=run.reason,
        items=run.items,
        answered=run.answered,
        refused=run.refused,
        metric=run.metric,
        value=None if score is None else score.value,
        low=None if score is None else score.low,
        high=None if score is None else score.high,
    )
