"""A newer version cancels what waits for the older one, and nothing that anybody has begun."""

from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import Model
from palaver.core.evaluation.runs import Run
from palaver.evaluation.runs.outcomes import begin_answering, cancel_run, retry_run
from palaver.evaluation.runs.plans import plan_for_dataset, plan_for_model, plan_pairs
from palaver.evaluation.tasks import ensure_task
from palaver.storage import Store
from palaver.storage.evaluation.jobs import claim, jobs_of_runs, release
from palaver.storage.evaluation.runs import find_run_by_id, list_runs
from support.endpoints import serving
from support.evaluations import NOW, put_dataset, put_model
from support.runs import Bench, records

LATER = NOW + 60


class Registry:
    """Registers models and data sets of nli as the commands do, in one transaction each."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.task = store.write_now(lambda c: ensure_task(c, "nli", now=NOW))

    def model(self, name: str, content: str = "1") -> list[Run]:
        def work(connection: Connection) -> list[Run]:
            model = put_model(connection, self.task, name, content=content)
            return plan_for_model(connection, self.task, model, now=LATER)

        return self.store.write_now(work)

    def dataset(self, name: str, content: str = "1", **values: Any) -> list[Run]:
        def work(connection: Connection) -> list[Run]:
            dataset = put_dataset(connection, self.task, name, content=content, **values)
            return plan_for_dataset(connection, self.task, dataset, now=LATER)

        return self.store.write_now(work)

    def states(self) -> dict[tuple[str, int], str]:
        """The state of every run by data set and run."""
        listed = self.store.read_now(list_runs)
        return {(each.dataset, each.id): each.state for each in listed}

    def run(self, run_id: int) -> Run:
        return self.store.read_now(lambda c: find_run_by_id(c, run_id))


@pytest.fixture
def registry(store: Store) -> Registry:
    return Registry(store)


@pytest.fixture
def local_registry(local_store: Store) -> Registry:
    return Registry(local_store)


def test_a_newer_model_cancels_what_waits_for_the_older_one(registry: Registry) -> None:
    registry.dataset("dev")
    registry.model("m")
    registry.model("other")
    registry.model("m", "2")

    assert registry.states() == {
        ("dev", 1): "cancelled",
        ("dev", 2): "waiting",
        ("dev", 3): "waiting",
    }
    old = registry.run(1)
    assert old.reason == "Version 2 of the model replaced this version before the run began."
    assert (old.finished, old.started) == (LATER, None)
    jobs = registry.store.read_now(lambda c: jobs_of_runs(c, [1, 2, 3]))
    assert [job.state for job in jobs] == ["cancelled", "waiting", "waiting"]


def test_a_newer_data_set_cancels_what_waits_for_the_older_one(registry: Registry) -> None:
    registry.model("m")
    registry.dataset("dev")
    registry.dataset("dev", "2")

    assert registry.states() == {("dev", 1): "cancelled", ("dev", 2): "waiting"}
    assert registry.run(1).reason == (
        "Version 2 of the data set replaced this version before the run began."
    )


def test_what_somebody_has_begun_is_left_alone(registry: Registry) -> None:
    registry.dataset("dev")
    registry.dataset("test")
    registry.model("m")
    claimed = registry.store.write_now(lambda c: claim(c, "me", kinds=["answer"], now=NOW))
    assert claimed is not None
    # Its run does not say yet that it is under way: the job does.
    assert registry.run(claimed.run_id).state == "waiting"
    registry.model("m", "2")

    assert registry.run(claimed.run_id).state == "waiting"
    registry.store.write_now(lambda c: begin_answering(c, claimed, now=NOW))
    registry.model("m", "3")
    states = registry.states()
    assert states.pop(("dev", claimed.run_id)) == "answering"
    assert [states[each] for each in sorted(states, key=lambda each: each[1])] == [
        "cancelled",
        *["cancelled"] * 2,
        *["waiting"] * 2,
    ]


def test_what_was_begun_and_put_down_is_left_alone(registry: Registry) -> None:
    registry.dataset("dev")
    registry.model("m")
    claimed = registry.store.write_now(lambda c: claim(c, "me", kinds=["answer"], now=NOW))
    assert claimed is not None
    registry.store.write_now(lambda c: release(c, claimed))
    (job,) = registry.store.read_now(lambda c: jobs_of_runs(c, [1]))
    assert job.state == "waiting"
    registry.model("m", "2")
    assert registry.run(1).state == "waiting"


def test_what_was_asked_for_by_hand_is_left_alone(local_registry: Registry) -> None:
    registry = local_registry
    registry.dataset("dev")
    registry.dataset("test")
    registry.model("m")

    def by_hand(connection: Connection) -> None:
        model = put_model(connection, registry.task, "m")
        dev = put_dataset(connection, registry.task, "dev")
        plan_pairs(connection, registry.task, [model], [dev], now=NOW)

    registry.store.write_now(by_hand)
    registry.model("m", "2")

    assert registry.states() == {
        ("dev", 1): "waiting",
        ("test", 2): "cancelled",
        ("dev", 3): "waiting",
        ("test", 4): "waiting",
    }


def test_what_was_replaced_can_be_started_by_hand_and_stays(registry: Registry) -> None:
    registry.dataset("dev")
    registry.model("m")
    registry.model("m", "2")
    registry.store.write_now(lambda c: retry_run(c, find_run_by_id(c, 1)))
    again = registry.run(1)
    assert (again.state, again.reason, again.finished) == ("waiting", "", None)
    registry.model("m", "3")

    assert registry.states() == {
        ("dev", 1): "waiting",
        ("dev", 2): "cancelled",
        ("dev", 3): "waiting",
    }


def test_a_version_that_comes_back_gets_its_runs_back(registry: Registry) -> None:
    registry.dataset("dev")
    registry.model("m")
    registry.model("m", "2")
    back = registry.model("m", "1")

    assert [run.id for run in back] == [1]
    assert registry.states() == {("dev", 1): "waiting", ("dev", 2): "cancelled"}
    assert registry.run(1).reason == ""
    # What comes back is planned again, so a newer version replaces it again.
    registry.model("m", "2")
    assert registry.states() == {("dev", 1): "cancelled", ("dev", 2): "waiting"}


def test_what_somebody_cancelled_does_not_come_back(local_registry: Registry) -> None:
    registry = local_registry
    registry.dataset("dev")
    registry.model("m")
    registry.store.write_now(lambda c: cancel_run(c, find_run_by_id(c, 1), now=NOW))
    registry.model("m", "2")
    registry.model("m", "1")
    assert registry.run(1).state == "cancelled"
    assert registry.run(1).reason == "Cancelled after 0 answers of 3."


def test_variants_of_a_replaced_version_are_cancelled_and_come_back(
    local_registry: Registry,
) -> None:
    registry = local_registry

    def parent() -> Dataset:
        return registry.store.write_now(lambda c: put_dataset(c, registry.task, "dev"))

    registry.model("m")
    registry.dataset("dev")
    registry.dataset("fairness-dev", parent=parent(), kind="fairness")
    registry.dataset("dev", "2")
    assert registry.states() == {
        ("dev", 1): "cancelled",
        ("fairness-dev", 2): "cancelled",
        ("dev", 3): "waiting",
    }
    assert registry.run(2).reason == (
        "Version 2 of 'dev' replaced the version that this data set was made from before the run "
        "began."
    )
    assert {run.id for run in registry.dataset("dev", "1")} == {1, 2}
    assert registry.states() == {
        ("dev", 1): "waiting",
        ("fairness-dev", 2): "waiting",
        ("dev", 3): "cancelled",
    }


def test_the_newer_version_takes_the_place_of_the_older_one_everywhere(
    local_registry: Registry,
) -> None:
    """A hidden set is not planned for a new model, but it was due for this one."""
    registry = local_registry
    registry.model("m")
    registry.dataset("secret", access="hidden")
    planned = registry.model("m", "2")

    assert [run.id for run in planned] == [2]
    assert registry.states() == {("secret", 1): "cancelled", ("secret", 2): "waiting"}


def test_the_runs_of_a_retired_model_do_not_come_back(local_registry: Registry) -> None:
    registry = local_registry
    registry.dataset("dev")
    registry.model("m")
    registry.dataset("dev", "2")

    def retire(connection: Connection) -> Model:
        model = put_model(connection, registry.task, "m")
        connection.exec_driver_sql("UPDATE models SET retired = 1")
        return model

    registry.store.write_now(retire)
    assert registry.dataset("dev", "1") == []
    assert registry.states() == {("dev", 1): "cancelled", ("dev", 2): "cancelled"}


def test_a_replaced_version_costs_no_call(local_bench: Bench) -> None:
    with serving() as endpoint:
        local_bench.model("stub", endpoint.url)
        local_bench.dataset("dev", 4)
        local_bench.dataset("dev", records(3, start=10))
        local_bench.work()
        assert sorted(endpoint.asked) == ["u10", "u11", "u12"]
    listed = local_bench.home.store.read_now(list_runs)
    assert [each.state for each in listed] == ["cancelled", "done"]
