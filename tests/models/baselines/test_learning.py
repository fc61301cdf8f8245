"""The two that learn: losses fall, checkpoints answer as they did, and a training goes on exactly."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.errors import InputError
from palaver.evaluation.tasks import builtin_task
from palaver.models.baselines.responders import MajorityResponder, TextResponder
from palaver.models.baselines.text_model import answers_of
from palaver.models.checkpoints.folder import CheckpointError, open_checkpoint
from palaver.models.faces import RESPONDERS
from palaver.models.train import train
from palaver.models.training.plan import TrainingPlan
from palaver.models.training.snapshot import find_snapshot
from palaver.models.training.trainer import Trainer

from .made import dialogues, made, material, passages, recipe, statements, written

CPU = torch.device("cpu")
KINDS = ("ngrams", "averages")
# What is learnt in one kind of rows each: whole questions, turns, words.
DATA = {
    "sentiment": statements(60),
    "dialogue-nugget": dialogues(40),
    "qa": passages(24),
}


def learner(kind: str, path: Path, task: str, **more: Any) -> Any:
    chosen = recipe(kind)
    train = written(path / f"{task}.jsonl", task, DATA[task])
    return chosen.kind().learner(chosen.settings, material(train, **more))


@pytest.mark.parametrize("task", DATA)
@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_falls_and_every_weight_is_reached(kind: str, task: str, tmp_path: Path) -> None:
    learning = learner(kind, tmp_path, task)

    trained = Trainer(recipe(kind, epochs=5), learning, device=CPU).run()

    assert trained.state.rows[-1].loss < 0.9 * trained.state.rows[0].loss
    batch = next(iter(learning.updates(1, torch.Generator().manual_seed(1))))
    learning.network.zero_grad()
    learning.loss(batch).backward()
    assert all(each.grad.abs().sum() > 0 for each in learning.network.parameters())


@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_answers_as_the_model_that_was_trained(kind: str, tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    chosen = recipe(kind, epochs=3)
    plan = TrainingPlan(recipe=chosen, train=(train_file,), folder=tmp_path / kind, device=CPU)
    checkpoint = train(plan).checkpoint
    learning = learner(kind, tmp_path, "sentiment")
    Trainer(chosen, learning, device=CPU).run(until=3)
    learning.network.load_state_dict(checkpoint.weights())
    questions = statements(10, seed=3)

    before = answers_of([learning.model], questions)
    after = TextResponder([open_checkpoint(tmp_path / kind)], CPU).answer(questions)

    assert [{key: each[key] for key in ("label", "prob")} for each in after] == before


@pytest.mark.parametrize("kind", KINDS)
def test_a_training_that_goes_on_ends_at_the_same_weights(kind: str, tmp_path: Path) -> None:
    chosen = recipe(kind, epochs=4)
    whole = Trainer(chosen, learner(kind, tmp_path, "sentiment"), device=CPU).run()

    folder = tmp_path / "broken off"
    Trainer(chosen, learner(kind, tmp_path, "sentiment"), device=CPU, folder=folder).run(until=2)
    found = find_snapshot(folder)
    assert found is not None
    again = Trainer(chosen, learner(kind, tmp_path, "sentiment"), device=CPU, folder=folder)
    again.go_on(found)
    resumed = again.run()

    assert resumed.state.best == whole.state.best
    assert all(torch.equal(resumed.weights[name], each) for name, each in whole.weights.items())


def test_distributions_are_learnt_as_they_are(tmp_path: Path) -> None:
    """Two words of a turn decide how its annotators are divided; the shares are found again."""
    train_file = written(tmp_path / "train.jsonl", "dialogue-nugget", dialogues(80))
    checkpoint = made("ngrams", train_file, tmp_path / "ngrams")
    new = dialogues(20, seed=2)

    answers = TextResponder([checkpoint], CPU).answer(new)

    for answer, record in zip(answers, new, strict=True):
        wanted = record["nugget"][2]
        found = answer["nugget"][2]
        for label, count in wanted.items():
            assert found[label] == pytest.approx(count / sum(wanted.values()), abs=0.12)


def test_several_models_answer_with_their_mean(tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    chosen = replace(recipe("ngrams", epochs=2), members=2)
    plan = TrainingPlan(recipe=chosen, train=(train_file,), folder=tmp_path / "both", device=CPU)
    checkpoint = train(plan).checkpoint
    questions = statements(5, seed=3)

    both = TextResponder(checkpoint.all, CPU).answer(questions)
    each = [TextResponder([member], CPU).answer(questions) for member in checkpoint.all]

    for together, one, other in zip(both, *each, strict=True):
        for label, share in together["prob"].items():
            assert share == pytest.approx((one["prob"][label] + other["prob"][label]) / 2)


def test_a_training_may_start_from_a_checkpoint(tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    first = made("ngrams", train_file, tmp_path / "first")
    chosen = recipe("ngrams")

    begun = chosen.kind().learner(chosen.settings, replace(material(train_file), start=first))

    with torch.no_grad():
        loss = begun.measure()["loss"]
    assert loss == pytest.approx(min(losses(tmp_path / "first")), abs=1e-5)
    other = written(tmp_path / "other.jsonl", "hs", [
        {**each, "label": "hateful" if each["label"] == "negative" else "not-hateful"}
        for each in DATA["sentiment"]
    ])  # fmt: skip
    with pytest.raises(InputError, match=r"answers the task 'sentiment'.*examples of 'hs'"):
        chosen.kind().learner(chosen.settings, replace(material(other), start=first))


def losses(folder: Path) -> list[float]:
    rows = json.loads((folder / "curve.json").read_text("utf-8"))["rows"]
    return [row["measured"]["loss"] for row in rows]


def test_more_rows_than_may_be_learnt_from_are_drawn_by_chance(tmp_path: Path) -> None:
    chosen = recipe("ngrams", words={"rows": 200})
    train_file = written(tmp_path / "train.jsonl", "qa", DATA["qa"])

    learning: Any = chosen.kind().learner(chosen.settings, material(train_file))

    assert 0 < len(learning.data.learnt) < 20
    counts = learning.note().counts
    assert (
        counts["examples left out, by chance"]
        == 24 - len(learning.data.held_out) - counts["examples learnt from"]
    )


def test_another_tenth_is_held_out_in_each_fold(tmp_path: Path) -> None:
    held_out = [
        {
            each.question["uid"]
            for each in learner("ngrams", tmp_path, "sentiment", fold=n).data.held_out
        }
        for n in range(10)
    ]

    assert {len(each) for each in held_out} == {6}
    assert set.union(*held_out) == {each["uid"] for each in DATA["sentiment"]}


def test_weights_of_another_vocabulary_are_refused(tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    made("ngrams", train_file, tmp_path / "one")
    path = tmp_path / "one" / "vocabulary.json"
    words = json.loads(path.read_text("utf-8"))
    words["features 1"].pop()
    path.write_text(json.dumps(words), "utf-8")

    with pytest.raises(InputError, match="are not of one model"):
        TextResponder([open_checkpoint(tmp_path / "one")], CPU)


def test_a_checkpoint_of_another_kind_is_refused(tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    checkpoint = made("averages", train_file, tmp_path / "averages")

    with pytest.raises(CheckpointError, match="of kind 'averages', which does not fit"):
        MajorityResponder([checkpoint], CPU)


@pytest.mark.parametrize("kind", ["majority", "return-context"])
def test_what_is_counted_is_not_trained(kind: str, tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    chosen = recipe(kind)

    with pytest.raises(InputError, match=f"palaver model baseline TASK --only {kind}"):
        chosen.kind().learner(chosen.settings, material(train_file))


def test_the_task_of_the_test_file_must_be_the_same(tmp_path: Path) -> None:
    learning = learner("ngrams", tmp_path, "sentiment")
    other = written(tmp_path / "test.jsonl", builtin_task("qa"), DATA["qa"])

    with pytest.raises(InputError, match="not of the task that was trained on"):
        learning.test([other])


@pytest.mark.parametrize("kind", [*KINDS, "majority"])
def test_questions_of_another_task_are_told_which_it_has_learnt(kind: str, tmp_path: Path) -> None:
    train_file = written(tmp_path / "train.jsonl", "sentiment", DATA["sentiment"])
    checkpoint = made(kind, train_file, tmp_path / kind)

    with pytest.raises(InputError, match=r"the task 'sentiment', which asks 'statement'; .* 'q1'"):
        RESPONDERS.get(kind)([checkpoint], CPU).answer([{"uid": "q1", "context": "It rains."}])


@pytest.mark.parametrize("option", [{"span": 1001}, {"longest": 21}])
@pytest.mark.parametrize("kind", KINDS)
def test_what_an_answer_takes_has_bounds(kind: str, option: dict[str, int]) -> None:
    with pytest.raises(InputError, match=r"from 1 to (1000|20); got"):
        recipe(kind, words=option)
