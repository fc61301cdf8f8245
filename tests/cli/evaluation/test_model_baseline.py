"""`palaver model baseline`: from data to checkpoints, a table, and models of a task."""

import json
from pathlib import Path
from typing import Any

import pytest

from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.tasks import builtin_task, ensure_task
from palaver.models.baselines.fitting import BASELINES
from support.databases import new_sqlite

from ..conftest import Palaver

# Pleasant words and unpleasant ones; the subject says nothing.
GOOD, BAD = ("lovely", "splendid", "clever"), ("dreary", "broken", "careless")
SUBJECTS = ("soup", "play", "room", "song", "walk")


def records(count: int, *, first: int = 0) -> list[dict[str, Any]]:
    found = []
    for n in range(first, first + count):
        words, label = ((GOOD, "positive"), (BAD, "negative"), (BAD, "negative"))[n % 3]
        text = f"the {SUBJECTS[n % 5]} number {n} was {words[n // 3 % 3]}"
        found.append({"uid": str(n), "statement": text, "label": label})
    return found


def write(path: Path, given: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, given)), "utf-8")
    return path


def stored(folder: Path, given: list[dict[str, Any]], *, name: str, access: Any) -> None:
    """A data set of the task `sentiment` in the home of the folder."""
    source = write(folder / f"{name}.jsonl", given)
    url = f"sqlite:///{folder / 'palaver.db'}"
    if not (folder / "palaver.db").exists():
        url = new_sqlite(folder / "palaver.db")
    with open_evaluation(folder, url) as home:
        row = home.store.write_now(lambda c: ensure_task(c, "sentiment", now=1.0))
        task = builtin_task("sentiment")
        add_dataset(home, row, task, name=name, source=str(source), access=access, now=1.0)


def test_a_file_becomes_checkpoints_and_a_table(palaver: Palaver, tmp_path: Path) -> None:
    data = write(tmp_path / "train.jsonl", records(60))
    test = write(tmp_path / "test.jsonl", records(30, first=100))

    said = palaver(
        *("model", "baseline", "sentiment", "--data", str(data), "--test", str(test)),
        *("--only", "majority, ngrams", "-o", "made"),
    )

    assert said.status == 0, said.err
    assert "Learnt from 60 items of train.jsonl, measured on test.jsonl (30 items)." in said.out
    assert "macro_f1 [95 % interval]" in said.out
    # Two of three are negative: of F1 0.8 and 0 the mean; the word decides, so counted words know all.
    rows = {
        line.split()[0]: line for line in said.out.splitlines() if line.startswith(("maj", "ngr"))
    }
    assert "0.4000 [" in rows["majority"]
    assert "1.0000" in rows["ngrams"]
    assert "palaver model add sentiment majority --kind checkpoint" in said.out
    assert (tmp_path / "made" / "ngrams" / "weights.safetensors").is_file()
    assert not (tmp_path / "made" / "averages").exists()
    card = (tmp_path / "made" / "ngrams" / "README.md").read_text("utf-8")
    assert "file `items of train.jsonl`" in card
    assert "Measured once, on `items of test.jsonl`." in card


def test_without_other_data_a_tenth_is_taken_out_first(palaver: Palaver, tmp_path: Path) -> None:
    data = write(tmp_path / "train.jsonl", records(60))

    said = palaver(
        "model", "baseline", "sentiment", "--data", str(data), "--only", "majority", "--json"
    )

    found = json.loads(said.out)
    assert (found["learnt_from"], found["measured_on"]) == ("train.jsonl", "a tenth of train.jsonl")
    (only,) = found["baselines"]
    assert (only["kind"], only["n"]) == ("majority", 6)
    assert only["checkpoint"] == "sentiment-baselines/majority"
    settings = json.loads((tmp_path / only["checkpoint"] / "settings.json").read_text("utf-8"))
    assert settings["measured"]["note"]["counts"] == {"examples counted": 54}


def test_added_ones_are_models_that_a_run_asks(palaver: Palaver, tmp_path: Path) -> None:
    """From a stored data set that does not count, onto the board of one that does."""
    stored(tmp_path, records(30, first=100), name="board", access="scoring")
    stored(tmp_path, records(60), name="training", access="standard")

    said = palaver("model", "baseline", "sentiment", "--only", "majority,ngrams", "--add")
    ran = palaver("evaluate", "sentiment", "--dataset", "board")
    shown = palaver("model", "show", "sentiment", "ngrams", "--json")

    assert said.status == 0, said.err
    assert "measured on a tenth of training" in said.out
    assert "Note:" not in said.out
    assert "Added to sentiment: majority, ngrams." in said.out
    assert ran.status == 0, ran.out + ran.err
    sheet = json.loads(shown.out)
    assert sheet["kind"] == "checkpoint"
    assert sheet["about"] == "Baseline: a linear classifier over counted words."
    (run,) = [each for each in sheet["runs"] if each["dataset"] == "board"]
    assert (run["state"], run["answered"]) == ("done", 30)
    assert run["performance"]["value"] > 0.9


def test_learning_from_what_counts_on_the_board_is_told(palaver: Palaver, tmp_path: Path) -> None:
    stored(tmp_path, records(60), name="board", access="scoring")

    said = palaver("model", "baseline", "sentiment", "--only", "majority")
    same = palaver(
        *("model", "baseline", "sentiment", "--data", "board.jsonl", "--test", "board"),
        *("--only", "majority", "-o", "again"),
    )

    assert "Note: board counts on the board of sentiment" in said.out
    assert "60 of the 60 items of board are asked in board.jsonl as well" in same.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ["vqa"],
            "No baseline fits the task 'vqa': not majority, ngrams or averages, because 'ans",
        ),
        (["advice", "--only", "ngrams"], "The baseline ngrams does not fit the task 'advice'"),
        (["sentiment"], "There is nothing to learn 'sentiment' from. Give --data FILE, or add a"),
        (["sentiment", "--data", "none.jsonl"], "There is no file none.jsonl"),
        (["sentiment", "--data", "few.jsonl"], "4 different examples are too few: a tenth is held"),
        (["sentiment", "--data", "twice.jsonl"], "twice.jsonl:2: the uid '1' is used twice"),
        (
            ["sentiment", "--data", "broken.jsonl"],
            "broken.jsonl:1: Item 1: 'label': expected one of",
        ),
        (["sentiment", "--data", "other.jsonl"], "palaver dataset add sentiment NAME other.jsonl"),
    ],
    ids=lambda given: given[-1] if isinstance(given, list) else "",
)
def test_what_is_in_the_way_is_told(
    arguments: list[str], told: str, palaver: Palaver, tmp_path: Path
) -> None:
    write(tmp_path / "few.jsonl", records(4))
    write(tmp_path / "twice.jsonl", [{**each, "uid": "1"} for each in records(2)])
    write(tmp_path / "broken.jsonl", [{**records(1)[0], "uid": "1", "label": "so-so"}])
    write(tmp_path / "other.jsonl", [{"sentence": "it rains", "gold": "neutral"}])

    said = palaver("model", "baseline", *arguments)

    assert said.status == 1
    assert told in said.err
    assert "Traceback" not in said.err


def passages(count: int, *, words: int) -> list[dict[str, Any]]:
    """Questions whose answers are spans of so many words."""
    found = []
    for n in range(count):
        told = [f"w{k * n % 7}" for k in range(40)]
        answer = " ".join(told[5 : 5 + words])
        passage = {"uid": str(n), "context": " ".join([*told, f"no {n}"]), "question": "What?"}
        found.append({**passage, "answer": answer})
    return found


def test_one_that_finds_nothing_to_learn_keeps_no_other_from_being_made(
    palaver: Palaver, tmp_path: Path
) -> None:
    data = write(tmp_path / "long.jsonl", passages(20, words=30))
    command = ("model", "baseline", "qa", "--data", str(data))

    said = palaver(*command, "--only", "majority,ngrams")
    alone = palaver(*command, "--only", "ngrams", "-o", "alone")

    assert said.status == 0, said.err
    assert "majority" in said.out.partition("not made")[0]
    assert "ngrams: not made: None of 16 examples can be learnt: no right span" in said.out
    assert "--option checkpoint=qa-baselines/majority" in said.out
    assert not (tmp_path / "qa-baselines" / "ngrams").exists()
    assert alone.status == 1
    assert "None of 16 examples can be learnt" in alone.err


def test_another_model_of_that_name_is_not_replaced(palaver: Palaver, tmp_path: Path) -> None:
    stored(tmp_path, records(60), name="training", access="standard")
    service = ("--url", "http://127.0.0.1:9/", "--kind", "torchserve", "--option", "model=x")
    palaver("model", "add", "sentiment", "majority", *service, "--later")
    baseline = ("model", "baseline", "sentiment", "--only", "majority")

    refused = palaver(*baseline, "--add")
    made = palaver(*baseline)
    shown = palaver("model", "show", "sentiment", "majority", "--json")

    assert refused.status == 1
    assert "sentiment has another model called 'majority', which the baseline would" in refused.err
    assert made.status == 0
    assert [version["kind"] for version in json.loads(shown.out)["versions"]] == ["torchserve"]


def test_what_is_there_is_replaced_only_where_that_is_asked(
    palaver: Palaver, tmp_path: Path
) -> None:
    data = write(tmp_path / "train.jsonl", records(60))
    command = ("model", "baseline", "sentiment", "--data", str(data), "--only", "majority")
    palaver(*command)
    card = tmp_path / "sentiment-baselines" / "majority" / "README.md"
    card.write_text("changed by hand", "utf-8")

    refused = palaver(*command)
    kept = card.read_text("utf-8")
    replaced = palaver(*command, "--overwrite")

    assert refused.status == 1
    assert "is there already. Give --overwrite" in refused.err
    assert kept == "changed by hand"
    assert replaced.status == 0
    assert card.read_text("utf-8").startswith("# majority")


def test_without_the_extra_one_sentence_says_what_to_install(
    palaver: Palaver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(_: str) -> Any:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(BASELINES, "get", missing)
    data = write(tmp_path / "train.jsonl", records(60))

    said = palaver("model", "baseline", "sentiment", "--data", str(data))

    assert said.status == 1
    assert "A baseline needs the extra 'torch': pip install 'palaver[torch]'" in said.err
