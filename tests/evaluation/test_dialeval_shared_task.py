"""A shared task: which runs are found, how they are compared, and what keeps one off the board."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from palaver.analysis.kendall import kendall
from palaver.analysis.tukey import randomised_tukey
from palaver.core.errors import InputError
from palaver.core.serial import plain
from palaver.evaluation.dialeval.baselines import baseline, oracles
from palaver.evaluation.dialeval.runs import find_runs, language_of
from palaver.evaluation.dialeval.shared_task import SharedTask, read_teams, score_shared_task
from palaver.evaluation.standings.boards import MeasureBoard
from support.dialeval import EXAMPLES, dialogue, examples, gold, plain_scores, prediction, write

TRUTH = [
    dialogue(
        f"d{n}",
        "chc",
        ("CNUG0 HNUG CNaN", n % 3, 1, 0),
        ("CNUG0 HNUG* CNUG*", 2, -1, n % 2),
        ("CNUG HNUG CNaN", -2, n % 3 - 2, 0),
    )
    for n in range(12)
]
GOLD = gold(TRUTH)


def run(tilt: float) -> list[Any]:
    """Predictions that lean by `tilt` towards each first label, on some dialogues more."""
    return [prediction(each, tilt * (1 + n % 3)) for n, each in enumerate(TRUTH)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "runs/TUA1/run0/nugget_en.json", run(1.0))
    write(tmp_path / "runs/TUA1/run1/nugget_en.json", run(0.1))
    write(tmp_path / "runs/RSLDE/run0/both.en.json", run(40.0))
    return tmp_path


def measured(task: SharedTask, board: int, measure: str) -> MeasureBoard:
    return next(each for each in task.boards[board].measures if each.measure == measure)


def test_a_board_for_every_task_and_language(folder: Path) -> None:
    write(
        folder / "runs/RSLDE/run0/nd-cn.json",
        [{"id": e["id"], "nugget": e["nugget"]} for e in run(1)],
    )
    task = score_shared_task(folder, GOLD, trials=50)
    assert [(board.key, board.title) for board in task.boards] == [
        ("nugget-chinese", "Nugget detection, Chinese"),
        ("nugget-english", "Nugget detection, English"),
        ("quality-english", "Dialogue quality, English"),
    ]
    assert [len(board.runs) for board in task.boards] == [1, 3, 3]
    assert task.is_complete
    assert "only one run" in task.boards[0].warnings[0]
    assert measured(task, 0, "jsd").tukey is None
    assert "not enough runs" in measured(task, 0, "jsd").answer


def test_matrices_hold_every_dialogue_of_every_run(folder: Path) -> None:
    task = score_shared_task(folder, GOLD, trials=50)
    board = task.boards[0]
    assert board.runs == ("RSLDE-run0", "TUA1-run0", "TUA1-run1")
    for measure in ("jsd", "rnss"):
        expected = [
            [plain_scores(truth, run(tilt)[n])[measure] for tilt in (40.0, 1.0, 0.1)]
            for n, truth in enumerate(TRUTH)
        ]
        assert np.allclose(measured(task, 0, measure).matrix, expected, atol=1e-12)


def test_runs_are_ranked_and_compared_by_the_analysis_functions(folder: Path) -> None:
    task = score_shared_task(folder, GOLD, trials=300, seed=7)
    found = measured(task, 0, "jsd")
    means = found.matrix.mean(axis=0)
    assert [each.estimate.value for each in found.results] == pytest.approx(sorted(means))
    assert [each.rank for each in found.results] == [1, 2, 3]
    assert found.tukey is not None
    again = randomised_tukey(found.matrix, list(task.boards[0].runs), trials=300, seed=7)
    assert found.tukey.pairs == again.pairs
    (tau,) = task.boards[0].taus
    order = {each.run: each.estimate.value for each in measured(task, 0, "rnss").results}
    x = [each.estimate.value for each in found.results]
    y = [order[each.run] for each in found.results]
    assert tau.found.tau.value == pytest.approx(scipy.stats.kendalltau(x, y).statistic)
    assert tau.found == kendall(x, y, seed=7)


def test_runs_that_cannot_be_told_apart_stand_in_one_set(folder: Path) -> None:
    write(folder / "runs/TWIN/run0/nugget_en.json", run(1.0))
    found = measured(score_shared_task(folder, GOLD, trials=500), 0, "jsd")
    ranks = {each.run: each.rank for each in found.results}
    assert ranks["TUA1-run0"] == ranks["TWIN-run0"]
    assert any({"TUA1-run0", "TWIN-run0"} <= set(names) for names in found.sets)
    assert {name for names in found.sets for name in names} == set(ranks)


def test_an_invalid_file_is_listed_and_does_not_stop_the_others(folder: Path) -> None:
    bad = run(2.0)
    bad[3]["nugget"][1]["HNUG"] = -1
    del bad[5]
    write(folder / "runs/BAD/run0/sub_en.json", bad)
    (folder / "runs/BAD/run1").mkdir()
    (folder / "runs/BAD/run1/broken.json").write_text("{")
    task = score_shared_task(folder, GOLD, trials=50)
    assert not task.is_complete
    assert [(each.name, each.is_used) for each in task.rejected] == [
        ("BAD-run0", False),
        ("BAD-run1", False),
    ]
    assert len(task.rejected[0].faults) == 2
    assert "is not JSON" in task.rejected[1].faults[0]
    assert all("BAD-run0" not in board.runs for board in task.boards)


def test_a_lenient_board_uses_the_rest_and_says_so(folder: Path) -> None:
    bad = run(2.0)
    bad[3]["nugget"][1]["HNUG"] = -1
    del bad[5]
    write(folder / "runs/BAD/run0/sub_en.json", bad)
    task = score_shared_task(folder, GOLD, lenient=True, trials=50)
    assert task.is_complete
    found = {each.run: each for each in measured(task, 0, "jsd").results}
    assert found["BAD-run0"].estimate.n == 10
    assert found["TUA1-run0"].estimate.n == 12
    tukey = measured(task, 0, "jsd").tukey
    assert tukey is not None
    assert tukey.topics == 10
    said = " ".join(task.boards[0].warnings)
    assert "BAD-run0 has no score on 2 dialogues" in said
    assert "leaves out up to 2 of 12 dialogues" in said


def test_the_oracle_is_marked_whatever_it_is_called(folder: Path) -> None:
    entries = [
        {"id": e.id, "nugget": e.nugget, "quality": e.quality} for e in baseline("popularity", GOLD)
    ]
    write(folder / "runs/Baseline/run2/popularity_en.json", entries)
    task = score_shared_task(folder, GOLD, baselines=["uniform"], trials=50)
    marked = {each.run for each in measured(task, 0, "jsd").results if each.is_oracle}
    assert marked == {"Baseline-run2"}
    assert "baseline-uniform" in task.boards[0].runs
    assert "Baseline-run2" not in {n for names in measured(task, 0, "jsd").sets for n in names}
    assert any(
        "Baseline-run2 hands in the labels of the gold" in warning
        for warning in task.boards[0].warnings
    )
    without = score_shared_task(folder, GOLD, test_oracles=False, trials=50).boards[0].measures[0]
    (oracle,) = [each for each in without.results if each.run == "Baseline-run2"]
    assert not oracle.is_ranked
    assert sorted(each.rank for each in without.results if each.is_ranked) == [1, 2, 3]
    assert without.tukey is not None
    assert "Baseline-run2" not in without.tukey.means


def test_dialogues_that_nobody_can_be_scored_on(tmp_path: Path) -> None:
    truth = [*TRUTH, dialogue("mute", "c", ("CNUG", 0, 0, 0))]
    for n in range(2):
        entries = [*run(n), prediction(truth[-1])]
        write(tmp_path / f"A/run{n}/x.json", entries)
    board = score_shared_task(tmp_path, gold(truth), trials=50).boards[0]
    assert board.key == "nugget"
    assert any("1 dialogues have no score in any run" in warning for warning in board.warnings)
    assert board.measures[0].results[0].estimate.n == 12


def test_the_same_seed_gives_the_same_json(folder: Path) -> None:
    one, other = (plain(score_shared_task(folder, GOLD, trials=50)) for _ in range(2))
    assert one == other
    assert json.loads(json.dumps(one, allow_nan=False)) == one


def test_runs_are_found_in_their_natural_order(tmp_path: Path) -> None:
    for name in ("B/run10", "B/run9", "A/run0", "A/notes", ".hidden/run0", "out"):
        write(tmp_path / name / "x.json", [])
    write(tmp_path / "stray.json", [])
    assert [each.name for each in find_runs(tmp_path)] == ["A-run0", "B-run9", "B-run10"]


def test_a_folder_without_runs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no runs"):
        find_runs(tmp_path)
    with pytest.raises(InputError, match="There is no folder"):
        find_runs(tmp_path / "gone")


@pytest.mark.parametrize(
    ("stem", "language"),
    [
        ("nugget_english_test", "english"),
        ("quality-cn", "chinese"),
        ("NUGGET_CHINESE", "chinese"),
        ("sentences", ""),
        ("submission1209", ""),
        ("en2", "english"),
    ],
)
def test_the_language_is_a_word_of_the_name(stem: str, language: str) -> None:
    assert language_of(stem) == language


def test_two_languages_in_one_name_and_two_files_for_one_task(folder: Path) -> None:
    write(folder / "runs/X/run0/en_cn.json", run(1))
    write(folder / "runs/Y/run0/a_en.json", run(1))
    write(folder / "runs/Y/run0/b_en.json", run(1))
    task = score_shared_task(folder, GOLD, trials=50)
    assert [each.file for each in task.rejected] == [
        "X/run0/en_cn.json",
        "Y/run0/a_en.json",
        "Y/run0/b_en.json",
    ]
    assert "says both chinese and english" in task.rejected[0].faults[0]
    assert task.rejected[1].faults[0].startswith("b_en.json of this run contains ND")
    assert task.rejected[2].faults[1].startswith("a_en.json of this run contains DQ")
    assert all("Y-run0" not in board.runs for board in task.boards)
    lenient = score_shared_task(folder, GOLD, trials=50, lenient=True)
    assert all("Y-run0" not in board.runs for board in lenient.boards)


def teams(folder: Path, text: str) -> Any:
    (folder / "teams.yaml").write_text(text, encoding="utf-8")
    return read_teams(folder)


def test_teams_may_be_described(folder: Path) -> None:
    assert read_teams(folder) == {}
    text = "- {team: TUA1, affiliation: Tokushima, link: https://example.org, subtasks: [nd, dq]}"
    found = teams(folder, text)["TUA1"]
    assert (found.affiliation, found.subtasks) == ("Tokushima", "nd, dq")
    assert teams(folder, f"teams:\n  {text}") == teams(folder, text)
    task = score_shared_task(folder, GOLD, trials=50)
    assert [each.team for each in task.teams] == ["TUA1", "RSLDE"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- {team: A}\n- {team: A}", "names the team 'A' twice"),
        ("- {team: A, link: 'javascript:alert(1)'}", "should begin with https"),
        ("- {affiliation: A}", "missing required field"),
        ("- {team: A, colour: red}", "unknown field"),
        ("hello", "a list of teams"),
        ("- {team: [", "is not YAML"),
    ],
)
def test_what_is_wrong_with_a_list_of_teams(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        teams(tmp_path, text)


@pytest.mark.skipif(not EXAMPLES.exists(), reason="the shared examples are not here")
def test_the_taus_of_dialeval_2() -> None:
    """τ(RSNOD, NMD) of the ten Chinese DQ runs of DialEval-2, from their published means."""
    means = examples()["dialeval2_chinese_dq_means_65"]
    for scale, tau in (("A", 0.689), ("S", 0.644), ("E", 0.778)):
        found = kendall(means[f"rsnod-{scale}"], means[f"nmd-{scale}"])
        assert found.tau.value == pytest.approx(tau, abs=5e-4)


def test_ranks_of_runs_without_any_score(tmp_path: Path) -> None:
    entries = copy.deepcopy(run(1))
    for each in entries:
        each["nugget"][0] = {}
    write(tmp_path / "A/run0/x.json", entries)
    write(tmp_path / "A/run1/x.json", run(1))
    task = score_shared_task(tmp_path, GOLD, lenient=True, trials=50)
    last = measured(task, 0, "jsd").results[-1]
    assert last.run == "A-run0"
    assert math.isnan(last.rank)
    assert plain(last)["rank"] is None


def test_what_belongs_to_no_run_is_listed(folder: Path) -> None:
    write(folder / "runs/late.json", run(1))
    (folder / "runs/README.md").write_text("How to hand in")
    (folder / "runs/TUA1/.DS_Store").write_text("")
    write(folder / "runs/TUA1/forgotten.json", run(1))
    (folder / "runs/TUA1/run0/notes.txt").write_text("")
    write(folder / "runs/TUA1/run0/old/nugget_en.json", run(1))
    (folder / "runs/TUA1/run3").mkdir()
    write(folder / "runs/TUA1/final/nugget_en.json", run(1))
    (folder / "runs/NOBODY").mkdir()
    write(folder / "gold.json", TRUTH)  # lies beside `runs`, not among the teams
    task = score_shared_task(folder, GOLD, trials=20)
    assert [(each.path, each.is_suspect) for each in task.stray] == [
        ("NOBODY", True),
        ("TUA1/final", True),
        ("TUA1/forgotten.json", True),
        ("TUA1/run0/notes.txt", False),
        ("TUA1/run0/old", True),
        ("TUA1/run3", True),
        ("late.json", True),
    ]
    assert task.stray[0].reason == "is a team without a run"
    assert task.stray[5].reason == "is a run without a JSON file"
    assert not task.is_complete
    assert plain(task)["stray"][3]["suspect"] is False


def test_notes_alone_leave_a_shared_task_complete(folder: Path) -> None:
    (folder / "runs/TUA1/run0/notes.txt").write_text("")
    task = score_shared_task(folder, GOLD, trials=20)
    assert len(task.stray) == 1
    assert task.is_complete


def test_known_files_among_the_teams_are_not_strays(tmp_path: Path) -> None:
    write(tmp_path / "A/run0/x.json", run(1))
    truth = write(tmp_path / "gold.json", TRUTH)
    (tmp_path / "results").mkdir()
    known = [truth, tmp_path / "results"]
    assert score_shared_task(tmp_path, GOLD, trials=20, known=known).stray == ()


def test_who_hands_in_the_annotations_themselves_is_an_oracle(folder: Path) -> None:
    entries = [
        {"id": entry.id, "nugget": entry.nugget, "quality": entry.quality}
        for entry in oracles(GOLD)[1]
    ]
    write(folder / "runs/LUCKY/run0/nugget_en.json", entries)
    board = score_shared_task(folder, GOLD, trials=50).boards[0]
    best = board.measures[0].results[0]
    assert (best.run, best.is_oracle) == ("LUCKY-run0", True)
    assert best.estimate.value == pytest.approx(0, abs=1e-12)


def test_teams_of_baselines(folder: Path) -> None:
    write(folder / "runs/Baseline/run0/nugget_en.json", run(3.0))
    task = score_shared_task(folder, GOLD, baselines=["uniform"], trials=50, test_baselines=False)
    jsd = task.boards[0].measures[0]
    assert {each.run for each in jsd.results if each.is_baseline} == {
        "Baseline-run0",
        "baseline-uniform",
    }
    assert jsd.tukey is not None
    assert set(jsd.tukey.means) == {"RSLDE-run0", "TUA1-run0", "TUA1-run1"}
    (folder / "teams.yaml").write_text("- {team: Baseline}\n- {team: TUA1, baseline: true}\n")
    told = score_shared_task(folder, GOLD, trials=50).boards[0].measures[0]
    assert {each.run for each in told.results if each.is_baseline} == {"TUA1-run0", "TUA1-run1"}


def test_two_runs_with_the_same_predictions_are_pointed_out(folder: Path) -> None:
    write(folder / "runs/TWIN/run0/nugget_en.json", run(1.0))
    board = score_shared_task(folder, GOLD, trials=50).boards[0]
    assert board.identical == (("TUA1-run0", "TWIN-run0"),)
    assert any("have the same score on all dialogues" in each for each in board.warnings)
