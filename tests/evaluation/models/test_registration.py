"""Adding models: versions by content, runs planned with them, files kept for whoever runs them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.models import AddedModel, ModelVersion
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.serial import plain
from palaver.core.tasks import Task
from palaver.evaluation.datasets import read_examples
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.models.predictors import build_model
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.models.starter import write_starter
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.models import find_model, find_model_version, list_models, set_model
from palaver.storage.evaluation.runs import list_runs

NOW = 1_700_000_100.0
HANDLER = {"handler": "handler:Handler"}


@pytest.fixture
def folder(tmp_path: Path, nli: Task) -> Path:
    """A starter's folder."""
    write_starter("mine", nli, tmp_path / "mine")
    return tmp_path / "mine"


def add(
    home: EvaluationHome, row: StoredTask, task: Task, folder: Path | None = None, **given: Any
) -> AddedModel:
    known: dict[str, Any] = {"name": "mine", "kind": "handler", "options": HANDLER, "now": NOW}
    return add_model(home, row, task, folder=folder, **{**known, **given})


def version(home: EvaluationHome, added: AddedModel) -> ModelVersion:
    return home.store.read_now(lambda c: find_model_version(c, added.version_id))


@pytest.mark.usefixtures("two_sets")
def test_a_new_model_gets_a_run_on_every_scoring_set(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path
) -> None:
    added = add(home, task_row, nli, folder, about="Ours.", tags=["small"], published=True)

    assert added.is_new
    assert added.version == 1
    named = home.store.read_now(lambda c: list_runs(c, task_id=task_row.id))
    assert [(each.model, each.dataset) for each in named] == [("mine", "first"), ("mine", "second")]
    assert list(added.runs) == [each.key for each in named]
    stored = home.store.read_now(lambda c: find_model(c, task_row.id, "mine"))
    assert (stored.about, stored.tags, stored.published) == ("Ours.", ("small",), True)


@pytest.mark.usefixtures("two_sets")
def test_the_same_again_is_no_new_version_and_keeps_what_was_told(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path
) -> None:
    first = add(home, task_row, nli, folder, about="Ours.", published=True)

    again = add(home, task_row, nli, folder, link="https://x.example")

    assert not again.is_new
    assert again.version == first.version
    assert again.runs == ()
    assert (again.about, again.link) == ("Ours.", "https://x.example")
    assert again.published


@pytest.mark.usefixtures("two_sets")
def test_changed_code_is_a_new_version_and_going_back_counts_again(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path
) -> None:
    first = add(home, task_row, nli, folder)
    code = folder / "handler.py"
    before = code.read_text(encoding="utf-8")
    code.write_text(before + "\n# changed\n", encoding="utf-8")
    second = add(home, task_row, nli, folder)
    code.write_text(before, encoding="utf-8")
    back = add(home, task_row, nli, folder)

    assert (second.is_new, second.version, len(second.runs)) == (True, 2, 2)
    assert not back.is_new
    # Nobody had begun them: the second version cancelled them, and now they are due again.
    assert back.runs == first.runs
    assert back.version_id == first.version_id
    assert "It was version 1 before; now it is version 3" in back.notes[0]


def test_a_model_runs_from_the_files_that_were_kept(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path, two_sets: list[str]
) -> None:
    added = add(home, task_row, nli, folder)
    (folder / "handler.py").unlink()
    dataset = home.store.read_now(lambda c: find_dataset(c, task_row.id, two_sets[0]))
    example = read_examples(home, nli, dataset)[0]

    async def answered() -> Any:
        predictor = build_model(home, version(home, added))
        await predictor.start()
        try:
            return (await predictor.predict([nli.question(example)]))[0].record
        finally:
            await predictor.close()

    record = asyncio.run(answered())

    assert nli.read_answer(record, example, strict=True).values["label"] == "entailed"
    assert added.folder == f"models/nli/mine/{added.digest[:16]}"
    assert home.objects.exists(f"{added.folder}/handler.py")


def test_secrets_are_stored_as_they_were_written(
    home: EvaluationHome, task_row: StoredTask, nli: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "do-not-store-me")
    options = {"url": "http://x.example", "headers": {"Authorization": "Bearer ${MODEL_KEY}"}}

    added = add(home, task_row, nli, kind="http", options=options)

    stored = home.store.read_now(lambda c: find_model(c, task_row.id, "mine"))
    assert stored.options == options
    assert "do-not-store-me" not in str(plain(added))
    assert added.folder == ""
    assert added.notes == ()


def test_a_key_that_was_written_down_is_noted(
    home: EvaluationHome, task_row: StoredTask, nli: Task
) -> None:
    options = {"url": "http://x.example", "headers": {"X-Api-Key": "abc", "Accept": "a/b"}}

    added = add(home, task_row, nli, kind="http", options=options)

    assert len(added.notes) == 1
    assert "'X-Api-Key' seems to contain a key" in added.notes[0]
    assert "abc" not in added.notes[0]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"name": "My Model"}, "lower-case letters"),
        ({"kind": "telepathy"}, "No kind of model 'telepathy'"),
        ({"options": {**HANDLER, "concurency": 3}}, "Near: 'concurrency'"),
        ({"kind": "http", "options": {}}, "'url' is missing"),
    ],
)
def test_bad_input_stores_nothing(
    home: EvaluationHome,
    task_row: StoredTask,
    nli: Task,
    folder: Path,
    given: dict[str, Any],
    told: str,
) -> None:
    with pytest.raises(InputError, match=told):
        add(home, task_row, nli, folder, **given)

    assert home.store.read_now(lambda c: list_models(c, task_row.id)) == []


@pytest.mark.usefixtures("two_sets")
def test_model_and_runs_are_stored_together_or_not_at_all(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path
) -> None:
    def broken(*given: Any, **further: Any) -> Any:
        raise RuntimeError("no plan")

    with pytest.raises(RuntimeError, match="no plan"):
        add(home, task_row, nli, folder, plan=broken)

    assert home.store.read_now(lambda c: list_models(c, task_row.id)) == []


@pytest.mark.usefixtures("two_sets")
def test_adding_a_retired_model_brings_it_back(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path
) -> None:
    added = add(home, task_row, nli, folder)
    home.store.write_now(lambda c: set_model(c, added.id, retired=NOW))

    assert add(home, task_row, nli, folder).retired is None


def test_an_unknown_model_is_named_with_what_is_near(
    home: EvaluationHome, task_row: StoredTask, nli: Task, folder: Path
) -> None:
    add(home, task_row, nli, folder)

    with pytest.raises(UnknownNameError, match=r"No model 'mien' is stored here\. Near: 'mine'"):
        home.store.read_now(lambda c: find_model(c, task_row.id, "mien"))
