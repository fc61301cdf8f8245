"""Answers from checkpoints: to the tasks' questions, as submissions, alone and as an ensemble."""

import json
from pathlib import Path

import pytest
import torch

from palaver.core.errors import InputError
from palaver.evaluation.dialeval.gold import count_gold
from palaver.evaluation.dialeval.predictions import read_predictions
from palaver.evaluation.tasks.builtin import builtin_task
from palaver.formats.dch2 import read_dch2
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, open_checkpoint
from palaver.models.dialeval.answers import JudgedShares, without_least
from palaver.models.dialeval.dialogues import read_dialogues
from palaver.models.dialeval.kinds import DialEvalTurns, network_of
from palaver.models.dialeval.responder import DialEvalResponder, write_predictions
from palaver.models.faces import RESPONDERS
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from support.helpdesk import CPU, helpdesk_dialogues, helpdesk_file, lines_file, tiny_recipe

KINDS = ["dialeval-bilstm", "dialeval-turns"]


def trained(folder: Path, kind: str = "dialeval-turns", **sections: object) -> Checkpoint:
    """A checkpoint of an epoch or two."""
    sections = {"training": {"epochs": 1}, **sections}
    plan = TrainingPlan(
        recipe=tiny_recipe(kind, **sections),
        train=(helpdesk_file(folder / "train.jsonl", 20),),
        folder=folder / kind,
        device=CPU,
    )
    return train(plan).checkpoint


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return trained(tmp_path_factory.mktemp("ensemble"), members=2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_answers_both_tasks(kind: str, tmp_path: Path) -> None:
    responder = RESPONDERS.get(kind)([trained(tmp_path, kind)], CPU)
    dialogues = helpdesk_dialogues(3, seed=2)
    for name in ("dialogue-nugget", "dialogue-quality"):
        task = builtin_task(name)
        examples = [
            task.read_example(
                {
                    "uid": each["id"],
                    "turns": [
                        {"speaker": turn["sender"], "text": turn["utterances"][0]}
                        for turn in each["turns"]
                    ],
                    "nugget": each["nugget"],
                    **each["quality"],
                }
            )
            for each in dialogues
        ]
        answered = responder.answer([task.question(each) for each in examples])
        for record, example in zip(answered, examples, strict=True):
            answer = task.read_answer(record, example)
            assert set(answer.values) == {target.name for target in task.targets}


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_loads_as_it_was_saved(kind: str, tmp_path: Path) -> None:
    checkpoint = trained(tmp_path, kind)
    test = helpdesk_file(tmp_path / "test.jsonl", 5, seed=3)
    again = open_checkpoint(checkpoint.folder)
    assert write_predictions([again], test) == write_predictions([checkpoint], test)
    for name, weight in network_of(again).state_dict().items():
        assert torch.equal(weight, checkpoint.weights()[name])


def test_a_submission_is_valid_with_labels_and_without(
    ensemble: Checkpoint, tmp_path: Path
) -> None:
    lines = helpdesk_dialogues(4, seed=2)
    path = lines_file(tmp_path / "labelled.jsonl", lines)
    said = write_predictions([ensemble], path)
    gold = count_gold(read_dch2(path.read_bytes()))
    predictions = read_predictions(json.dumps(said).encode(), gold)
    assert (predictions.tasks, predictions.faults) == (("nd", "dq"), ())
    test = lines_file(tmp_path / "t.jsonl", [{k: e[k] for k in ("id", "turns")} for e in lines])
    assert write_predictions([ensemble], test) == said


def test_an_ensemble_says_the_mean_of_its_members(ensemble: Checkpoint, tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "test.jsonl", 3, seed=2)
    together = write_predictions([ensemble], path)
    alone = [write_predictions([member], path) for member in ensemble.members]
    assert len(alone) == 2
    for record, one, other in zip(together, *alone, strict=True):
        for label, share in record["nugget"][0].items():
            mean = (one["nugget"][0][label] + other["nugget"][0][label]) / 2
            assert share == pytest.approx(mean)
        assert one["quality"]["A"] != other["quality"]["A"]


def test_an_ensemble_is_tested_together(ensemble: Checkpoint, tmp_path: Path) -> None:
    path = helpdesk_file(tmp_path / "test.jsonl", 6, seed=2)
    figures = {
        each.name: each.value for each in DialEvalTurns.ensemble_test(ensemble.members, [path], CPU)
    }
    alone = [
        {each.name: each.value for each in DialEvalTurns.ensemble_test([member], [path], CPU)}
        for member in ensemble.members
    ]
    # The distances are convex, so the mean of two is at most as far away as they are on average.
    assert figures["jsd"] <= (alone[0]["jsd"] + alone[1]["jsd"]) / 2
    assert figures["jsd"] not in (alone[0]["jsd"], alone[1]["jsd"])


def test_small_shares_of_a_scale_become_nothing(tmp_path: Path) -> None:
    shares = torch.tensor([[[0.5, 0.4, 0.07, 0.02, 0.01], [0.2] * 5, [0.0, 1.0, 0, 0, 0]]])
    nugget = torch.tensor([[[0.98, 0.01, 0.01, 0.0]]])
    found = without_least(JudgedShares(nugget, shares), 0.05)
    assert found.quality is not None
    assert found.quality[0, 0].tolist() == pytest.approx(
        [0.5 / 0.97, 0.4 / 0.97, 0.07 / 0.97, 0, 0]
    )
    assert found.quality[0, 1].tolist() == pytest.approx([0.2] * 5)
    assert found.nugget is nugget
    # A scale that is undecided between more points than the bound allows keeps its largest.
    undecided = without_least(JudgedShares(None, shares), 0.9).quality
    assert undecided is not None
    assert undecided[0, 0].tolist() == [1, 0, 0, 0, 0]


def test_the_recipe_says_which_shares_become_nothing(tmp_path: Path) -> None:
    checkpoint = trained(tmp_path, answers={"least_share": 0.2})
    path = helpdesk_file(tmp_path / "test.jsonl", 4, seed=2)
    points = [
        share
        for record in write_predictions([checkpoint], path)
        for shares in record["quality"].values()
        for share in shares.values()
    ]
    assert 0 in points
    assert all(share == 0 or share >= 0.2 for share in points)


def test_one_task_alone_is_answered_alone(tmp_path: Path) -> None:
    checkpoint = trained(tmp_path, data={"tasks": "quality"})
    (record,) = write_predictions([checkpoint], helpdesk_file(tmp_path / "t.jsonl", 1, seed=2))
    assert set(record) == {"id", "quality"}


def test_a_network_for_nuggets_and_one_for_quality_answer_together(tmp_path: Path) -> None:
    parts = []
    for task in ("nugget", "quality"):
        (tmp_path / task).mkdir()
        parts.append(trained(tmp_path / task, data={"tasks": task}))
    path = helpdesk_file(tmp_path / "t.jsonl", 2, seed=2)
    together = write_predictions(parts, path)
    for record, nugget, quality in zip(
        together,
        write_predictions(parts[:1], path),
        write_predictions(parts[1:], path),
        strict=True,
    ):
        assert record == {**nugget, **quality}


def test_no_question_has_no_answer(ensemble: Checkpoint) -> None:
    assert DialEvalResponder([ensemble], CPU).answer([]) == []


def test_another_kind_of_checkpoint_is_refused(ensemble: Checkpoint) -> None:
    other = Checkpoint(folder=ensemble.folder, model="deal-talk", recipe={})
    with pytest.raises(CheckpointError, match="holds a model of kind 'deal-talk', which does not"):
        DialEvalResponder([other], CPU)
    with pytest.raises(InputError, match="No checkpoint was given"):
        DialEvalResponder([], CPU)


def test_long_dialogues_and_empty_turns_are_answered(ensemble: Checkpoint, tmp_path: Path) -> None:
    turns = [
        {"sender": ("customer", "helpdesk")[n % 2], "utterances": ["word " * 300] if n % 3 else []}
        for n in range(40)
    ]
    path = lines_file(tmp_path / "long.jsonl", [{"id": "long", "turns": turns}])
    (record,) = write_predictions([ensemble], path)
    assert len(record["nugget"]) == 40
    assert all(sum(each.values()) == pytest.approx(1) for each in record["nugget"])
    assert len(read_dialogues(path)[0].turns) == 40
