"""Forks and snapshots in the store, on each kind of database."""

from dataclasses import replace

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.boards import BoardWeights
from palaver.core.serial import plain
from palaver.evaluation.dynaboards import (
    Boards,
    read_board,
    read_snapshot,
    save_fork,
    save_snapshot,
)
from palaver.storage import Store
from palaver.storage.evaluation.boards import (
    content_mark,
    find_saved,
    find_saved_by_key,
    list_saved,
    save_board,
)
from support.dynaboards import NOW, Lab, labels


def scored(store: Store) -> Lab:
    lab = Lab(store)
    dataset = lab.dataset("snli", 4)
    gold = ["entailed", "neutral", "neutral", "contradictory"]
    for name, given in {"ann": gold, "bob-unpublished": ["neutral"] * 4}.items():
        run = lab.run(lab.model(name, published=name == "ann"), dataset, 4)
        lab.score(run, labels(run.id, "accuracy", given, gold))
    return lab


def test_forks_and_snapshots_are_found_by_name_and_by_key(store: Store) -> None:
    lab = scored(store)
    board = store.read_now(lambda c: read_board(c, lab.row, lab.task, draws=50, public=True))
    fork = store.write_now(lambda c: save_fork(c, lab.row.id, "mine", board, now=NOW))
    frozen = store.write_now(lambda c: save_snapshot(c, lab.row.id, "then", board, now=NOW))
    assert store.read_now(lambda c: find_saved(c, lab.row.id, "mine")) == fork
    assert store.read_now(lambda c: find_saved_by_key(c, frozen.key)) == frozen
    content = store.read_now(lambda c: read_snapshot(c, frozen))
    assert plain(content)["models"] == plain(board)["models"]
    assert content.sort == {"field": "dynascore", "direction": "desc"}
    assert "bob-unpublished" not in str(content)
    both = store.read_now(lambda c: list_saved(c, lab.row.id))
    assert [each.kind for each in both] == ["fork", "snapshot"]
    assert [e.name for e in store.read_now(lambda c: list_saved(c, lab.row.id, "fork"))] == ["mine"]


def test_a_snapshot_does_not_change_with_the_scores(store: Store) -> None:
    lab = scored(store)
    board = store.read_now(lambda c: read_board(c, lab.row, lab.task, draws=0, public=True))
    frozen = store.write_now(lambda c: save_snapshot(c, lab.row.id, "then", board, now=NOW))
    run = lab.run(lab.model("ann"), lab.dataset("snli", 4), 4)
    lab.score(run, labels(run.id, "accuracy", ["neutral"], ["entailed"]))
    again = store.read_now(lambda c: find_saved_by_key(c, frozen.key))
    assert again == frozen
    kept = store.read_now(lambda c: read_snapshot(c, again))
    assert plain(kept.models) == plain(board.models)


def test_a_name_is_taken_across_forks_and_snapshots(store: Store) -> None:
    lab = Lab(store)

    def save(kind: str) -> None:
        store.write_now(
            lambda c: save_board(
                c, task_id=lab.row.id, name="mine", kind=kind, weights=BoardWeights(), now=NOW
            )
        )

    save("fork")
    with pytest.raises(InputError, match="already has a fork called 'mine'"):
        save("snapshot")
    with pytest.raises(UnknownNameError, match="Near: 'mine'"):
        store.read_now(lambda c: find_saved(c, lab.row.id, "mien"))
    with pytest.raises(UnknownNameError, match="has the key 'b_x'"):
        store.read_now(lambda c: find_saved_by_key(c, "b_x"))


def test_a_board_read_for_its_owner_is_not_frozen_for_everybody(store: Store) -> None:
    lab = scored(store)
    board = store.read_now(lambda c: read_board(c, lab.row, lab.task, draws=0))
    with pytest.raises(ValueError, match="public=True"):
        store.write_now(lambda c: save_snapshot(c, lab.row.id, "then", board, now=NOW))


@pytest.mark.parametrize("name", ["", "   ", "x" * 81, "a\nb"])
def test_a_name_must_be_one(store: Store, name: str) -> None:
    lab = scored(store)
    board = store.read_now(lambda c: read_board(c, lab.row, lab.task, draws=0))
    with pytest.raises(InputError, match="1 to 80 characters"):
        store.write_now(lambda c: save_fork(c, lab.row.id, name, board, now=NOW))


def test_weights_of_data_sets_that_are_gone_do_not_count(store: Store) -> None:
    lab = scored(store)
    board = store.read_now(
        lambda c: read_board(c, lab.row, lab.task, draws=0, metric_weights={"accuracy": 3})
    )
    fork = store.write_now(lambda c: save_fork(c, lab.row.id, "mine", board, now=NOW))
    boards = Boards(draws=0)
    read = store.read_now(lambda c: boards.read(c, lab.row, lab.task, fork=fork))
    assert read.weights == BoardWeights({"accuracy": 3}, {"snli": 5})
    gone = replace(fork, weights=BoardWeights({"accuracy": 3}, {"mnli": 2}))
    read = store.read_now(lambda c: boards.read(c, lab.row, lab.task, fork=gone))
    assert read.weights == BoardWeights({"accuracy": 3}, {"snli": 5})


def test_a_snapshot_of_old_tells_no_reason_of_a_failed_run(store: Store) -> None:
    lab = scored(store)
    lab.run(lab.model("broken"), lab.dataset("snli", 4), 4, state="failed", reason="10.0.0.7 (x)")
    board = store.read_now(lambda c: read_board(c, lab.row, lab.task, draws=0))
    assert board.not_ranked[0].reasons == ("snli failed (10.0.0.7 (x))",)
    old = replace(board, public=True)
    frozen = store.write_now(lambda c: save_snapshot(c, lab.row.id, "then", old, now=NOW))
    kept = store.read_now(lambda c: read_snapshot(c, frozen))
    assert kept.not_ranked[0].reasons == ("snli failed",)


def test_the_mark_changes_when_the_last_score_is_replaced(store: Store) -> None:
    lab = scored(store)
    model, dataset = lab.model("bob"), lab.dataset("snli", 4)
    before = store.read_now(lambda c: content_mark(c, [model], [dataset]))
    assert before == store.read_now(lambda c: content_mark(c, [model], [dataset]))
    run = lab.run(model, dataset, 4)
    again = labels(run.id, "accuracy", ["neutral"], ["neutral"])
    lab.score(run, again, now=NOW + 1)
    assert before != store.read_now(lambda c: content_mark(c, [model], [dataset]))
