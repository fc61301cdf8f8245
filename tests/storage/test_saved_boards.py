"""Forks and snapshots in the store, on each kind of database."""

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.evaluation.dynaboards import read_board, save_fork, save_snapshot, saved_weights
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
    assert fork.content is None
    assert frozen.content is not None
    assert frozen.content["models"] == board.as_json()["models"]
    assert frozen.content["sort"] == {"field": "dynascore", "direction": "desc"}
    assert "bob-unpublished" not in str(frozen.content)
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


def test_a_name_is_taken_across_forks_and_snapshots(store: Store) -> None:
    lab = Lab(store)

    def save(kind: str) -> None:
        store.write_now(
            lambda c: save_board(c, task_id=lab.row.id, name="mine", kind=kind, weights={}, now=NOW)
        )

    save("fork")
    with pytest.raises(InputError, match="has a fork called 'mine' already"):
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
    with pytest.raises(InputError, match="1 to 80 letters"):
        store.write_now(lambda c: save_fork(c, lab.row.id, name, board, now=NOW))


def test_weights_of_data_sets_that_are_gone_do_not_count(store: Store) -> None:
    lab = scored(store)
    board = store.read_now(
        lambda c: read_board(c, lab.row, lab.task, draws=0, metric_weights={"accuracy": 3})
    )
    fork = store.write_now(lambda c: save_fork(c, lab.row.id, "mine", board, now=NOW))
    assert saved_weights(fork, {"snli"}).datasets == {"snli": 5}
    assert saved_weights(fork, {"mnli"}).datasets == {}
    assert saved_weights(fork, set()).metrics == {"accuracy": 3}


def test_the_mark_changes_when_the_last_score_is_replaced(store: Store) -> None:
    lab = scored(store)
    model, dataset = lab.model("bob"), lab.dataset("snli", 4)
    before = store.read_now(lambda c: content_mark(c, [model], [dataset]))
    assert before == store.read_now(lambda c: content_mark(c, [model], [dataset]))
    run = lab.run(model, dataset, 4)
    again = labels(run.id, "accuracy", ["neutral"], ["neutral"])
    lab.score(run, again, now=NOW + 1)
    assert before != store.read_now(lambda c: content_mark(c, [model], [dataset]))
