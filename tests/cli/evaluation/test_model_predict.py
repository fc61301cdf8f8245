"""`palaver model predict`: what a checkpoint answers, as a file that other commands take."""

import importlib.util
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from palaver.models.checkpoints.folder import write_checkpoint
from palaver.models.recipe import Recipe
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from support.helpdesk import CPU, helpdesk_dialogues, helpdesk_file, lines_file, tiny_recipe

from ..conftest import Palaver

LABELS = ("positive", "negative", "negative")


def statements(count: int) -> list[dict[str, Any]]:
    """What is said of food; every third is pleasant, which a word says."""
    words = ("lovely", "dreary", "burnt")
    return [
        {"uid": f"s{n}", "statement": f"the soup {n} was {words[n % 3]}", "label": LABELS[n % 3]}
        for n in range(count)
    ]


def helpdesk_model(folder: Path, recipe: Recipe) -> Path:
    """A checkpoint that judges help-desk dialogues."""
    data = helpdesk_file(folder.with_suffix(".jsonl"), 20)
    train(TrainingPlan(recipe=recipe, train=(data,), folder=folder, device=CPU))
    return folder


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models of help-desk dialogues, one of nuggets and one of quality."""
    folder = tmp_path_factory.mktemp("models")
    short = {"epochs": 1}
    for name, kind in (("nugget", "dialeval-turns"), ("quality", "dialeval-bilstm")):
        helpdesk_model(folder / name, tiny_recipe(kind, data={"tasks": name}, training=short))
    return folder


@pytest.fixture
def baselines(palaver: Palaver, tmp_path: Path) -> Path:
    """Baselines of the task `sentiment`."""
    data = lines_file(tmp_path / "train.jsonl", statements(60))
    said = palaver(
        *("model", "baseline", "sentiment", "--data", str(data), "-o", "baselines"),
        *("--only", "majority,ngrams"),
    )
    assert said.status == 0, said.err
    return tmp_path / "baselines"


def predictions(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_checkpoints_of_both_tasks_make_one_submission(
    palaver: Palaver, models: Path, tmp_path: Path
) -> None:
    data = lines_file(tmp_path / "dev.jsonl", helpdesk_dialogues(4, seed=2))
    both = [str(models / "nugget"), str(models / "quality")]

    said = palaver("model", "predict", *both, str(data), "-o", "out/both.json", "--json")

    told = json.loads(said.out)
    assert told == {
        "output": "out/both.json",
        "items": 4,
        "noun": "dialogue",
        "next": f"palaver score dialeval --gold {data} --pred out/both.json",
    }
    entries = json.loads((tmp_path / "out" / "both.json").read_text())
    assert [set(each) for each in entries] == [{"id", "nugget", "quality"}] * 4
    scored = palaver("score", "dialeval", "--gold", str(data), "--pred", "out/both.json")
    assert scored.status == 0, scored.err
    assert scored.out.startswith("both.json: 4 dialogues")


def test_the_file_that_is_answered_is_not_written_over(
    palaver: Palaver, models: Path, tmp_path: Path
) -> None:
    data = lines_file(tmp_path / "dev set.jsonl", helpdesk_dialogues(2))
    before = data.read_bytes()
    (tmp_path / "link").symlink_to(data)
    asked = ("model", "predict", str(models / "nugget"), "dev set.jsonl", "-o")

    for output in ("dev set.jsonl", "link"):
        said = palaver(*asked, output)
        assert (said.status, said.out) == (1, "")
        assert f"{output} is the file that is answered, and stays." in said.err
    assert data.read_bytes() == before

    said = palaver(*asked, "my answers.json")
    command = said.out.partition("Next: palaver ")[2]
    assert palaver(*shlex.split(command)).status == 0


def test_a_baseline_answers_the_file_of_its_task(
    palaver: Palaver, baselines: Path, tmp_path: Path
) -> None:
    asked = [{key: each[key] for key in ("uid", "statement")} for each in statements(6)]
    data = lines_file(tmp_path / "asked.jsonl", asked)

    said = palaver("model", "predict", str(baselines / "ngrams"), str(data), "-o", "said.jsonl")

    assert said.out == (
        "6 items of asked.jsonl answered: said.jsonl\n\n"
        "Next: palaver model add sentiment NAME --predictions DATASET=said.jsonl\n"
    )
    found = predictions(tmp_path / "said.jsonl")
    assert [(each["id"], each["label"]) for each in found] == [
        (each["uid"], each["label"]) for each in statements(6)
    ]
    lines_file(tmp_path / "gold.jsonl", statements(6))
    added = palaver("dataset", "add", "sentiment", "gold", "gold.jsonl", "--home", "home")
    assert added.status == 0, added.err
    ran = palaver(
        *("model", "add", "sentiment", "words", "--predictions", "gold=said.jsonl"),
        *("--home", "home", "--json"),
    )
    assert ran.status == 0, ran.err
    assert json.loads(ran.out)["results"][0]["performance"]["value"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["sentiment/ngrams"], 2, "Missing argument"),
        (["none", "asked.jsonl"], 2, "Directory 'none' does not exist."),
        (["baselines/ngrams", "none.jsonl"], 2, "File 'none.jsonl' does not exist."),
        (["baselines", "asked.jsonl"], 1, "baselines is no checkpoint: it has no settings.json."),
        (["deal", "asked.jsonl"], 1, "deal holds a model of kind 'deal-talk', which does not fit"),
        (["baselines/ngrams", "bare.jsonl"], 1, "bare.jsonl:1: Item 1: 'statement' is missing."),
        (["baselines/ngrams", "empty.jsonl"], 1, "empty.jsonl has no items."),
        (["baselines/ngrams", "asked.jsonl", "--task", "sentment"], 1, "Near: 'sentiment'"),
        (
            ["baselines/majority", "baselines/majority", "asked.jsonl"],
            1,
            "'majority', whose answers are not averaged. Give it alone.",
        ),
        (
            ["baselines/ngrams", "baselines/majority", "asked.jsonl"],
            1,
            "cannot answer as one. Give checkpoints of one kind.",
        ),
        (["NUGGET", "asked.jsonl"], 1, "asked.jsonl: "),
        (["NUGGET", "broken.jsonl"], 1, "broken.jsonl is not a DCH-2 data set"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_what_is_in_the_way_is_told(
    arguments: list[str],
    status: int,
    told: str,
    palaver: Palaver,
    baselines: Path,
    models: Path,
    tmp_path: Path,
) -> None:
    lines_file(tmp_path / "asked.jsonl", statements(2))
    lines_file(tmp_path / "bare.jsonl", [{"uid": "1"}])
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "broken.jsonl").write_text("<dialogue>")
    write_checkpoint(
        tmp_path / "deal", settings={"model": "deal-talk", "recipe": {}}, words={"words": []}
    )
    given = [str(models / "nugget") if each == "NUGGET" else each for each in arguments]

    said = palaver("model", "predict", *given, "-o", "out.jsonl")

    assert (said.status, said.out) == (status, "")
    assert told in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "out.jsonl").exists()


def test_without_the_extra_one_sentence_says_what_to_install(
    palaver: Palaver, models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = lines_file(tmp_path / "dev.jsonl", helpdesk_dialogues(1))
    there = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *_: None if name == "torch" else there(name)
    )

    said = palaver("model", "predict", str(models / "nugget"), str(data), "-o", "out.json")

    assert said.status == 1
    assert "a checkpoint needs the extra 'torch': pip install 'palaver[torch]'" in said.err
