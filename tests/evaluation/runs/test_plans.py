"""Which runs are planned: by a new model, by a new data set, never twice."""

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.runs.plans import (
    plan_all,
    plan_for_dataset,
    plan_for_model,
    plan_pairs,
)
from palaver.evaluation.tasks import ensure_task
from palaver.storage import Store
from palaver.storage.evaluation.jobs import jobs_of_runs
from palaver.storage.evaluation.models import register_model
from palaver.storage.evaluation.runs import list_runs
from support.evaluations import NOW, put_dataset, put_model


def task_in(store: Store) -> StoredTask:
    return store.write_now(lambda c: ensure_task(c, "nli", now=NOW))


def names(connection: Connection, runs: list[Run]) -> set[tuple[str, str]]:
    listed = list_runs(connection, ids=[run.id for run in runs])
    return {(each.model, each.dataset) for each in listed}


def test_a_new_model_is_planned_on_what_counts(local_store: Store) -> None:
    task = task_in(local_store)

    def work(connection: Connection) -> set[tuple[str, str]]:
        dev = put_dataset(connection, task, "dev")
        put_dataset(connection, task, "own", access="standard")
        put_dataset(connection, task, "secret", access="hidden")
        put_dataset(connection, task, "fairness-dev", parent=dev, kind="fairness")
        put_dataset(connection, task, "dialogue-dev", parent=dev, kind="dialogue")
        model = put_model(connection, task, "m")
        return names(connection, plan_for_model(connection, task, model, now=NOW))

    assert local_store.write_now(work) == {("m", "dev"), ("m", "fairness-dev")}


def test_a_new_data_set_of_any_access_evaluates_every_model_but_retired_ones(
    local_store: Store,
) -> None:
    task = task_in(local_store)

    def work(connection: Connection) -> set[tuple[str, str]]:
        for name in ("a", "b", "old"):
            put_model(connection, task, name)
        register_model(connection, task_id=task.id, name="old", now=NOW, retired=NOW)
        dataset = put_dataset(connection, task, "secret", access="hidden")
        return names(connection, plan_for_dataset(connection, task, dataset, now=NOW))

    assert local_store.write_now(work) == {("a", "secret"), ("b", "secret")}


def test_a_pair_of_versions_is_planned_once_whatever_came_of_it(local_store: Store) -> None:
    task = task_in(local_store)

    def work(connection: Connection) -> list[int]:
        dataset = put_dataset(connection, task, "dev")
        model = put_model(connection, task, "m")
        counts = [
            len(plan_for_model(connection, task, model, now=NOW)),
            len(plan_for_dataset(connection, task, dataset, now=NOW)),
            len(plan_all(connection, task, now=NOW)),
        ]
        # Other content is another version, and another run.
        newer = put_dataset(connection, task, "dev", content="2")
        counts.append(len(plan_for_dataset(connection, task, newer, now=NOW)))
        other = put_model(connection, task, "m", content="2")
        counts.append(len(plan_for_model(connection, task, other, now=NOW)))
        runs = [each.id for each in list_runs(connection)]
        assert len(jobs_of_runs(connection, runs)) == len(runs) == 3
        return counts

    assert local_store.write_now(work) == [1, 0, 0, 1, 1]


def test_uploaded_predictions_are_asked_only_where_there_are_some(local_store: Store) -> None:
    task = task_in(local_store)

    def work(connection: Connection) -> set[tuple[str, str]]:
        known = put_dataset(connection, task, "known")
        put_dataset(connection, task, "other")
        options = {known.digest: "predictions/known.jsonl"}
        put_model(connection, task, "file", kind="predictions", options=options)
        put_model(connection, task, "web")
        return names(connection, plan_all(connection, task, now=NOW))

    assert local_store.write_now(work) == {("file", "known"), ("web", "known"), ("web", "other")}


def test_variants_of_an_earlier_version_do_not_count(local_store: Store) -> None:
    task = task_in(local_store)

    def work(connection: Connection) -> set[tuple[str, str]]:
        first = put_dataset(connection, task, "dev")
        put_dataset(connection, task, "fairness-dev", parent=first, kind="fairness")
        put_dataset(connection, task, "dev", content="2")
        put_model(connection, task, "m")
        return names(connection, plan_all(connection, task, now=NOW))

    assert local_store.write_now(work) == {("m", "dev")}


def test_a_pair_can_be_asked_for_whatever_its_access(local_store: Store) -> None:
    task = task_in(local_store)

    def work(connection: Connection) -> list[set[tuple[str, str]]]:
        secret = put_dataset(connection, task, "secret", access="hidden")
        model = put_model(connection, task, "m")
        first = plan_pairs(connection, task, [model], [secret], now=NOW)
        again = plan_pairs(connection, task, [model], [secret], now=NOW)
        return [names(connection, first), names(connection, again)]

    assert local_store.write_now(work) == [{("m", "secret")}] * 2


def test_a_model_and_a_data_set_registered_at_once_find_each_other(
    store: Store, database_url: str
) -> None:
    """Whoever plans second waits for the first and sees what it registered."""
    task = task_in(store)
    other = Store(database_url)
    try:
        for n in range(5):
            errors: list[object] = []

            def add_model(connection: Connection, n: int = n) -> None:
                model = put_model(connection, task, f"m{n}")
                plan_for_model(connection, task, model, now=NOW)

            def add_dataset(connection: Connection, n: int = n) -> None:
                dataset = put_dataset(connection, task, f"d{n}")
                plan_for_dataset(connection, task, dataset, now=NOW)

            store._writer.submit(add_model, lambda _, error, to=errors: to.append(error))
            other.write_now(add_dataset)
            store.write_now(lambda c: None)
            assert errors == [None]
        pairs = {(each.model, each.dataset) for each in store.read_now(list_runs)}
    finally:
        other.close()
    assert pairs == {(f"m{a}", f"d{b}") for a in range(5) for b in range(5)}
