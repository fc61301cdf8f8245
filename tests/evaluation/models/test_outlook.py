"""What will be ranked of a model that is handed in: the promise, and the board that keeps it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.core.evaluation.models import RankingOutlook
from palaver.evaluation.dynaboards import read_board
from palaver.evaluation.home import evaluation_home
from palaver.evaluation.models.outlook import ranking_outlook
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.submissions import own_submission, submit_predictions
from palaver.evaluation.tasks import add_task, stored_task
from palaver.storage.evaluation.datasets import list_datasets
from palaver.storage.evaluation.submitters import add_submitter
from palaver.storage.evaluation.tasks import find_task
from support.desks import open_desk
from support.dynaboards import Lab, bare
from support.runs import NOW, Bench, records

ITEMS = {"dev": records(4), "test": records(4, start=9), "fairness-dev": records(2)}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with open_desk(tmp_path, studies=False) as desk:
        made = Bench(evaluation_home(tmp_path, desk.store), tmp_path)
        made.dataset("dev", 4)
        made.dataset("test", ITEMS["test"])
        yield made


def weigh(bench: Bench, **weights: float) -> None:
    """Let the file of the task weigh these columns."""
    changed = replace(bench.task, weights=weights)
    bench.home.store.write_now(lambda c: add_task(c, changed, now=NOW))
    bench.row = bench.home.store.read_now(lambda c: find_task(c, "nli"))
    bench.task = stored_task(bench.row)


def upload(bench: Bench, name: str, *datasets: str, partial: bool = False) -> RankingOutlook:
    """Hand in right answers; what is said of them."""
    files = {}
    for dataset in datasets:
        mark = "_x" if "-" in dataset else ""
        lines = [
            json.dumps({"uid": f"{each['uid']}{mark}", "label": each["label"]})
            for each in ITEMS[dataset]
        ]
        files[dataset] = "\n".join(lines).encode()
    added = add_predictions(
        bench.home, bench.row, bench.task,
        name=name, files=files, partial=partial, published=True, now=NOW,
    )  # fmt: skip
    assert added.outlook is not None
    return added.outlook


def ranked(bench: Bench) -> set[str]:
    board = bench.home.store.read_now(lambda c: read_board(c, bench.row, bench.task, draws=0))
    return {each.name for each in board.models}


def test_files_for_every_data_set_are_ranked(bench: Bench) -> None:
    found = upload(bench, "mine", "dev", "test")
    assert found.told == (
        "Covers both scoring data sets: dev and test.",
        "Will be ranked by Accuracy.",
        "It has no throughput or memory, as nothing runs here; on this board these have weight 0 "
        "unless a reader gives them one.",
    )
    assert (found.ranked, found.counts, ranked(bench)) == (True, {"Accuracy": 4}, {"mine"})


def test_a_data_set_that_is_missing_is_named(bench: Bench) -> None:
    alone = upload(bench, "first", "test", partial=True)
    assert alone.told[:3] == (
        "Covers test, not dev.",
        "Will be ranked by Accuracy.",
        "There are no predictions for dev, which counts as soon as a published model has it.",
    )
    assert ranked(bench) == {"first"}
    upload(bench, "whole", "dev", "test")
    found = upload(bench, "mine", "test", partial=True)
    assert found.told[:2] == (
        "Covers test, not dev.",
        "Will not be ranked: there are no predictions for dev.",
    )
    assert (found.covered, found.missing, ranked(bench)) == (("test",), ("dev",), {"whole"})
    upload(bench, "mine", "dev")
    bench.work()
    assert ranked(bench) == {"whole", "mine"}


def test_agreement_counts_as_soon_as_a_published_model_has_it(bench: Bench) -> None:
    bench.variants("dev", "fairness", 2)
    first = upload(bench, "first", "dev", "test")
    assert first.ranked
    assert first.counts == {"Accuracy": 4, "Fairness": 1}
    assert first.remarks[0] == (
        "fairness counts on this board (weight 1) as soon as a published model has it, and there are "
        "no predictions for fairness-dev: hand it in, too"
    )
    whole = upload(bench, "whole", "dev", "test", "fairness-dev")
    assert (whole.ranked, len(whole.remarks)) == (True, 1)
    bench.work()
    late = upload(bench, "late", "dev", "test")
    assert late.told[1] == (
        "Will not be ranked: fairness counts on this board (weight 1), and there are no predictions "
        "for fairness-dev: hand it in, too."
    )
    assert ranked(bench) == {"whole"}


def test_where_speed_counts_uploads_are_told(bench: Bench) -> None:
    weigh(bench, accuracy=4, throughput=1)
    early = upload(bench, "early", "dev", "test")
    said = (
        "throughput counts on this board (weight 1), and predictions that were uploaded have none"
    )
    assert (early.ranked, early.remarks[0], ranked(bench)) == (True, said, {"early"})
    lab = Lab(bench.home.store)
    sets = bench.home.store.read_now(lambda c: list_datasets(c, bench.row.id))
    for each in sets:
        run = lab.run(lab.model("ran"), each.version_id, 4)
        lab.score(run, bare(run.id, "accuracy", 0.5, n=4), bare(run.id, "throughput", 9.0, n=4))
    late = upload(bench, "late", "dev", "test")
    assert late.told[1] == f"Will not be ranked: {said}."
    assert ranked(bench) == {"ran"}


def test_a_model_that_is_asked_covers_everything(bench: Bench) -> None:
    found = bench.home.store.read_now(
        lambda c: ranking_outlook(c, bench.row, bench.task, answered=None)
    )
    assert found.told == (
        "Covers both scoring data sets: dev and test.",
        "Will be ranked, once its runs are done, by Accuracy.",
    )


def test_a_team_is_told_nothing_of_hidden_data(bench: Bench) -> None:
    bench.dataset("secret", 2, access="hidden")
    team = bench.home.store.write_now(
        lambda c: add_submitter(c, task_id=bench.row.id, team="A", now=NOW)
    )
    files = {}
    for name in ("dev", "test"):
        files[name] = bench.folder / f"mine-{name}.jsonl"
        lines = [json.dumps({"uid": each["uid"], "label": "neutral"}) for each in ITEMS[name]]
        files[name].write_text("\n".join(lines), encoding="utf-8")
    added = submit_predictions(
        bench.home, team, bench.row, bench.task, name="ours", files=files, now=NOW
    )
    assert added.outlook is not None
    own = bench.home.store.read_now(lambda c: own_submission(c, team, bench.row, "ours"))
    assert own.outlook.told == added.outlook.told
    assert "secret" not in " ".join(own.outlook.told)


def test_a_task_that_takes_models_alone_refuses_files(bench: Bench) -> None:
    alone = replace(bench.task, takes_predictions=False)
    with pytest.raises(InputError, match="takes no predictions: its file says"):
        add_predictions(bench.home, bench.row, alone, name="x", files={"dev": b""}, now=NOW)
