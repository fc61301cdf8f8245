"""Boards of one round: the data sets of that round and no others, with the numbers of any board."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Board, Measured
from palaver.evaluation.dynaboards import Boards, ScoresByRound, read_board, read_saved, save_fork
from palaver.storage import Store
from palaver.storage.evaluation.datasets import register_dataset
from support.databases import new_sqlite
from support.dynaboards import NOW, Lab, bare, labels

WORDS = ["entailed", "neutral", "contradictory"]
# Items and round of each data set: one of no round, one of round 1, two of round 2.
SETS = {"snli": (50, 0), "r1-test": (40, 1), "r2-test": (60, 2), "r2-dev": (30, 2)}
SKILL = {"ann": 0.9, "bob": 0.6}
DRAWS = 300


class Rounds:
    """A store with two models on data sets of rounds."""

    def __init__(self, store: Store) -> None:
        self.lab = Lab(store)
        self.boards = Boards(draws=DRAWS)
        self.scores = ScoresByRound(self.boards)
        dice = np.random.default_rng(3)
        self.right: dict[tuple[str, str], np.ndarray] = {}
        versions = {name: self.lab.dataset(name, items) for name, (items, _) in SETS.items()}
        for name, (_, number) in SETS.items():
            self.set_round(name, number)
        for model, skill in SKILL.items():
            version = self.lab.model(model)
            for name, (items, _) in SETS.items():
                gold = dice.choice(WORDS, items)
                given = np.where(dice.random(items) < skill, gold, dice.choice(WORDS, items))
                self.right[model, name] = gold == given
                run = self.lab.run(version, versions[name], items)
                scores = [labels(run.id, "accuracy", given.tolist(), gold.tolist())]
                if model == "ann":
                    scores.append(bare(run.id, "throughput", 9.0))
                self.lab.score(run, *scores)

    def set_round(self, name: str, number: int, **values: Any) -> None:
        task = self.lab.row.id
        self.lab.store.write_now(
            lambda c: register_dataset(c, task_id=task, name=name, now=NOW, round=number, **values)
        )

    def board(self, **options: Any) -> Board:
        return self.lab.store.read_now(
            lambda c: self.boards.read(c, self.lab.row, self.lab.task, **options)
        )

    def by_round(self, model: str) -> Any:
        key = next(each.key for each in self.board().everybody if each.name == model)
        return self.lab.store.read_now(
            lambda c: self.scores.read(c, self.lab.row, self.lab.task, key)
        )


@pytest.fixture
def rounds(tmp_path: Path) -> Iterator[Rounds]:
    store = Store(new_sqlite(tmp_path / "palaver.db"))
    yield Rounds(store)
    store.close()


# Throughput is not what these tests are about, and one model has none.
WEIGHTS = {"throughput": 0.0}


def test_only_the_data_sets_of_a_round_count(rounds: Rounds) -> None:
    every = rounds.board(metric_weights=WEIGHTS)
    assert (every.round, every.rounds) == (None, (1, 2))
    assert [(each.name, each.round) for each in every.datasets] == [
        (name, number) for name, (_, number) in SETS.items()
    ]
    second = rounds.board(round=2, metric_weights=WEIGHTS)
    assert (second.round, second.rounds) == (2, (1, 2))
    assert [each.name for each in second.datasets] == ["r2-test", "r2-dev"]
    assert [model.name for model in second.models] == ["ann", "bob"]
    for model in second.models:
        means = [rounds.right[model.name, name].mean() for name in ("r2-test", "r2-dev")]
        assert model.averages["accuracy"].value == pytest.approx(100 * np.mean(means))
        assert set(model.scores) == {"r2-test", "r2-dev"}


def test_a_round_that_has_no_data_sets_is_named_with_those_that_have(rounds: Rounds) -> None:
    with pytest.raises(InputError, match=r"is of round 3\. There are some of rounds 1 and 2\."):
        rounds.board(round=3)
    rounds.set_round("r1-test", 1, access="standard")
    with pytest.raises(InputError, match="is of round 1"):
        rounds.board(round=1)
    assert rounds.board().rounds == (2,)


def test_a_model_has_a_score_per_round_with_the_interval_of_that_board(rounds: Rounds) -> None:
    for model in SKILL:
        first, second = rounds.by_round(model)
        assert (first.round, first.datasets, first.items) == (1, ("r1-test",), 40)
        assert (second.round, second.datasets, second.items) == (2, ("r2-test", "r2-dev"), 90)
        assert first.score.value == pytest.approx(100 * rounds.right[model, "r1-test"].mean())
        shown = rounds.board(round=2, metric_weights=WEIGHTS)
        assert second.score == shown.find(_key(shown, model)).averages["accuracy"]  # type: ignore[union-attr]


def test_the_interval_of_a_round_follows_from_those_of_its_data_sets(rounds: Rounds) -> None:
    _, second = rounds.by_round("bob")
    bob = next(each for each in rounds.board(round=2).everybody if each.name == "bob")
    parts = [bob.scores[name]["accuracy"] for name in ("r2-test", "r2-dev")]
    below, above = ([abs(each.value - each.interval[end]) for each in parts] for end in (0, 1))
    mean = sum(each.value for each in parts) / 2
    low, high = mean - np.hypot(*below) / 2, mean + np.hypot(*above) / 2
    assert second.score.interval == pytest.approx((low, high), abs=1e-9)


def test_a_score_of_a_round_says_what_is_missing(rounds: Rounds) -> None:
    version = rounds.lab.model("new")
    assert version
    _, second = rounds.by_round("new")
    assert second.score == Measured(
        value=None, reason="each of r2-test and r2-dev has not been evaluated"
    )
    rounds.set_round("r1-test", 0)
    (only,) = rounds.by_round("ann")
    assert only.round == 2
    rounds.set_round("r2-test", 0)
    rounds.set_round("r2-dev", 0)
    assert rounds.by_round("ann") == ()


def test_scores_by_round_change_with_the_rounds(rounds: Rounds) -> None:
    before = rounds.by_round("ann")
    assert rounds.by_round("ann") is before
    rounds.set_round("snli", 1)
    first, _ = rounds.by_round("ann")
    assert first.datasets == ("snli", "r1-test")


def test_a_fork_keeps_its_round(rounds: Rounds) -> None:
    board = rounds.board(round=2, metric_weights=WEIGHTS, dataset_weights={"r2-dev": 1.0})
    store, row = rounds.lab.store, rounds.lab.row
    saved = store.write_now(lambda c: save_fork(c, row.id, "second", board, now=NOW))
    assert saved.weights.round == 2
    sheet = store.read_now(lambda c: read_saved(c, rounds.boards, saved.key))
    assert [(each.name, each.weight) for each in sheet.board.datasets] == [
        ("r2-test", 5.0),
        ("r2-dev", 1.0),
    ]
    first = rounds.board(round=1, fork=saved)
    assert [each.name for each in first.datasets] == ["r1-test"]


def test_a_board_that_is_read_once_may_be_of_a_round(rounds: Rounds) -> None:
    board = rounds.lab.store.read_now(
        lambda c: read_board(c, rounds.lab.row, rounds.lab.task, round=1, draws=0)
    )
    assert [each.name for each in board.datasets] == ["r1-test"]


def _key(board: Board, name: str) -> str:
    return next(each.key for each in board.everybody if each.name == name)
