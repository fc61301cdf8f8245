"""What pages read of many runs at once, on both databases."""

from typing import Any

from sqlalchemy import Connection

from palaver.core.evaluation.runs import Prediction, Run, RunScore
from palaver.storage import Store
from palaver.storage.evaluation.predictions import append_predictions, predictions_from
from palaver.storage.evaluation.runs import count_answers, count_states, runs_mark, set_run
from palaver.storage.evaluation.scores import bare_scores, store_scores
from support.evaluations import NOW, put_runs


def score(run: Run, metric: str, value: float, **known: Any) -> RunScore:
    return RunScore(
        run_id=run.id,
        metric=metric,
        version="1",
        value=value,
        n=3,
        parts={"form": "mean"},
        rows=b"x",
        **known,
    )


def test_states_are_counted_between_versions(store: Store) -> None:
    runs = store.write_now(lambda c: put_runs(c, 3))
    store.write_now(lambda c: set_run(c, runs[0].id, state="done"))
    models = [run.model_version_id for run in runs]
    dataset = [runs[0].dataset_version_id]
    found = store.read_now(lambda c: count_states(c, models, dataset))
    assert found == {"done": 1, "waiting": 2}
    assert store.read_now(lambda c: count_states(c, models[1:], dataset)) == {"waiting": 2}
    assert store.read_now(lambda c: count_states(c, [], [])) == {}


def test_the_mark_changes_with_answers_states_and_scores_and_else_stays(store: Store) -> None:
    runs = store.write_now(lambda c: put_runs(c, 2))
    versions = ([run.model_version_id for run in runs], [runs[0].dataset_version_id])

    def mark() -> Any:
        return store.read_now(lambda c: runs_mark(c, *versions))

    marks = [mark()]
    assert mark() == marks[0]
    changes = (
        lambda c: count_answers(c, runs[0].id, answered=1, refused=0, busy_seconds=0.1),
        lambda c: set_run(c, runs[0].id, state="done", finished=NOW),
        lambda c: store_scores(c, [score(runs[0], "accuracy", 0.5)], now=NOW),
        # A score that is replaced may get the same id again.
        lambda c: store_scores(c, [score(runs[0], "accuracy", 0.6)], now=NOW + 1),
    )
    for change in changes:
        store.write_now(change)
        marks.append(mark())
    assert len(set(marks)) == len(marks)


def test_scores_come_without_parts_and_of_one_metric_where_asked(store: Store) -> None:
    def work(c: Connection) -> list[Run]:
        runs = list(put_runs(c, 2))
        new = [
            score(runs[0], "accuracy", 0.5, low=0.4, high=0.6),
            score(runs[0], "accuracy", 0.7, variant_id=9),
            score(runs[0], "macro_f1", 0.4),
            score(runs[1], "accuracy", 0.9),
        ]
        store_scores(c, new, now=NOW)
        return runs

    runs = store.write_now(work)
    every = store.read_now(lambda c: bare_scores(c, [runs[0].id]))
    assert [(each.metric, each.variant_id, each.value) for each in every] == [
        ("accuracy", 0, 0.5),
        ("accuracy", 9, 0.7),
        ("macro_f1", 0, 0.4),
    ]
    assert (every[0].low, every[0].high, every[0].parts, every[0].rows) == (0.4, 0.6, {}, None)
    both = store.read_now(lambda c: bare_scores(c, [run.id for run in runs], metric="accuracy"))
    assert [each.value for each in both] == [0.5, 0.9]


def test_predictions_are_read_in_slices(store: Store) -> None:
    def work(c: Connection) -> int:
        run = put_runs(c, 1)[0]
        new = [
            Prediction(position=n, uid=f"u{n}", answer={"label": str(n)}, seconds=0.1)
            for n in (4, 0, 2, 1)
        ]
        append_predictions(c, run.id, new)
        append_predictions(
            c, run.id, [Prediction(position=3, uid="u3", answer=None, problem="no", seconds=0.1)]
        )
        return run.id

    run_id = store.write_now(work)
    found = store.read_now(lambda c: predictions_from(c, run_id, start=1, limit=3))
    assert [each.uid for each in found] == ["u1", "u2", "u3"]
    assert [each.answer for each in found] == [{"label": "1"}, {"label": "2"}, None]
    assert found[2].problem == "no"
    assert store.read_now(lambda c: predictions_from(c, run_id, start=5, limit=3)) == []
