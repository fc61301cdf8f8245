"""Tasks in the store: built-in ones at first use, own ones, and what may still change."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.tasks import Task
from palaver.evaluation.home import evaluation_home
from palaver.evaluation.tasks import (
    add_task,
    builtin_task,
    ensure_task,
    scan_tasks,
    stored_task,
    task_data,
)
from palaver.evaluation.tasks.definition import task_from_data
from palaver.storage import Store
from palaver.storage.evaluation.datasets import add_version, register_dataset
from palaver.storage.evaluation.models import add_model_version, register_model
from palaver.storage.evaluation.runs import add_run
from palaver.storage.evaluation.tasks import list_tasks
from support.databases import new_sqlite

NLI = builtin_task("nli")


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Store]:
    """A store on SQLite, where the kind of database does not matter."""
    opened = Store(new_sqlite(tmp_path / "palaver.db"))
    yield opened
    opened.close()


def changed(**values: Any) -> Task:
    data = {key: value for key, value in task_data(NLI).items() if key not in values}
    kept = {key: value for key, value in values.items() if value is not None}
    return task_from_data({**data, **kept}, folder="", source="changed")


def put(store: Store, task: Task) -> Any:
    return store.write_now(partial(add_task, task=task, now=1.0))


def evaluate(store: Store, task_id: int) -> None:
    """A model and a data set of the task, and the run of the two."""

    def work(connection: Any) -> None:
        dataset = register_dataset(connection, task_id=task_id, name="d", access="scoring", now=1.0)
        version, _ = add_version(
            connection, dataset_id=dataset, digest="d", path="d", items=1, size=1, now=1.0
        )
        model = register_model(connection, task_id=task_id, name="m", now=1.0)
        asked, _ = add_model_version(
            connection, model_id=model, kind="http", options={}, digest="m", now=1.0
        )
        add_run(
            connection,
            model_version_id=asked.version_id,
            dataset_version_id=version.version_id,
            items=1,
            now=1.0,
        )

    store.write_now(work)


def test_a_built_in_task_is_stored_at_its_first_use(store: Store) -> None:
    row = store.write_now(partial(ensure_task, name="nli", now=1.0))
    assert stored_task(row) == NLI
    assert store.write_now(partial(ensure_task, name="nli", now=2.0)) == row
    assert store.write_now(partial(ensure_task, name=str(row.id), now=2.0)) == row
    assert [each.name for each in store.read_now(list_tasks)] == ["nli"]


def test_an_unknown_task_is_named_with_its_neighbours(shelf: Store) -> None:
    with pytest.raises(UnknownNameError, match=r"No task 'nlo' is stored here or built in\. Near"):
        shelf.write_now(partial(ensure_task, name="nlo", now=1.0))


def test_adding_again_changes_nothing(store: Store) -> None:
    assert put(store, NLI).state == "new"
    again = put(store, NLI)
    assert again.state == "same"
    evaluate(store, again.id)
    assert put(store, NLI).state == "same"


def test_before_any_evaluation_everything_may_change(shelf: Store) -> None:
    put(shelf, NLI)
    found = put(shelf, changed(perf_metric="macro_f1", metrics=["accuracy"]))
    assert found.state == "changed"
    assert found.changed == ("perf_metric", "metrics")
    assert stored_task(found).performance.key == "macro_f1"


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ({"perf_metric": "macro_f1", "metrics": ["accuracy"]}, "perf_metric and metrics"),
        ({"metrics": None}, "metrics"),
        ({"codes": {"e": "entailed"}}, "codes"),
        ({"delta_metrics": ["fairness"]}, "delta_metrics"),
        ({"context": [{"name": "context", "type": "turns"}]}, "context"),
    ],
)
def test_after_an_evaluation_what_scores_mean_may_not_change(
    shelf: Store, values: dict[str, Any], keys: str
) -> None:
    row = put(shelf, NLI)
    evaluate(shelf, row.id)
    with pytest.raises(InputError) as refused:
        put(shelf, changed(**values))
    assert f"Task 'nli' has been evaluated, so {keys} can no longer change" in str(refused.value)
    assert stored_task(shelf.write_now(partial(ensure_task, name="nli", now=2.0))) == NLI


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ({"title": "Inference"}, ("title",)),
        ({"aggregation": {"weights": {"accuracy": 1}}}, ("aggregation",)),
        ({"context": [{"name": "context", "type": "string", "about": "what is so"}]}, ("about",)),
        (
            {
                "context": [
                    {"name": "context", "type": "string"},
                    {"name": "source", "type": "string", "default": "unknown"},
                ]
            },
            ("context",),
        ),
    ],
)
def test_after_an_evaluation_texts_and_weights_may_change(
    shelf: Store, values: dict[str, Any], keys: tuple[str, ...]
) -> None:
    row = put(shelf, NLI)
    evaluate(shelf, row.id)
    assert put(shelf, changed(**values)).changed == keys


def test_a_home_may_declare_tasks_of_its_own(tmp_path: Path, shelf: Store) -> None:
    (tmp_path / "palaver.yaml").write_text("tasks: [own, single.yaml, gone.yaml]\n")
    (tmp_path / "own").mkdir()
    fields = "input: [{name: q, type: string}, {name: a, type: string}]\noutput: [a]\n"
    (tmp_path / "own" / "one.yaml").write_text(f"name: one\n{fields}perf_metric: bleu\n")
    (tmp_path / "own" / "two.yaml").write_text(f"name: two\n{fields}perf_metric: blue\n")
    (tmp_path / "single.yaml").write_text(f"name: single\n{fields}perf_metric: rouge_l\n")
    found = scan_tasks(evaluation_home(tmp_path, shelf), now=1.0)
    assert [(each.name, each.state) for each in found.added] == [
        ("one", "new"),
        ("single", "new"),
    ]
    assert [path.name for path, _ in found.problems] == ["two.yaml", "gone.yaml"]
    assert "No metric 'blue'. Near: 'bleu'" in found.problems[0][1]
    assert stored_task(found.added[0]).folder == str(tmp_path / "own")
