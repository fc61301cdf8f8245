"""Answers from checkpoints: to questions of the task, alone and as an ensemble, and in the terminal."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.main import palaver
from palaver.core.errors import InputError
from palaver.evaluation.tasks.builtin import builtin_task
from palaver.models.advice.kinds import AdviceTransformer, adviser_of
from palaver.models.advice.responder import AdviceResponder
from palaver.models.checkpoints.folder import Checkpoint, CheckpointError, open_checkpoint
from palaver.models.faces import RESPONDERS
from support.advice_models import CPU, situation_file, trained_adviser

ASKED = {"uid": "7", "title": "The kettle", "situation": "It is broken.", "subreddit": "Advice"}


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    folder = tmp_path_factory.mktemp("ensemble") / "m"
    return open_checkpoint(trained_adviser(folder, members=2, training={"epochs": 1}))


@pytest.fixture(scope="module")
def single(ensemble: Checkpoint) -> Checkpoint:
    return ensemble.members[0]


def test_questions_of_the_task_are_answered(single: Checkpoint) -> None:
    task = builtin_task("advice")
    asked = [{**ASKED, "uid": str(n), "title": f"Kettle {n}", "advice": "x"} for n in range(3)]
    examples = [task.read_example(each) for each in asked]
    responder = RESPONDERS.get("advice-transformer")([single], CPU)
    answered = responder.answer([task.question(each) for each in examples])
    for record, example in zip(answered, examples, strict=True):
        assert task.read_answer(record, example).values["advice"].strip()


def test_a_checkpoint_answers_as_it_was_saved_and_alike_each_time(single: Checkpoint) -> None:
    responder = AdviceResponder([single], CPU)
    [first] = responder.answer([ASKED])
    assert AdviceResponder([open_checkpoint(single.folder)], CPU).answer([ASKED]) == [first]
    others = [{**ASKED, "uid": str(n), "title": str(n)} for n in range(5)]
    assert responder.answer([*others, {**ASKED, "uid": "9"}])[-1] == {**first, "id": "9"}
    assert responder.answer([]) == []


def test_an_ensemble_advises_as_one(ensemble: Checkpoint, tmp_path: Path) -> None:
    assert len(ensemble.members) == 2
    assert AdviceResponder([ensemble], CPU).answer([ASKED])[0]["advice"]
    test = situation_file(tmp_path / "test.jsonl", 12, seed=4)
    together, *alone = (
        {each.name: each.value for each in AdviceTransformer.ensemble_test(some, [test], CPU)}
        for some in (ensemble.members, ensemble.members[:1], ensemble.members[1:])
    )
    # The logarithm is concave: an average predicts at least as well as its members on average.
    logs = [each["bits_per_byte"] for each in alone]
    assert together["bits_per_byte"] <= sum(logs) / 2
    assert {"perplexity", "rouge_l", "distinct_1", "distinct_2", "words"} <= together.keys()


def test_strange_and_long_questions_are_answered(single: Checkpoint) -> None:
    strange: list[dict[str, Any]] = [
        {"uid": "1", "title": "", "situation": ""},
        {"uid": "2", "title": "🙂\x00\u200b", "situation": "\ud83d", "subreddit": None},
        {"uid": "3", "title": "語" * 3000, "situation": "x" * 50_000},
        {"uid": "4", "title": "T", "selftext": "One.\n\n" * 3000},
        {"uid": "5", "title": "<end> <pad>", "situation": "<begin>"},
    ]
    said = AdviceResponder([single], CPU).answer(strange)
    assert [each["id"] for each in said] == ["1", "2", "3", "4", "5"]
    for each in said:
        assert each["advice"].strip()
        assert "<" not in each["advice"] or ">" not in each["advice"]


def test_questions_of_another_task_are_refused(single: Checkpoint) -> None:
    responder = AdviceResponder([single], CPU)
    with pytest.raises(InputError, match="Question '7': 'title' is a text; got None"):
        responder.answer([{"uid": "7", "premise": "A", "hypothesis": "B"}])
    with pytest.raises(InputError, match="'situation' is a text; got 5"):
        responder.answer([{"uid": "7", "title": "A", "situation": 5}])


def test_another_kind_and_another_vocabulary_are_refused(
    ensemble: Checkpoint, single: Checkpoint
) -> None:
    other = dataclasses.replace(single, model="deal-talk")
    with pytest.raises(CheckpointError, match="of kind 'deal-talk', which does not fit"):
        AdviceResponder([other], CPU)
    strange = dataclasses.replace(single, words={"words": ["a"], "merges": []})
    with pytest.raises(InputError, match="its vocabulary is none of pieces of words"):
        AdviceResponder([strange], CPU)
    with pytest.raises(InputError, match="have different vocabularies and cannot advise as one"):
        adviser_of([single, strange], CPU)
    with pytest.raises(InputError, match="No checkpoint was given"):
        AdviceResponder([], CPU)


def test_a_question_without_a_date_is_asked_on_the_last_day_that_was_learnt(
    single: Checkpoint,
) -> None:
    [date] = single.words["date"]
    assert date.endswith(", 2020")
    responder = AdviceResponder([single], CPU)
    assert responder._question(ASKED).date == date
    assert responder._question({**ASKED, "created_utc": 0}).date == "January 1, 1970"


def test_the_terminal_predicts_and_diagnoses(single: Checkpoint, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({**ASKED, "advice": "Take it back."}) + "\n")
    said = tmp_path / "said.jsonl"
    run = CliRunner().invoke(
        palaver, ["model", "predict", str(single.folder), str(questions), "-o", str(said)]
    )
    assert run.exit_code == 0, run.output
    assert json.loads(said.read_text())["advice"].strip()
    test = situation_file(tmp_path / "test.jsonl", 6, seed=4)
    command = ["model", "diagnose", str(single.folder), "--samples", "1"]
    run = CliRunner().invoke(palaver, [*command, "--data", str(test)])
    assert run.exit_code == 0, run.output
    assert "perplexity" in run.output.splitlines()[0]
    assert "What it advises, beside what people advised." in run.output
    assert "It was not trained on this file." in " ".join(run.output.split())
    run = CliRunner().invoke(palaver, command)
    assert "give some with --data FILE" in str(run.exception)
    run = CliRunner().invoke(palaver, [*command, "--data", str(test), "--rollouts", "3"])
    assert "advises and plays no game" in str(run.exception)
