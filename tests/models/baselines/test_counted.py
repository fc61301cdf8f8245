"""What is commonest, by hand; and what is given back."""

from pathlib import Path
from typing import Any

import pytest
import torch

from palaver.core.tasks import Task
from palaver.evaluation.tasks import builtin_task
from palaver.models.baselines.counted import (
    commonest_answer,
    commonest_words,
    returned_answer,
    returned_words,
)
from palaver.models.baselines.responders import MajorityResponder

from .made import gold_examples, made, statements, written
from .test_tasks import REVIEWS


def majority(task: Task, records: list[dict[str, Any]], question: dict[str, Any]) -> dict[str, Any]:
    data = gold_examples(task, records)
    return commonest_answer(data.layout, commonest_words(data), question)


def test_the_commonest_label_with_its_share() -> None:
    """Two right labels count half each: positive has 2, neutral 1½, negative ½."""
    golds = ["positive", "neutral", ["neutral", "negative"], "positive"]
    records = [{"uid": str(n), "statement": "x", "label": gold} for n, gold in enumerate(golds)]

    found = majority(builtin_task("sentiment"), records, {"statement": "y"})

    assert found["label"] == "positive"
    assert found["prob"] == {"negative": 0.125, "positive": 0.5, "neutral": 0.375}


def test_labels_that_most_have_and_the_mean_share() -> None:
    records = [
        {"uid": "1", "review": "a", "topics": ["food", "room"], "agree": 0.2},
        {"uid": "2", "review": "b", "topics": ["food"], "agree": 0.6},
        {"uid": "3", "review": "c", "topics": ["food", "room"], "agree": 1.0},
    ]

    found = majority(REVIEWS, records, {"review": "d"})

    assert found["topics"] == ["food", "room"]
    assert found["agree"] == pytest.approx(0.6)


def test_the_mean_distribution_of_each_speaker() -> None:
    """Counts are divided by their sum first, so a dialogue with many annotators weighs no more."""

    def record(uid: str, counts: dict[str, int]) -> dict[str, Any]:
        turns = [{"speaker": "customer", "text": "hi"}]
        return {"uid": uid, "turns": turns, "nugget": [counts]}

    records = [record("1", {"CNUG0": 3, "CNaN": 1}), record("2", {"CNaN": 40})]
    turns = [{"speaker": "customer", "text": "…"}, {"speaker": "helpdesk", "text": "…"}]

    found = majority(builtin_task("dialogue-nugget"), records, {"turns": turns})

    assert found["nugget"][0] == {"CNUG0": 0.375, "CNUG": 0.0, "CNUG*": 0.0, "CNaN": 0.625}
    # Nobody judged a turn of the help desk: then all its labels have the same share.
    assert set(found["nugget"][1].values()) == {1 / 3}


def test_the_commonest_place_of_a_span_is_cut_to_the_text() -> None:
    task = builtin_task("qa")
    golds = [("Ann left early", "Ann left"), ("Bo came late", "Bo came"), ("So it goes", "it")]
    records = [
        {"uid": str(n), "context": text, "question": "?", "answer": gold}
        for n, (text, gold) in enumerate(golds)
    ]

    assert majority(task, records, {"context": "He sang, twice."})["answer"] == "He sang"
    assert majority(task, records, {"context": "Yes"})["answer"] == "Yes"
    assert majority(task, records, {"context": ""})["answer"] == ""


def test_what_is_given_back() -> None:
    dialogue = [{"speaker": "a", "text": "Well?"}, {"speaker": "b", "text": "Not yet."}]
    cases = {
        "qa": ({"context": "All of it.", "question": "?"}, "answer", "All of it."),
        "response-generation": ({"turns": dialogue}, "response", "Not yet."),
        "flores": (
            {"sourceLanguage": "eng", "targetLanguage": "deu", "sourceText": "Good day to you."},
            "translatedText",
            "Good day to you.",
        ),
    }
    for name, (question, output, wanted) in cases.items():
        task = builtin_task(name)
        gold = {task.gold[output]: "day" if name == "flores" else "it"}
        data = gold_examples(task, [{"uid": "1", **question, **gold}])
        assert returned_answer(data.layout, returned_words(data), question)[output] == wanted


def test_a_card_says_what_was_counted_and_how_good_it_is(tmp_path: Path) -> None:
    train = written(tmp_path / "train.jsonl", "sentiment", statements(30))
    test = written(tmp_path / "test.jsonl", "sentiment", statements(20, seed=2))

    checkpoint = made("majority", train, tmp_path / "majority", test=test)

    answers = MajorityResponder([checkpoint], torch.device("cpu")).answer(statements(20, seed=2))
    labels = [each["label"] for each in statements(20, seed=2)]
    right = sum(a["label"] == label for a, label in zip(answers, labels, strict=True)) / 20
    (figure,) = checkpoint.measured["figures"]
    assert (figure["name"], figure["value"], figure["n"]) == ("accuracy", right, 20)
    assert figure["low"] < right < figure["high"]
    card = (tmp_path / "majority" / "README.md").read_text("utf-8")
    assert "examples counted: 30" in card
    assert "| accuracy |" in card
    assert "weights.safetensors" not in {path.name for path in (tmp_path / "majority").iterdir()}
