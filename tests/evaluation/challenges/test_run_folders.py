"""The runs of a DialEval challenge as folders: scored as a shared task they say the same sentences."""

import json
from pathlib import Path
from typing import Any

from palaver.core.audit import COMMAND
from palaver.evaluation.challenges.closing import write_runs
from palaver.evaluation.challenges.entries import submit_file
from palaver.evaluation.challenges.standings import track_board
from palaver.evaluation.challenges.stored import add_challenge, find_challenge
from palaver.evaluation.challenges.teams import add_team, find_team
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.dialeval.shared_task import score_shared_task
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import ensure_task, stored_task
from support.challenges import FINAL
from support.dialeval import dialogue, gold, prediction
from support.runs import NOW

TRUTH = [
    dialogue(
        f"d{n}",
        "chch",
        ("CNUG0 HNUG CNUG HNUG*", n % 5 - 2, 1, 0),
        ("CNUG HNUG* CNaN HNaN", -(n % 3), 0, n % 2),
    )
    for n in range(14)
]
FILE = """\
name: eval
tracks:
  nugget: {task: dialogue-nugget, language: en, data: test}
  quality: {task: dialogue-quality, language: en, data: test}
phases: {final: {closes: 2026-12-01 AoE, scores: own, final: true}}
runs: 12
final_runs: 12
"""


def hold(home: EvaluationHome, folder: Path) -> None:
    """The challenge, with three teams that hand in official files with both tasks in each."""
    data = folder / "test.json"
    data.write_text(json.dumps(TRUTH), encoding="utf-8")
    for task in ("dialogue-nugget", "dialogue-quality"):
        row = home.store.write_now(lambda c, task=task: ensure_task(c, task, now=NOW))
        add_dataset(
            home, row, stored_task(row), name="test", source=str(data), access="hidden", now=NOW
        )
    (folder / "challenge.yaml").write_text(FILE, encoding="utf-8")
    add_challenge(home, folder / "challenge.yaml", by=COMMAND, now=NOW)
    for n, name in enumerate(["team10", "team2", "équipe & co"]):
        for run in (1, 2, 10) if n == 0 else (1,):
            _submit(home, name, run, tilt=0.2 + n + run / 3, baseline=n == 2)


def _submit(home: EvaluationHome, name: str, run: int, *, tilt: float, baseline: bool) -> None:
    row = home.store.read_now(lambda c: find_challenge(c, "eval"))

    def join(connection: Any) -> Any:
        if run == 1:
            add_team(connection, row, team=name, is_baseline=baseline, by=COMMAND, now=NOW)
        return find_team(connection, row, name)

    team = home.store.write_now(join)
    entries = [prediction(each, tilt * (1 + n % 2)) for n, each in enumerate(TRUTH)]
    content = json.dumps(entries).encode()
    for track in ("nugget", "quality"):
        submit_file(
            home, row, team, track=track, run=run, content=content, name="run.json", now=FINAL
        )


def _official(name: str) -> str:
    """The name of a task's measure in a shared task."""
    return name.removeprefix("nugget_")


def test_the_folder_is_scored_to_the_same_sentences(
    local_home: EvaluationHome, tmp_path: Path
) -> None:
    hold(local_home, tmp_path)
    row = local_home.store.read_now(lambda c: find_challenge(c, "eval"))

    written = write_runs(local_home, row, tmp_path / "runs")
    shared = score_shared_task(tmp_path / "runs", gold(TRUTH), trials=300, seed=1)

    assert "team10/run10/nugget_en.json" in written
    assert shared.rejected == ()
    assert [board.key for board in shared.boards] == ["nugget-english", "quality-english"]
    for board in shared.boards:
        track = board.key.removesuffix("-english")
        held = track_board(local_home, row, track, "final", trials=300, seed=1)
        assert sorted(held.runs) == sorted(board.runs)
        hosted = {_official(measure.measure): measure for measure in held.measures}
        assert hosted.keys() >= board.answers.keys()
        for theirs in board.measures:
            ours = hosted[theirs.measure]
            assert ours.answer == theirs.answer
            assert [(r.run, r.rank, r.is_baseline) for r in ours.results] == [
                (r.run, r.rank, r.is_baseline) for r in theirs.results
            ]
            for one, other in zip(ours.results, theirs.results, strict=True):
                assert abs(one.estimate.value - other.estimate.value) < 1e-12
