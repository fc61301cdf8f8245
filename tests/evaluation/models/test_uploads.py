"""Uploaded predictions: read in every shape, checked to the last id, answered from in runs."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.models import AddedModel, ModelVersion
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.runs.predictions import run_predictions, uploaded_path
from palaver.evaluation.scoring import uploads
from palaver.evaluation.tasks import builtin_task, ensure_task
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.jobs import jobs_of_runs
from palaver.storage.evaluation.models import find_model_version, list_models
from palaver.storage.evaluation.predictions import read_predictions
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.scores import scores_of_runs

NOW = 1_700_000_200.0
LABELS = ("entailed", "neutral", "contradictory")


def lines(name: str, key: str = "uid", labels: tuple[str, ...] = LABELS) -> list[dict[str, str]]:
    return [{key: f"{name}-a{n}", "label": label} for n, label in enumerate(labels, 1)]


def jsonl(records: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def upload(
    home: EvaluationHome, row: StoredTask, task: Task, files: dict[str, Any], **given: Any
) -> AddedModel:
    return add_predictions(home, row, task, name="mine", files=files, now=NOW, **given)


def both() -> dict[str, bytes]:
    return {name: jsonl(lines(name)) for name in ("first", "second")}


def dataset(home: EvaluationHome, row: StoredTask, name: str) -> Dataset:
    return home.store.read_now(lambda c: find_dataset(c, row.id, name))


def version(home: EvaluationHome, added: AddedModel) -> ModelVersion:
    return home.store.read_now(lambda c: find_model_version(c, added.version_id))


def answers(home: EvaluationHome, added: AddedModel, on: Dataset) -> list[Any]:
    """What the run of a model on a data set has for answers."""
    listed = home.store.read_now(lambda c: list_runs(c, task_id=on.task_id))
    wanted = (added.version_id, on.version_id)
    (run,) = (e for e in listed if (e.model_version_id, e.dataset_version_id) == wanted)
    return [{"id": each.uid, **(each.answer or {})} for each in run_predictions(home, run)]


@pytest.mark.usefixtures("two_sets")
def test_a_file_per_scoring_set_makes_a_model_with_its_runs(
    home: EvaluationHome, task_row: StoredTask, nli: Task, tmp_path: Path
) -> None:
    file = tmp_path / "first-predictions.jsonl"
    file.write_bytes(jsonl(list(reversed(lines("first")))))

    added = upload(home, task_row, nli, {"first": file, "second": jsonl(lines("second", "id"))})

    assert added.kind == "predictions"
    assert added.notes == ()
    named = home.store.read_now(lambda c: list_runs(c, task_id=task_row.id))
    assert [each.dataset for each in named] == ["first", "second"]
    first = dataset(home, task_row, "first")
    assert set(added.options) == {
        first.digest,
        dataset(home, task_row, "second").digest,
    }
    assert [each["label"] for each in answers(home, added, first)] == list(LABELS)


@pytest.mark.usefixtures("two_sets")
@pytest.mark.parametrize("shape", ["pretty", "array", "bom", "crlf"])
def test_every_shape_of_json_is_read_to_its_last_record(
    home: EvaluationHome, task_row: StoredTask, nli: Task, shape: str
) -> None:
    records = lines("first", "id")
    content = {
        "pretty": "\n".join(json.dumps(each, indent=2) for each in records).encode(),
        "array": json.dumps(records).encode(),
        "bom": b"\xef\xbb\xbf" + jsonl(records),
        "crlf": jsonl(records).replace(b"\n", b"\r\n"),
    }[shape]

    added = upload(home, task_row, nli, {**both(), "first": content})

    assert len(answers(home, added, dataset(home, task_row, "first"))) == 3


@pytest.mark.usefixtures("two_sets")
@pytest.mark.parametrize(
    ("records", "told"),
    [
        (lines("first")[:2], "no answer to 'first-a3'"),
        ([*lines("first"), lines("first")[0]], ":4: 'first-a1' was already answered in line 1"),
        ([*lines("first"), {"uid": "x", "label": "neutral"}], ":4: the data set has no item 'x'"),
        ([{"label": "neutral"}, *lines("first")], ":1: the record has no 'uid'"),
        (
            lines("first", labels=("entailed", "maybe", "neutral")),
            ":2: Answer to first-a2: 'label'",
        ),
        (
            [{**lines("first")[0], "prob": dict.fromkeys(LABELS, 0.5)}, *lines("first")[1:]],
            ":1: Answer to first-a1: 'prob': the probabilities add up to 1.5",
        ),
    ],
)
def test_what_is_wrong_is_named_with_line_and_id_and_nothing_is_stored(
    home: EvaluationHome,
    task_row: StoredTask,
    nli: Task,
    tmp_path: Path,
    records: list[dict[str, Any]],
    told: str,
) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_bytes(jsonl(records))

    with pytest.raises(InputError) as failed:
        upload(home, task_row, nli, {**both(), "first": file})

    assert f"{file}" in str(failed.value)
    assert told in str(failed.value)
    assert home.store.read_now(lambda c: list_models(c, task_row.id)) == []


@pytest.mark.usefixtures("two_sets")
def test_a_truncated_file_is_named_with_its_line(
    home: EvaluationHome, task_row: StoredTask, nli: Task
) -> None:
    with pytest.raises(InputError, match="predictions for first:3"):
        upload(home, task_row, nli, {**both(), "first": jsonl(lines("first"))[:-4]})


@pytest.mark.usefixtures("two_sets")
def test_a_missing_scoring_set_is_refused_or_noted(
    home: EvaluationHome, task_row: StoredTask, nli: Task
) -> None:
    first = {"first": both()["first"]}

    with pytest.raises(InputError, match=r"missing for second: .* --partial"):
        upload(home, task_row, nli, first)
    added = upload(home, task_row, nli, first, partial=True)

    assert added.notes == ()
    assert added.outlook is not None
    assert (added.outlook.covered, added.outlook.missing) == (("first",), ("second",))
    assert len(added.runs) == 1
    second = dataset(home, task_row, "second")
    with pytest.raises(InputError, match="No predictions were uploaded for this version"):
        uploaded_path(version(home, added), second)


@pytest.mark.usefixtures("two_sets")
def test_a_later_file_joins_the_earlier_ones(
    home: EvaluationHome, task_row: StoredTask, nli: Task
) -> None:
    upload(home, task_row, nli, {"first": both()["first"]}, partial=True)

    added = upload(home, task_row, nli, {"second": both()["second"]})

    assert (added.version, added.notes) == (2, ())
    assert len(added.options) == 2
    assert not upload(home, task_row, nli, both()).is_new


@pytest.mark.usefixtures("two_sets")
def test_predictions_for_a_set_that_does_not_count_are_kept_and_said_to_wait(
    home: EvaluationHome, task_row: StoredTask, nli: Task, tmp_path: Path
) -> None:
    add_dataset(
        home, task_row, nli, name="second", source=str(tmp_path / "second.jsonl"),
        access="standard", now=NOW,
    )  # fmt: skip

    added = upload(home, task_row, nli, both())

    assert len(added.runs) == 1
    assert "palaver evaluate nli --model mine --dataset second" in added.notes[0]


def test_an_unknown_data_set(
    home: EvaluationHome, task_row: StoredTask, nli: Task, two_sets: list[str]
) -> None:
    with pytest.raises(InputError, match=r"No data set 'frist' is stored here\. Near: 'first'"):
        upload(home, task_row, nli, {"frist": b""})


def test_files_are_for_the_data_sets_that_their_names_become(
    home: EvaluationHome, task_row: StoredTask, nli: Task, two_sets: list[str], tmp_path: Path
) -> None:
    source = str(tmp_path / "second.jsonl")
    add_dataset(home, task_row, nli, name="third_set", source=source, now=NOW)
    answers = jsonl(lines("second"))

    added = upload(home, task_row, nli, {**both(), "third_set": answers})
    assert len(added.runs) == 3
    with pytest.raises(InputError, match="Two files are for the data set 'third-set'"):
        upload(home, task_row, nli, {"third-set": answers, "third_set": answers})


def test_an_uploaded_span_need_not_stand_in_its_context(
    home: EvaluationHome, tmp_path: Path
) -> None:
    row = home.store.write_now(lambda c: ensure_task(c, "qa", now=NOW))
    task = builtin_task("qa")
    record = {"uid": "1", "context": "Lisbon is wet.", "question": "What?", "answer": "Lisbon"}
    (tmp_path / "qa.jsonl").write_text(json.dumps({**record, "tags": []}), encoding="utf-8")
    add_dataset(home, row, task, name="qa", source=str(tmp_path / "qa.jsonl"), now=NOW)

    added = add_predictions(
        home, row, task, name="mine", files={"qa": b'{"id": "1", "answer": "lisboa"}'}, now=NOW
    )

    found = answers(home, added, dataset(home, row, "qa"))
    assert found == [{"id": "1", "answer": "lisboa"}]


@pytest.mark.usefixtures("two_sets")
def test_runs_are_done_and_scored_when_the_upload_returns_without_a_row_per_answer(
    home: EvaluationHome, task_row: StoredTask, nli: Task
) -> None:
    added = upload(home, task_row, nli, both())

    listed = home.store.read_now(lambda c: list_runs(c, task_id=task_row.id))
    assert [(run.state, run.answered, run.items) for run in listed] == [("done", 3, 3)] * 2
    assert [run.state for run in added.due] == ["done", "done"]
    for run in listed:
        assert home.store.read_now(lambda c: list(read_predictions(c, run.id))) == []  # noqa: B023
        scores = home.store.read_now(lambda c: scores_of_runs(c, [run.id]))  # noqa: B023
        known = {each.metric: each.value for each in scores}
        assert known["accuracy"] == 1 / 3
        assert known["throughput"] is None
        jobs = home.store.read_now(lambda c: jobs_of_runs(c, [run.id]))  # noqa: B023
        assert [(job.kind, job.state) for job in jobs] == [("answer", "done")]


@pytest.mark.usefixtures("two_sets")
def test_the_job_of_a_large_upload_finds_the_same_scores(
    home: EvaluationHome, task_row: StoredTask, nli: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = upload(home, task_row, nli, both())
    monkeypatch.setattr(uploads, "MOST_ITEMS", 2)
    later = add_predictions(home, task_row, nli, name="later", files=both(), now=NOW)
    assert [run.state for run in later.due] == ["waiting", "waiting"]

    ended = work_through(home, runs=later.due)

    assert [run.state for run in ended] == ["done", "done"]
    for one, other in zip(at_once.due, ended, strict=True):
        found = home.store.read_now(lambda c: scores_of_runs(c, [one.id, other.id], rows=True))  # noqa: B023
        mine, theirs = (
            {each.metric: replace(each, run_id=0) for each in found if each.run_id == run.id}
            for run in (one, other)
        )
        assert mine == theirs


@pytest.mark.usefixtures("two_sets")
def test_a_file_that_was_changed_in_the_object_store_is_not_scored(
    home: EvaluationHome, task_row: StoredTask, nli: Task
) -> None:
    added = upload(home, task_row, nli, both())
    path = uploaded_path(version(home, added), dataset(home, task_row, "first"))
    home.objects.put(path, home.objects.read(path).replace(b"neutral", b"entailed"))

    with pytest.raises(InputError, match="is not what was uploaded"):
        run_predictions(home, added.due[0])
