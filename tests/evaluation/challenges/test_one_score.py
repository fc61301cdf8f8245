"""One file has one score and one interval: locally, on the server, and in the final tables."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from palaver.core.audit import COMMAND
from palaver.core.evaluation.challenge_entries import Entry
from palaver.core.serial import plain
from palaver.evaluation.challenges.board_rows import live_rows
from palaver.evaluation.challenges.entries import submit_file
from palaver.evaluation.challenges.standings import track_board
from palaver.evaluation.challenges.stored import add_challenge, find_challenge
from palaver.evaluation.challenges.teams import add_team, find_team
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.dialeval.gold import count_gold
from palaver.evaluation.dialeval.predictions import read_predictions
from palaver.evaluation.dialeval.scoring import score
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.formats.dch2 import read_dch2
from palaver.metrics.registry import find_metric
from support.challenges import FINAL, TEST, Cup, answers
from support.dialeval import CUSTOMER, HELPDESK, POINTS, STC3, TRUTH, write
from support.runs import NOW

DEV = STC3 / "stc3_dev_en.jsonl"
# What the official scorer calls a measure, and what the hosted tasks call it.
NUGGETS = {"jsd": "nugget_jsd", "rnss": "nugget_rnss"}
QUALITY = {f"{name}-{scale}": f"{name}-{scale}" for scale in "ASE" for name in ("rsnod", "nmd")}

FILE = """\
name: dialeval
title: DialEval
tracks:
  nugget: {title: Nuggets, task: dialogue-nugget, data: {final: dev}}
  quality: {title: Quality, task: dialogue-quality, data: {final: dev}}
phases:
  final: {title: Final, submissions: 10, final: true, scores: everybody}
registration: {approval: false}
"""


def handed_in(home: EvaluationHome, folder: Path, truth: Path, files: list[Path]) -> list[Entry]:
    """The files as runs of one team, on both tracks."""
    for name in ("dialogue-nugget", "dialogue-quality"):
        task = home.store.write_now(lambda c: ensure_task(c, name, now=NOW))  # noqa: B023
        add_dataset(
            home, task, stored_task(task), name="dev", source=str(truth), access="hidden", now=NOW
        )
    (folder / "challenge.yaml").write_text(FILE, encoding="utf-8")
    add_challenge(home, folder / "challenge.yaml", by=COMMAND, now=NOW)
    row = home.store.read_now(lambda c: find_challenge(c, "dialeval"))
    made = home.store.write_now(lambda c: add_team(c, row, team="Otters", by=COMMAND, now=NOW))
    team = home.store.read_now(lambda c: find_team(c, row, made.id))
    return [
        submit_file(home, row, team, track=track, run=n, content=file, name=file.name, now=NOW + n)
        for track in ("nugget", "quality")
        for n, file in enumerate(files, start=1)
    ]


def predicted(truth: list[dict[str, Any]], seed: int) -> list[dict[str, Any]]:
    """Some answers to dialogues, none of them a round number."""
    chance = Random(seed)

    def shares(labels: list[str]) -> dict[str, float]:
        masses = [chance.random() for _ in labels]
        return {label: mass / sum(masses) for label, mass in zip(labels, masses, strict=True)}

    return [
        {
            "id": str(each["id"]),
            "nugget": [
                shares(CUSTOMER if turn["sender"] == "customer" else HELPDESK)
                for turn in each["turns"]
            ],
            "quality": {scale: shares(POINTS) for scale in "ASE"},
        }
        for each in truth
    ]


def checked(home: EvaluationHome, folder: Path, content: bytes) -> None:
    """Two files have the official scores on the server and in the tables."""
    gold = count_gold(read_dch2(content))
    dialogues = [{"id": each.id, "turns": _turns(each)} for each in read_dch2(content)]
    files = [write(folder / f"run{n}.json", predicted(dialogues, n)) for n in (1, 2)]
    (folder / "truth.json").write_bytes(content)
    entries = handed_in(home, folder, folder / "truth.json", files)
    row = home.store.read_now(lambda c: find_challenge(c, "dialeval"))
    for track, known in (("nugget", NUGGETS), ("quality", QUALITY)):
        live = live_rows(home, row, track, "final", now=NOW)
        board = track_board(home, row, track, "final", trials=20)
        for n, file in enumerate(files, start=1):
            official = score(gold, read_predictions(file.read_bytes(), gold, name=file.name))
            wanted = {ours: official.mean(theirs) for theirs, ours in known.items()}
            (entry,) = (each for each in entries if (each.track, each.run) == (track, n))
            (shown,) = (each for each in live.rows if each.run == n)
            assert _some(entry.scores, wanted) == wanted
            assert {name: shown.scores[name].value for name in wanted} == wanted
            assert _tables(board, f"Otters-run{n}", wanted) == wanted
            ends = {
                ours: plain(official.estimate(theirs).interval) for theirs, ours in known.items()
            }
            told = {name: shown.scores[name] for name in ends}
            assert {name: [each.low, each.high] for name, each in told.items()} == ends
            # Sums over several runs at once differ in the last bit.
            told_apart = _tables(board, f"Otters-run{n}", wanted, of="interval")
            for name, pair in ends.items():
                assert told_apart[name] == pytest.approx(pair, rel=1e-13)


def _turns(dialogue: Any) -> list[dict[str, str]]:
    return [{"sender": turn.sender} for turn in dialogue.turns]


def _some(scores: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {name: scores[name] for name in wanted}


def _tables(
    board: Any, run: str, wanted: Mapping[str, Any], *, of: str = "value"
) -> dict[str, Any]:
    return {
        measure.measure: plain(getattr(result.estimate, of))
        for measure in board.measures
        if measure.measure in wanted
        for result in measure.results
        if result.run == run
    }


def test_a_dialeval_file_has_one_score(local_home: EvaluationHome, tmp_path: Path) -> None:
    checked(local_home, tmp_path, json.dumps(TRUTH).encode())


@pytest.mark.skipif(not DEV.exists(), reason="the shared dialogues are not here")
def test_a_dialeval_file_has_one_score_on_the_development_data(
    local_home: EvaluationHome, tmp_path: Path
) -> None:
    checked(local_home, tmp_path, DEV.read_bytes())


def test_an_nli_file_has_one_score(local_cup: Cup) -> None:
    content = answers(TEST, right=4)
    entry = local_cup.submit(local_cup.team(), content)
    given = [json.loads(line)["label"] for line in content.splitlines()]
    local = find_metric("accuracy").compute(given, [item["label"] for item in TEST]).value

    (scored,) = local_cup.entries(now=FINAL)
    board = track_board(local_cup.home, local_cup.row, "english", "final", trials=20)

    assert (scored.key, scored.scores["accuracy"]) == (entry.key, local)
    (measure,) = (each for each in board.measures if each.measure == "accuracy")
    assert measure.results[0].estimate.value == local
