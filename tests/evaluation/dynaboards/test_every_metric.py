"""Every stored metric of a task is shown, weighed and ranked, by whoever has it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Board
from palaver.core.serial import plain
from palaver.evaluation.dynaboards import (
    Boards,
    average_rows,
    cell_rows,
    read_board,
    read_snapshot,
    save_fork,
    save_snapshot,
)
from palaver.storage import Store
from support.databases import new_sqlite
from support.dynaboards import NOW, Lab, bare, labels, mean, sure
from support.points import points_in

WORDS = ["entailed", "neutral", "contradictory"]
SETS = {"snli": 60, "hans": 40}
SKILL = {"ann": 0.95, "bob": 0.6, "cat": 0.2}


class Shelf:
    """A task with models, each with accuracy and macro F1, and some with what was computed later."""

    def __init__(self, store: Store) -> None:
        self.lab = Lab(store)
        self.dice = np.random.default_rng(2)
        self.sets = {name: self.lab.dataset(name, items) for name, items in SETS.items()}
        self.gold = {name: self.dice.choice(WORDS, items).tolist() for name, items in SETS.items()}
        self.given: dict[tuple[str, str], list[str]] = {}
        for model, skill in SKILL.items():
            self.add(model, skill)

    def add(self, model: str, skill: float) -> None:
        version = self.lab.model(model)
        for name, items in SETS.items():
            right = self.dice.permutation(items) < skill * items
            wrong = {word: WORDS[n - 1] for n, word in enumerate(WORDS)}
            pairs = zip(self.gold[name], right, strict=True)
            given = [word if hit else wrong[word] for word, hit in pairs]
            self.given[model, name] = given
            run = self.lab.run(version, self.sets[name], items)
            both = (labels(run.id, e, given, self.gold[name]) for e in ("accuracy", "macro_f1"))
            self.lab.score(run, *map(sure, both))

    def later(self, metric: str, *models: str, low: bool = False, **known: Any) -> None:
        """A score that somebody computed later; with `low` good models have little of it."""
        for model in models:
            for name, items in SETS.items():
                run = self.lab.run(self.lab.model(model), self.sets[name], items)
                middle = 1 - SKILL[model] if low else SKILL[model]
                values = np.clip(self.dice.normal(middle, 0.1, items), 0, 1)
                score = sure(mean(run.id, metric, values))
                self.lab.score(run, replace(score, **known))

    def board(self, **options: Any) -> Board:
        return self.lab.store.read_now(
            lambda c: read_board(c, self.lab.row, self.lab.task, **{"draws": 200, **options})
        )


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    yield Shelf(store)
    store.close()


def keys(board: Board) -> list[str]:
    return [each.key for each in board.metrics]


def test_metrics_that_are_listed_and_computed_later_have_columns(shelf: Shelf) -> None:
    shelf.later("balanced_accuracy", "ann", "bob")
    board = shelf.board()
    assert keys(board) == ["accuracy", "macro_f1", "balanced_accuracy"]
    assert [each.weight for each in board.metrics] == [4, 0, 0]
    assert [each.models for each in board.metrics] == [3, 3, 2]
    assert (
        "Balanced accuracy has not been computed for every data set of cat: palaver rescore nli "
        "--metric balanced_accuracy."
    ) in board.warnings
    for model in board.models:
        scores = [
            100 * f1_score(shelf.gold[name], shelf.given[model.name, name], average="macro")
            for name in SETS
        ]
        assert model.averages["macro_f1"].value == pytest.approx(np.mean(scores))
    last = next(each for each in board.models if each.name == "cat")
    assert last.averages["balanced_accuracy"].value is None


def test_a_metric_is_weighed_beside_the_others(shelf: Shelf) -> None:
    shelf.later("balanced_accuracy", "ann", "bob")
    board = shelf.board(metric_weights={"macro_f1": 4})
    assert [each.share for each in board.metrics] == [0.5, 0.5, 0]
    assert board.metrics[1].amrs_interval is not None
    partly = shelf.board(metric_weights={"balanced_accuracy": 1})
    (apart,) = partly.not_ranked
    assert (apart.name, apart.reasons) == ("cat", ("no balanced accuracy on snli and hans",))
    assert apart.averages["accuracy"].interval is not None


def test_one_metric_ranks_alone(shelf: Shelf) -> None:
    board = shelf.board(metric="macro_f1", dataset_weights={"hans": 0})
    assert (board.ranking, board.metric, board.ranked_by) == ("measure", "macro_f1", "Macro F1")
    assert keys(board) == ["macro_f1", "accuracy"]
    assert [each.name for each in board.models] == list(SKILL)
    assert [each.share for each in board.datasets] == [1, 0]
    first = board.models[0]
    assert board.standing(first) == first.averages["macro_f1"]
    assert first.averages["macro_f1"].interval == first.scores["snli"]["macro_f1"].interval
    assert board.answer == "ann leads; bob and cat follow, in this order"
    assert [each.rank_interval for each in board.models] == [(1, 1), (2, 2), (3, 3)]


def test_ranks_by_a_metric_are_those_of_a_plain_loop(shelf: Shelf) -> None:
    """A mean over items: differences in the samples are normal, so the tests agree with t tests."""
    shelf.add("bee", 0.93)
    board = shelf.board(metric="accuracy", dataset_weights={"hans": 0}, draws=2000)
    gold = np.array(shelf.gold["snli"])
    right = {m: (gold == shelf.given[m, "snli"]).astype(float) for m in (*SKILL, "bee")}
    apart = {m: stats.ttest_rel(right["ann"], right[m]).pvalue for m in ("bob", "cat", "bee")}
    lone = next(each for each in board.models if each.name == "ann")
    assert apart["bee"] > 0.2
    assert max(apart["bob"], apart["cat"]) < 0.001
    assert lone.rank_interval == (1, 2)


def test_where_lower_is_better_the_lowest_leads(shelf: Shelf) -> None:
    shelf.later("wer", *SKILL, low=True)
    board = shelf.board(metric="wer")
    assert board.metrics[0].direction == -1
    values = [model.averages["wer"].value for model in board.models]
    assert values == sorted(values)
    assert board.models[0].name == "ann"
    assert board.answer.startswith("ann leads")


def test_what_has_no_better_end_stands_from_the_highest_and_that_is_said(shelf: Shelf) -> None:
    shelf.later("length_tokens", *SKILL)
    board = shelf.board(metric="length_tokens")
    assert [each.name for each in board.models] == list(SKILL)
    assert any(
        each.startswith("Neither end of Length in tokens is better") for each in board.warnings
    )


def test_a_metric_of_ones_own_says_what_it_is_in_its_score(shelf: Shelf) -> None:
    """Reading a board runs no Python of anybody's: there is no such module here."""
    facts = {"title": "Rudeness", "unit": "share", "direction": "lower"}
    shelf.later("manners:rude", *SKILL, low=True, parts={"form": "mean", "measure": facts})
    board = shelf.board(metric="manners:rude")
    first = board.metrics[0]
    assert (first.title, first.unit, first.direction) == ("Rudeness", "%", -1)
    assert board.models[0].name == "ann"


def test_a_metric_with_options_is_told_from_the_metric(shelf: Shelf) -> None:
    shelf.later("f1[label, average=binary]", "ann")
    shelf.later("dataperf_balanced_accuracy", "ann")
    shelf.later("balanced_accuracy", "ann")
    titles = [each.title for each in shelf.board().metrics]
    assert "F1 of one class (label, average=binary)" in titles
    assert len({*titles}) == len(titles)
    rows = cell_rows(shelf.board())
    assert "Balanced accuracy (balanced_accuracy)" in rows[0]


def test_a_metric_that_cannot_be_drawn_is_ordered_and_not_tested(shelf: Shelf) -> None:
    for model, skill in SKILL.items():
        for name, items in SETS.items():
            run = shelf.lab.run(shelf.lab.model(model), shelf.sets[name], items)
            size = 9 - 8 * skill
            shelf.lab.score(run, bare(run.id, "memory", size, low=size - 1, high=size + 1))
    board = shelf.board(metric="memory")
    assert [each.name for each in board.models] == list(SKILL)
    assert board.answer == (
        "No model leads: the order was not tested; ann has the lowest memory so far"
    )
    assert all(each.rank_interval is None for each in board.models)
    assert board.models[0].averages["memory"].interval is not None


def test_wrong_choices_are_named(shelf: Shelf) -> None:
    for options, says in (
        (
            {"metric": "makro_f1"},
            "No model on this board has the metric 'makro_f1'. Near: 'macro_f1'",
        ),
        ({"metric": "macro_f1", "metric_weights": {"accuracy": 1}}, "takes no weights of metrics"),
        ({"metric": "macro_f1", "dataset_weights": {"snl": 1}}, "no data set 'snl'. Near: 'snli'"),
    ):
        with pytest.raises(InputError, match=says):
            shelf.board(**options)
    assert shelf.board(metric="perf").metric == "accuracy"
    assert shelf.board(metric="dynascore").ranking == "dynascore"


def test_forks_and_snapshots_keep_what_ranks(shelf: Shelf) -> None:
    store, lab, boards = shelf.lab.store, shelf.lab, Boards(draws=100)
    board = shelf.board(metric="macro_f1", dataset_weights={"hans": 1}, public=True)
    fork = store.write_now(lambda c: save_fork(c, lab.row.id, "By F1", board, now=NOW))
    frozen = store.write_now(lambda c: save_snapshot(c, lab.row.id, "Then", board, now=NOW))
    again = store.read_now(lambda c: boards.read(c, lab.row, lab.task, fork=fork))
    assert (again.metric, again.weights) == ("macro_f1", board.weights)
    content = store.read_now(lambda c: read_snapshot(c, frozen))
    assert (content.metric, content.sort) == (
        "macro_f1",
        {"field": "macro_f1", "direction": "desc"},
    )
    assert content.standing(content.models[0]) == board.standing(board.models[0])
    # Another choice stands above that of the fork, and leaves it as it is.
    other = store.read_now(
        lambda c: boards.read(c, lab.row, lab.task, fork=fork, metric="dynascore")
    )
    assert (other.ranking, [each.weight for each in other.metrics]) == ("dynascore", [4, 0])


def test_a_fork_whose_metric_is_gone_says_so(shelf: Shelf) -> None:
    store, lab = shelf.lab.store, shelf.lab
    shelf.later("balanced_accuracy", *SKILL)
    board = shelf.board(metric="balanced_accuracy", public=True)
    fork = store.write_now(lambda c: save_fork(c, lab.row.id, "Mine", board, now=NOW))
    for name, items in {"new": 9}.items():
        lab.dataset(name, items)
        for old in SETS:
            lab.dataset(old, SETS[old], access="hidden")
    again = store.read_now(lambda c: Boards(draws=9).read(c, lab.row, lab.task, fork=fork))
    assert again.ranking == "dynascore"
    assert any("ranked by 'balanced_accuracy', which no model" in each for each in again.warnings)


def test_strangers_learn_no_metric_of_unpublished_models_alone(shelf: Shelf) -> None:
    shelf.later("balanced_accuracy", "cat")
    shelf.lab.model("cat", published=False)
    assert "balanced_accuracy" not in keys(shelf.board(public=True))
    with pytest.raises(InputError, match="No model on this board has the metric"):
        shelf.board(public=True, metric="balanced_accuracy")
    assert "balanced_accuracy" in keys(shelf.board())


def test_an_average_has_one_interval_whatever_else_is_asked(shelf: Shelf) -> None:
    shelf.later("balanced_accuracy", *SKILL)
    first = {each.name: each.averages["accuracy"] for each in shelf.board().models}
    assert all(each.interval is not None for each in first.values())
    boards = [
        shelf.board(metric_weights={"macro_f1": 3}, draws=50),
        shelf.board(metric="balanced_accuracy", draws=0),
    ]
    shelf.add("dan", 0.5)
    boards += [shelf.board(metric="accuracy", seed=7), shelf.board(public=True)]
    for board in boards:
        told = {each.name: each.averages["accuracy"] for each in board.models}
        assert {name: told[name] for name in SKILL} == first
        assert not list(points_in(plain(board)))


def test_what_is_right_on_one_data_set_is_not_taken_for_sure(shelf: Shelf) -> None:
    version = shelf.lab.model("top")
    for name, items in SETS.items():
        given = list(shelf.gold[name])
        if name == "snli":
            given[:20] = ["neutral" if each != "neutral" else "entailed" for each in given[:20]]
        run = shelf.lab.run(version, shelf.sets[name], items)
        shelf.lab.score(run, sure(labels(run.id, "accuracy", given, shelf.gold[name])))
    top = next(each for each in shelf.board().models if each.name == "top")
    one, other = (top.scores[name]["accuracy"] for name in SETS)
    (a, b), (c, d) = (np.array(each.interval, dtype=float) for each in (one, other))
    assert (other.value, d) == (100, 100)
    middle = top.averages["accuracy"].value
    assert middle == pytest.approx((one.value + 100) / 2)
    assert top.averages["accuracy"].interval == pytest.approx(
        (middle - np.hypot(one.value - a, 100 - c) / 2, middle + (b - one.value) / 2)
    )


def test_a_dynascore_of_one_metric_is_as_sure_as_its_average(shelf: Shelf) -> None:
    board = shelf.board()
    for model in board.models:
        assert model.dynascore.value == pytest.approx(model.averages["accuracy"].value)
        assert model.dynascore.interval == pytest.approx(model.averages["accuracy"].interval)


def test_tables_hold_models_without_a_rank(shelf: Shelf) -> None:
    shelf.later("balanced_accuracy", "ann", "bob")
    board = shelf.board(metric="balanced_accuracy")
    for rows in (average_rows(board), cell_rows(board)):
        last = next(row for row in rows if row["model"] == "cat")
        assert last["rank"] is None
        assert last["Accuracy"] == board.not_ranked[0].averages["accuracy"].value
        assert last["Accuracy, 95 %"] is not None
