"""What a checkpoint of somebody else may not do to the machine that it is tried on."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, SystemFailureError
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.tasks import builtin_task, ensure_task, stored_task
from palaver.models.baselines.examples import write_examples
from palaver.models.baselines.fitting import BaselinePlan, gold_example, layout_of, make_baseline
from palaver.models.training.progress import Silence
from palaver.systems.build import build_predictor
from support.databases import new_sqlite

SECRET = "the key of the house"
NOW = 1_700_000_000.0


@pytest.fixture(scope="module")
def averages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baseline of sentiment that learnt from a few sentences."""
    folder, task = tmp_path_factory.mktemp("averages"), builtin_task("sentiment")
    labels = ("positive", "negative")
    records = [
        {"uid": str(n), "statement": f"{labels[n % 2]} word {n}", "label": labels[n % 2]}
        for n in range(20)
    ]
    examples = [gold_example(task, task.read_example(each)) for each in records]
    write_examples(folder / "train.jsonl", layout_of(task), examples)
    small = {"words": {"buckets": 64}, "vectors": {"width": 4}, "training": {"epochs": 1}}
    plan = BaselinePlan(
        kind="averages", train=folder / "train.jsonl", folder=folder / "made", options=small
    )
    make_baseline(plan, Silence())
    return folder / "made"


def changed(folder: Path, made: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A copy of a checkpoint with other settings."""
    folder.mkdir()
    for path in made.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    settings = json.loads((folder / "settings.json").read_text("utf-8"))
    change(settings)
    (folder / "settings.json").write_text(json.dumps(settings), "utf-8")
    return folder


async def asked(folder: Path) -> None:
    model = build_predictor(
        "checkpoint", {"checkpoint": str(folder), "device": "cpu", "retries": 0}, folder=folder
    )
    try:
        await model.start()
        await model.predict([{"uid": "1", "statement": "a word"}])
    finally:
        await model.close()


@pytest.mark.parametrize(
    ("section", "option"), [("words", "buckets"), ("vectors", "width")], ids=str
)
def test_a_recipe_that_asks_for_all_memory_is_refused_by_its_weights(
    section: str, option: str, averages: Path, tmp_path: Path
) -> None:
    def change(settings: dict[str, Any]) -> None:
        settings["recipe"][section][option] = 10**12

    folder = changed(tmp_path / "large", averages, change)

    with pytest.raises(SystemFailureError, match="the recipe and the weights do not fit"):
        asyncio.run(asked(folder))


def test_what_a_link_leads_to_is_not_kept_with_the_model(averages: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(SECRET, "utf-8")
    folder = changed(tmp_path / "linked", averages, lambda _: None)
    (folder / "notes.txt").symlink_to(tmp_path / "key")
    with open_evaluation(tmp_path / "home", new_sqlite(tmp_path / "palaver.db")) as home:
        row = home.store.write_now(lambda c: ensure_task(c, "sentiment", now=NOW))

        with pytest.raises(
            InputError, match=r"notes\.txt leads to a file outside of the checkpoin"
        ):
            add_model(
                home,
                row,
                stored_task(row),
                name="linked",
                kind="checkpoint",
                options={"checkpoint": str(folder)},
                now=NOW,
            )

        kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
        assert not [path for path in kept if SECRET.encode() in path.read_bytes()]
