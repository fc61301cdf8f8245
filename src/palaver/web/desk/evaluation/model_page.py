"""The page of one model: its versions, how it is reached, and what came of its runs."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Run
from palaver.storage.evaluation.boards import teams_of
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.models import ModelVersion, StoredModel, list_model_versions
from palaver.storage.evaluation.runs import list_runs
from palaver.web.desk.evaluation.asking import AskedTask
from palaver.web.desk.evaluation.matrix import dataset_url
from palaver.web.desk.evaluation.pages import ModelPage
from palaver.web.desk.evaluation.parts import VersionRow
from palaver.web.desk.evaluation.run_tables import read_run_table
from palaver.web.desk.evaluation.task_page import STANDING_TONES, as_text, standing_of
from palaver.web.desk.pages import DeskShell, Fact
from palaver.web.formatting import moment

SHORT_DIGEST = 12
HIDDEN = "(hidden)"
# Names of options and headers that hold keys.
_KEY = re.compile(r"authorization|key|token|cookie|secret|password", re.IGNORECASE)


def read_model_page(
    connection: Connection,
    asked: AskedTask,
    model: StoredModel,
    *,
    shell: DeskShell,
    may_change: bool,
    done: str,
) -> ModelPage:
    """Everything about a model; how it is reached is shown to those who may change it."""
    runs = [
        each for each in list_runs(connection, task_id=asked.row.id) if each.model_id == model.id
    ]
    current = {each.version_id for each in list_datasets(connection, asked.row.id)}
    teams = teams_of(connection, asked.row.id)
    standing = standing_of(model)

    def is_newest(run: Run) -> bool:
        return run.model_version_id == model.version.id and run.dataset_version_id in current

    return ModelPage(
        shell=shell,
        task_title=asked.title,
        task_url=asked.address,
        name=model.name,
        standing=standing,
        tone=STANDING_TONES.get(standing, ""),
        about=model.about,
        link=model.link if model.link.startswith(("http://", "https://")) else "",
        facts=_facts(model, teams),
        options=as_text(masked(model.version.options)) if may_change else "",
        versions=_versions(list_model_versions(connection, model.id), runs),
        runs=read_run_table(
            connection,
            runs,
            asked.measures,
            noun="Data set",
            naming=lambda each: (each.dataset, dataset_url(asked.address, each.dataset), ""),
            newest=is_newest,
            address=asked.address,
        ),
        base=f"{asked.address}/models/{model.key}",
        published=model.published,
        anonymous=model.anonymous,
        retired=model.retired is not None,
        may_change=may_change,
        done=done,
    )


def masked(options: Any) -> Any:
    """Options without the keys that somebody wrote down; `${VARIABLE}` names one and stays."""
    if isinstance(options, Mapping):
        return {
            name: HIDDEN if _holds_key(str(name), value) else masked(value)
            for name, value in options.items()
        }
    if isinstance(options, list):
        return [masked(each) for each in options]
    return options


def _holds_key(name: str, value: Any) -> bool:
    return _KEY.search(name) is not None and isinstance(value, str) and "${" not in value


def _facts(model: StoredModel, teams: Mapping[int, str]) -> tuple[Fact, ...]:
    team = teams.get(model.submitter_id, "") if model.submitter_id is not None else ""
    told = (
        ("Kind", model.version.kind),
        ("Version", f"{model.version.number}, {model.version.digest[:SHORT_DIGEST]}"),
        ("Team", team or "added here"),
        ("Tags", ", ".join(model.tags)),
        ("Key", model.key),
    )
    return tuple(Fact(name=name, value=value) for name, value in told if value)


def _versions(versions: Sequence[ModelVersion], runs: Sequence[Run]) -> tuple[VersionRow, ...]:
    used = Counter(each.model_version_id for each in runs)
    return tuple(
        VersionRow(
            number=each.number,
            words=each.kind,
            digest=each.digest[:SHORT_DIGEST],
            created=moment(each.created),
            runs=used[each.id],
        )
        for each in reversed(versions)
    )
