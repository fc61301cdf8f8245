"""Scoring of stored runs: what is stored, what is refused, what is not computed twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.evaluation.runs import Run, RunScore
from palaver.core.tasks import MetricChoice
from palaver.evaluation.scoring import rescore_run, score_run
from palaver.evaluation.scoring.scored_runs import task_scores
from palaver.metrics.sums import FORMS, unpack_rows
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.runs import set_run
from palaver.storage.evaluation.scores import scores_of_runs
from support.scored_home import NOW, ScoredHome, scored_home

GOLD = ["not-hateful", "hateful", "hateful", "not-hateful"]
GIVEN = ["not-hateful", "hateful", "not-hateful", "not-hateful"]


def records(prefix: str = "i", **changes: Any) -> list[dict[str, Any]]:
    """Four items of the task hs."""
    return [
        {"uid": f"{prefix}{n}", "statement": f"text {n}", "label": gold, "tags": [gold], **changes}
        for n, gold in enumerate(GOLD)
    ]


def answers(given: list[str] = GIVEN, prefix: str = "i") -> list[tuple[str, dict[str, Any]]]:
    """An answer to each."""
    return [(f"{prefix}{n}", {"label": each}) for n, each in enumerate(given)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[ScoredHome]:
    """A home with the task hs and a data set of four items."""
    with scored_home(tmp_path, f"sqlite:///{tmp_path / 'palaver.db'}", "hs") as made:
        made.add("four", records())
        yield made


def kept(house: ScoredHome, run: Run, *, rows: bool = False) -> dict[str, RunScore]:
    """The newest score of each metric."""
    found = house.home.store.read_now(lambda c: scores_of_runs(c, [run.id], rows=rows))
    return {each.metric: each for each in found}


def test_every_metric_of_the_task_and_what_running_took(tmp_path: Path, database_url: str) -> None:
    with scored_home(tmp_path, database_url, "hs") as house:
        house.add("four", records())
        check_everything(house)


def check_everything(house: ScoredHome) -> None:
    """A run is scored and its scores are there."""
    run = house.run(house.model("m"), "four", answers())
    found = score_run(house.home, run.id, now=NOW)
    assert [each.metric for each in found] == ["macro_f1", "accuracy", "throughput", "memory"]
    scores = kept(house, run, rows=True)
    assert scores["accuracy"].value == 0.75
    assert scores["macro_f1"].value == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert scores["macro_f1"].n == 4
    assert scores["throughput"].value == pytest.approx(4 / 0.5)
    assert scores["memory"].value == 1.5
    by_tag = scores["macro_f1"].parts["perf_by_tag"]
    assert [(each["tag"], each["value"], each["legacy"]) for each in by_tag] == [
        ("hateful", None, 33.33),
        ("not-hateful", None, 100.0),
    ]
    packed = scores["macro_f1"].rows
    assert packed is not None
    value = FORMS[scores["macro_f1"].parts["form"]].value(unpack_rows(packed).sum(axis=0))
    assert float(value) == pytest.approx(scores["macro_f1"].value)


def test_the_same_is_not_computed_twice(house: ScoredHome, monkeypatch: pytest.MonkeyPatch) -> None:
    run = house.run(house.model("m"), "four", answers())
    first = score_run(house.home, run.id, now=NOW)

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("it was computed again")

    monkeypatch.setattr("palaver.evaluation.scoring.scores.score_choice", never)
    again = score_run(house.home, run.id, now=NOW)
    assert [each.value for each in again] == [each.value for each in first]
    with pytest.raises(AssertionError, match="computed again"):
        score_run(house.home, run.id, now=NOW, force=True)


def test_a_missing_answer_is_an_error_and_never_0(house: ScoredHome) -> None:
    run = house.run(house.model("m"), "four", answers()[:3])
    with pytest.raises(InputError, match=r"no answer to 1 of 4 items: i3\. It is not scored"):
        score_run(house.home, run.id, now=NOW)
    assert kept(house, run) == {}


def test_a_refused_answer_is_an_error(house: ScoredHome) -> None:
    run = house.run(house.model("m"), "four", [*answers()[:3], ("i3", None)])
    with pytest.raises(InputError, match="1 refused answers, to i3: it said nothing"):
        score_run(house.home, run.id, now=NOW)


def test_an_unknown_id_is_an_error(house: ScoredHome) -> None:
    run = house.run(house.model("m"), "four", [*answers(), ("zz", {"label": "hateful"})])
    with pytest.raises(InputError, match="5 answers for 4 items, or they are in another order: zz"):
        score_run(house.home, run.id, now=NOW)


def test_uploaded_predictions_have_no_throughput(house: ScoredHome) -> None:
    run = house.run(house.model("m", kind="predictions"), "four", answers())
    score_run(house.home, run.id, now=NOW)
    assert kept(house, run)["throughput"].value is None
    assert "uploaded" in kept(house, run)["throughput"].reason


@pytest.mark.parametrize("variants_first", [True, False])
def test_agreement_is_stored_with_the_original_whoever_is_scored_last(
    house: ScoredHome, variants_first: bool
) -> None:
    variants = [
        {**each, "uid": f"v{n}", "input_id": f"i{n // 2}"} for n, each in enumerate(records())
    ]
    house.add("four-fair", variants, parent="four", kind="fairness")
    model = house.model("m")
    run = house.run(model, "four", answers(), state="waiting" if variants_first else "scoring")
    # The original said no, yes; the variants say no, yes (of i0) and no, no (of i1).
    said = ["not-hateful", "hateful", "not-hateful", "not-hateful"]
    varied = house.run(model, "four-fair", answers(said, "v"))
    order = [varied, run] if variants_first else [run, varied]
    score_run(house.home, order[0].id, now=NOW)
    if variants_first:
        assert kept(house, run) == {}
    score_run(house.home, order[1].id, now=NOW)
    if not variants_first:
        score_run(house.home, run.id, now=NOW)  # as the worker does once both are done
    scores = kept(house, run, rows=True)
    version = house.home.store.read_now(lambda c: find_dataset(c, house.task.id, "four-fair"))
    fairness = scores["fairness"]
    assert fairness.variant_id == version.version_id
    assert fairness.value == pytest.approx((1 / 2 + 0) / 2)
    assert fairness.n == 2
    assert fairness.parts["originals_without_variants"] == 2
    assert fairness.parts["legacy"] == {"fairness": round((33.33 + 0) / 2, 2)}
    assert fairness.rows is not None
    assert unpack_rows(fairness.rows).tolist() == [[0.5, 1], [0, 1], [0, 0], [0, 0]]
    against_gold = kept(house, varied)["macro_f1"]
    assert scores["fairness-macro_f1"].value == against_gold.value
    assert scores["fairness-macro_f1"].variant_id == version.version_id
    assert "fairness" not in kept(house, varied)


def test_a_run_that_failed_takes_no_part_in_agreement(house: ScoredHome) -> None:
    variants = [{**each, "uid": f"v{n}", "input_id": "i0"} for n, each in enumerate(records())]
    house.add("four-fair", variants, parent="four", kind="fairness")
    model = house.model("m")
    run = house.run(model, "four", answers())
    house.run(model, "four-fair", answers(prefix="v")[:1], state="failed")
    score_run(house.home, run.id, now=NOW)
    assert "fairness" not in kept(house, run)


def test_another_metric_on_an_old_run(house: ScoredHome) -> None:
    run = house.run(house.model("m"), "four", answers())
    score_run(house.home, run.id, now=NOW)
    house.home.store.write_now(lambda c: set_run(c, run.id, state="done"))
    found = rescore_run(house.home, run.id, MetricChoice(metric="mcc", fields=("label",)), now=NOW)
    assert found.value == pytest.approx(1 / 3**0.5)
    assert set(kept(house, run)) == {"macro_f1", "accuracy", "throughput", "memory", "mcc"}
    assert [each.metric for each in score_run(house.home, run.id, metrics=["mcc"], now=NOW)] == [
        "mcc"
    ]


def test_a_metric_of_ones_own_is_computed_anew_when_its_source_changes(
    house: ScoredHome, tmp_path: Path
) -> None:
    run = house.run(house.model("m"), "four", answers())
    choice = MetricChoice(metric="mine:hits", fields=("label",))
    source = tmp_path / "mine.py"
    values = []
    for factor in (1, 2):
        source.write_text(
            "def hits(predictions, references):\n"
            f"    return {factor} * sum(p == r for p, r in zip(predictions, references))\n",
            encoding="utf-8",
        )
        found = rescore_run(house.home, run.id, choice, folder=tmp_path, now=NOW)
        values.append((found.value, found.version))
    assert [value for value, _ in values] == [3.0, 6.0]
    assert values[0][1] != values[1][1]


OWN = """
def evaluate(examples, answers):
    right = [a["label"] == e.values["label"] for e, a in zip(examples, answers)]
    return {"macro_f1": right, "caution": 0.25}
"""


def own_set(house: ScoredHome, source: str) -> Run:
    """A run on a data set with an evaluation function of its own."""
    (house.folder / "judge.py").write_text(source, encoding="utf-8")
    house.add("own", records(), function="judge:evaluate")
    return house.run(house.model("m"), "own", answers())


def test_an_evaluation_function_of_the_data_sets_own(house: ScoredHome) -> None:
    run = own_set(house, OWN)
    score_run(house.home, run.id, now=NOW)
    scores = kept(house, run)
    assert set(scores) == {"macro_f1", "caution", "accuracy", "throughput", "memory"}
    assert scores["macro_f1"].value == 0.75
    assert scores["macro_f1"].version.startswith("own-")
    assert scores["macro_f1"].low is not None
    tags = {each["tag"]: each["value"] for each in scores["macro_f1"].parts["perf_by_tag"]}
    assert tags == {"hateful": 0.5, "not-hateful": 1.0}
    assert (scores["caution"].value, scores["caution"].low) == (0.25, None)
    again = score_run(house.home, run.id, now=NOW)
    assert {each.metric for each in again} == set(scores)


def test_one_number_of_an_own_function_is_the_performance(house: ScoredHome) -> None:
    run = own_set(house, "def evaluate(examples, answers):\n    return len(answers) / 8\n")
    score_run(house.home, run.id, now=NOW)
    assert kept(house, run)["macro_f1"].value == 0.5


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 1 / 0", "'judge:evaluate' failed: ZeroDivisionError"),
        ("return {'a': [1, 2]}", "returned 2 numbers for 'a'; there are 4 examples"),
        ("return 'good'", "returned 'good' for 'macro_f1'; expected a number"),
        ("return {}", "returned an empty mapping"),
        ("return {'a': [1, 2, None, 4]}", "returned None for 'a'"),
    ],
)
def test_an_own_function_that_fails_is_named(house: ScoredHome, body: str, message: str) -> None:
    run = own_set(house, f"def evaluate(examples, answers):\n    {body}\n")
    with pytest.raises(InputError, match=message):
        score_run(house.home, run.id, now=NOW)
    assert kept(house, run) == {}


def test_scores_of_a_task_are_read_by_round(house: ScoredHome) -> None:
    house.add("second", records("j"), round=2)
    model = house.model("m")
    for name, prefix in (("four", "i"), ("second", "j")):
        run = house.run(model, name, answers(prefix=prefix))
        score_run(house.home, run.id, now=NOW)
        house.home.store.write_now(lambda c, run=run: set_run(c, run.id, state="done"))

    def sets(**asked: Any) -> list[str]:
        found = house.home.store.read_now(
            lambda c: task_scores(c, house.task, metric="accuracy", **asked)
        )
        return [each.dataset for each in found]

    assert sets() == ["four", "second"]
    assert sets(round=2) == ["second"]
    assert sets(round=0) == ["four"]
    assert sets(round=3) == []
