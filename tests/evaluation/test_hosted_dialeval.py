"""One file, one score, one verdict: the hosted DialEval tasks and `palaver score` and `sharedtask`."""

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.evaluation.boards import Board
from palaver.core.evaluation.tasks import StoredTask
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.dialeval.gold import read_gold
from palaver.evaluation.dialeval.predictions import read_predictions
from palaver.evaluation.dialeval.scoring import Scores, score
from palaver.evaluation.dialeval.shared_task import score_shared_task
from palaver.evaluation.dynaboards import Boards, read_board
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.models.uploads import add_predictions, check_predictions
from palaver.evaluation.tasks import builtin_task, ensure_task, stored_task
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.scores import scores_of_runs
from support.databases import new_sqlite
from support.dialeval import EXAMPLES, TRUTH, examples, prediction, write
from support.shared import SHARED

NOW = 1_700_000_000.0
DEV = SHARED / "data" / "dialeval" / "stc3_dev_en.jsonl"
# Our measures by the task's keys.
MEASURES = {
    "dialogue-nugget": {"nugget_jsd": "jsd", "nugget_rnss": "rnss"},
    "dialogue-quality": {f"{m}-{s}": f"{m}-{s}" for m in ("rsnod", "nmd") for s in "ASE"},
}
EVEN, TILTED = ([prediction(each, tilt) for each in TRUTH] for tilt in (0.0, 3.0))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[EvaluationHome]:
    with open_evaluation(tmp_path / "home", new_sqlite(tmp_path / "palaver.db")) as home:
        yield home


def hosted(home: EvaluationHome, task: str, gold: Path, runs: Mapping[str, Path]) -> StoredTask:
    """The task with the gold data and every run, scored."""
    row = home.store.write_now(lambda c: ensure_task(c, task, now=NOW))
    add_dataset(home, row, stored_task(row), name="dev", source=str(gold), now=NOW)
    for name, file in runs.items():
        files = {"dev": file}
        add_predictions(
            home, row, stored_task(row), name=name, files=files, published=True, now=NOW
        )
    work_through(home)
    return row


def hosted_scores(home: EvaluationHome, row: StoredTask, model: str) -> dict[str, float | None]:
    (run,) = [
        each
        for each in home.store.read_now(lambda c: list_runs(c, task_id=row.id))
        if each.model == model
    ]
    assert run.state == "done", run.reason
    found = home.store.read_now(lambda c: scores_of_runs(c, [run.id]))
    return {each.metric: each.value for each in found}


def official(gold: Path, file: Path) -> Scores:
    data = read_gold(gold)
    found = read_predictions(file.read_bytes(), data)
    found.raise_faults()
    return score(data, found)


def board_of(home: EvaluationHome, row: StoredTask) -> Board:
    return home.store.read_now(lambda c: read_board(c, row, stored_task(row), public=True))


def check_same(home: EvaluationHome, task: str, gold: Path, runs: Path) -> None:
    """Hosted, scored alone and as a shared task: the same numbers and the same sentences."""
    files = {f"{run.parent.parent.name}-{run.parent.name}": run for run in runs.glob("*/*/*.json")}
    named = {name.lower(): file for name, file in files.items()}
    row = hosted(home, task, gold, named)
    shared = score_shared_task(runs, read_gold(gold))
    key = "nugget" if task == "dialogue-nugget" else "quality"
    (track,) = [each for each in shared.boards if key in each.key]
    board = board_of(home, row)
    by_measure = {measure.measure: measure for measure in track.measures}
    for name, file in files.items():
        mine, alone = hosted_scores(home, row, name.lower()), official(gold, file)
        for own, theirs in MEASURES[task].items():
            (result,) = [each for each in by_measure[theirs].results if each.run == name]
            assert mine[own] == alone.mean(theirs) == result.estimate.value
    verdicts = {each.measure: each.answer for each in board.verdicts}
    for own, theirs in MEASURES[task].items():
        assert verdicts[own] == _lower(by_measure[theirs].answer, files)
    assert not board.pending


def _lower(sentence: str, files: Mapping[str, Path]) -> str:
    """Names of models are written small."""
    for name in files:
        sentence = sentence.replace(name, name.lower())
    return sentence


@pytest.mark.parametrize("task", MEASURES)
@pytest.mark.skipif(not EXAMPLES.exists(), reason="the shared examples are not here")
def test_the_worked_example_is_scored_alike(
    home: EvaluationHome, tmp_path: Path, task: str
) -> None:
    example = examples()["dialogue_level"]
    gold = write(tmp_path / "gold.json", example["truth"])
    write(tmp_path / "runs" / "A" / "run0" / "a_en.json", example["pred"])
    check_same(home, task, gold, tmp_path / "runs")
    row = home.store.read_now(lambda c: ensure_task(c, task, now=NOW))
    found = hosted_scores(home, row, "a-run0")
    if task == "dialogue-nugget":
        assert found["nugget_jsd"] == pytest.approx(0.155661377, abs=1e-9)
        assert found["nugget_rnss"] == pytest.approx(0.270517124, abs=1e-9)
    else:
        assert found["rsnod"] == pytest.approx((0.236054385 + 0.322604076 + 0.234387431) / 3)
        assert found["nmd-A"] == pytest.approx(0.16875)


@pytest.mark.parametrize("task", MEASURES)
@pytest.mark.skipif(not DEV.exists(), reason="the shared dialogues are not here")
def test_335_real_dialogues_are_scored_alike(
    home: EvaluationHome, tmp_path: Path, task: str
) -> None:
    dice = random.Random(7)
    dialogues = [json.loads(line) for line in DEV.read_text().splitlines()]

    def near(counts: dict[str, int], noise: float) -> dict[str, float]:
        # Sums that are not 1, as those of files whose padding was cut off.
        return {label: 0.997 * (n / 19 + noise * dice.random()) for label, n in counts.items()}

    for team, noise in (("A", 0.3), ("B", 0.305), ("C", 0.9)):
        entries = [
            {
                "id": each["id"],
                "nugget": [near(counts, noise) for counts in each["nugget"]],
                "quality": {scale: near(c, noise) for scale, c in each["quality"].items()},
            }
            for each in dialogues
        ]
        write(tmp_path / "runs" / team / "run0" / "sub_en.json", entries)
    check_same(home, task, DEV, tmp_path / "runs")


def test_a_board_by_one_measure_has_the_lowest_distance_first_and_no_dynascore(
    home: EvaluationHome, tmp_path: Path
) -> None:
    gold = write(tmp_path / "gold.json", TRUTH)
    files = {
        name: write(tmp_path / f"{name}.json", entries)
        for name, entries in (("even", EVEN), ("tilted", TILTED))
    }
    row = hosted(home, "dialogue-nugget", gold, files)
    board = board_of(home, row)
    assert board.ranking == "measure"
    assert [metric.key for metric in board.metrics] == ["nugget_jsd", "nugget_rnss"]
    assert [metric.digits for metric in board.metrics] == [4, 4]
    assert [each.name for each in board.models] == ["tilted", "even"]
    first, second = (each.averages["nugget_jsd"].value for each in board.models)
    assert first is not None
    assert second is not None
    assert first < second
    assert all(each.dynascore.value is None for each in board.models)
    assert board.models[0].averages["nugget_jsd"].interval
    with pytest.raises(InputError, match="ranks by Nugget JSD alone: it takes no weights"):
        home.store.read_now(
            lambda c: read_board(c, row, stored_task(row), metric_weights={"nugget_jsd": 2})
        )


def test_a_verdict_that_takes_long_is_computed_beside_and_kept(
    home: EvaluationHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaver.evaluation.dynaboards.verdicts.QUICK", 0)
    gold = write(tmp_path / "gold.json", TRUTH)
    files = {
        name: write(tmp_path / f"{name}.json", entries)
        for name, entries in (("even", EVEN), ("tilted", TILTED))
    }
    row = hosted(home, "dialogue-nugget", gold, files)
    boards = Boards(draws=50)
    boards.verdicts.trials = 200

    def read() -> Board:
        return home.store.read_now(lambda c: boards.read(c, row, stored_task(row), public=True))

    first = read()
    assert first.pending
    assert first.answer == "Which models differ is being computed"
    assert [each.name for each in first.models] == ["tilted", "even"]
    boards.verdicts.wait()
    later = read()
    assert not later.pending
    assert later.verdicts
    assert later.answer == later.verdicts[0].answer


FAULTS = [
    ("d1", "nugget", 1, {"CNUG0": 1.0}, "turn 2 (helpdesk): expected a probability for HNUG"),
    ("d3", "nugget", 3, {"HNUG": float("nan")}, "turn 4 (helpdesk): 'HNUG': a probability must be"),
    ("d2", "nugget", 0, {"PAD": 1.0}, "turn 1 (customer): 'PAD' is not a label: leave it out"),
]


@pytest.mark.parametrize(("dialogue", "key", "turn", "given", "problem"), FAULTS)
def test_faults_of_an_upload_name_dialogue_turn_and_key(
    dialogue: str, key: str, turn: int, given: dict[str, float], problem: str
) -> None:
    task = builtin_task("dialogue-nugget")
    entries: list[Any] = json.loads(json.dumps(EVEN))
    next(each for each in entries if each["id"] == dialogue)[key][turn] = given
    items = [task.read_example(_record(each)) for each in TRUTH]
    for content in (json.dumps(entries), "\n".join(map(json.dumps, entries))):
        with pytest.raises(InputError) as refused:
            check_predictions(task, items, content.encode(), name="sub.json")
        assert f"Answer to {dialogue}: 'nugget': {problem}" in str(refused.value)
        assert "1 problem; nothing was stored" in str(refused.value)


def _record(dialogue: dict[str, Any]) -> dict[str, Any]:
    said = [{"speaker": turn["sender"], "text": "…"} for turn in dialogue["turns"]]
    nugget = [
        dict.fromkeys({each["nugget"][n] for each in dialogue["annotations"]}, 1)
        for n in range(len(said))
    ]
    return {"uid": dialogue["id"], "turns": said, "nugget": nugget}
