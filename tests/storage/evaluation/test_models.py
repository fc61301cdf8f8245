"""Models in the store, on both databases: versions by content, and what is decided about them."""

import pytest

from palaver.storage import Store
from palaver.storage.evaluation.models import (
    ModelVersion,
    add_model_version,
    find_model,
    find_model_version,
    list_model_versions,
    list_models,
    register_model,
    set_model,
)
from palaver.storage.evaluation.tasks import register_task


@pytest.fixture
def task_id(store: Store) -> int:
    """A task to have models for."""
    return store.write_now(
        lambda c: register_task(c, name="nli", title="NLI", definition="{}", digest="d", now=1.0)
    )


def add_version(store: Store, model_id: int, digest: str) -> tuple[ModelVersion, bool]:
    return store.write_now(
        lambda c: add_model_version(
            c, model_id=model_id, kind="http", options={"url": digest}, digest=digest, now=2.0
        )
    )


def test_versions_count_and_going_back_makes_an_old_one_the_newest(
    store: Store, task_id: int
) -> None:
    model = store.write_now(lambda c: register_model(c, task_id=task_id, name="mine", now=1.0))
    first, is_new = add_version(store, model, "one")
    second, _ = add_version(store, model, "two")
    same, is_same_new = add_version(store, model, "two")
    back, is_back_new = add_version(store, model, "one")

    assert (is_new, is_same_new, is_back_new) == (True, False, False)
    assert (first.version, second.version) == (1, 2)
    assert same == second
    assert (back.version_id, back.version) == (first.version_id, 3)
    found = store.read_now(lambda c: find_model(c, task_id, "mine"))
    assert (found.version_id, found.version, found.options) == (
        back.version_id,
        back.version,
        back.options,
    )
    versions = store.read_now(lambda c: list_model_versions(c, model))
    assert [each.digest for each in versions] == ["two", "one"]
    assert store.read_now(lambda c: find_model_version(c, second.version_id)).options == {
        "url": "two"
    }


def test_registering_again_changes_only_what_is_given(store: Store, task_id: int) -> None:
    first = store.write_now(
        lambda c: register_model(c, task_id=task_id, name="mine", now=1.0, tags=("a",), about="x")
    )
    again = store.write_now(
        lambda c: register_model(c, task_id=task_id, name="mine", now=5.0, published=True)
    )
    add_version(store, first, "one")

    model = store.read_now(lambda c: list_models(c, task_id))[0]
    assert again == first
    assert (model.tags, model.about, model.published, model.created) == (("a",), "x", True, 1.0)


def test_what_is_decided(store: Store, task_id: int) -> None:
    model_id = store.write_now(lambda c: register_model(c, task_id=task_id, name="mine", now=1.0))
    add_version(store, model_id, "one")

    store.write_now(lambda c: set_model(c, model_id, retired=9.0, anonymous=True))

    model = store.read_now(lambda c: find_model(c, task_id, "mine"))
    assert (model.retired, model.anonymous, model.published) == (9.0, True, False)
    assert store.read_now(lambda c: find_model(c, task_id, model.key)) == model
