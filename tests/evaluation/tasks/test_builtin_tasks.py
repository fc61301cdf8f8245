"""The built-in tasks: right by the same check as anybody's, and what the published ones measure."""

import pytest

from palaver.core.errors import UnknownNameError
from palaver.evaluation.tasks import builtin_names, builtin_task, builtin_text, task_data
from palaver.evaluation.tasks.definition import parse_task, task_from_data
from palaver.evaluation.tasks.samples import sample_answer, sample_question, sample_record
from palaver.metrics import find_metric

# (context and inputs, targets, metric that ranks, rule of model_wrong)
PUBLISHED = {
    "nli": (["context", "hypothesis"], ["label"], "accuracy", "exact_match"),
    "hs": (["statement"], ["label"], "macro_f1", "exact_match"),
    "sentiment": (["statement"], ["label"], "macro_f1", "exact_match"),
    "qa": (["context", "question"], ["answer"], "squad_f1", "string_f1"),
    "vqa": (["image", "question"], ["answer"], "vqa_accuracy", "ask_user"),
}
WANTED = {
    *PUBLISHED,
    "flores",
    "response-generation",
    "dialogue-quality",
    "dialogue-nugget",
    "advice",
    "turn-faults",
}


def test_they_are_all_there() -> None:
    assert set(builtin_names()) == WANTED


@pytest.mark.parametrize("name", sorted(WANTED))
def test_a_file_passes_the_check_and_can_be_written_again(name: str) -> None:
    task = parse_task(builtin_text(name).encode(), folder="", file=name)
    assert task == builtin_task(name)
    assert task.name == name
    assert task_from_data(task_data(task), folder="", source=name) == task


@pytest.mark.parametrize("name", sorted(WANTED))
def test_its_samples_are_records_and_answers_and_can_be_scored(name: str) -> None:
    task = builtin_task(name)
    example = task.read_example(sample_record(task))
    assert task.question(example) == sample_question(task)
    answer = task.read_answer(sample_answer(task), example, strict=True)
    for choice in task.metrics:
        metric = find_metric(choice.metric)
        for field in choice.fields:
            sides = [[task.predicted(answer, field)] * 2]
            if metric.references is not None:
                sides.append([task.gold_of(example, field)] * 2)
            assert metric.compute(*sides, **choice.options).is_defined


@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_it_measures_what_was_published(name: str) -> None:
    task = builtin_task(name)
    asked, targets, metric, rule = PUBLISHED[name]
    assert [each.name for each in task.asked] == asked
    assert [each.name for each in task.targets] == targets
    assert task.performance.metric == metric
    assert task.wrong.kind == rule


def test_old_codes_of_labels_are_read() -> None:
    nli, hate = builtin_task("nli"), builtin_task("hs")
    record = {"uid": 1, "context": "a", "hypothesis": "b"}
    for code, label in (("e", "entailed"), ("n", "neutral"), ("contradiction", "contradictory")):
        assert nli.read_example({**record, "label": code}).values["label"] == label
    assert hate.read_example({"uid": 1, "statement": "a", "label": "nothate"}).values["label"] == (
        "not-hateful"
    )


def test_masses_of_dialogues_come_in_the_order_of_the_scale() -> None:
    quality, nugget = builtin_task("dialogue-quality"), builtin_task("dialogue-nugget")
    turns = [{"speaker": "customer", "text": "It is broken."}]
    record = {"uid": 1, "turns": turns, **{key: {"0": 9, "2": 10} for key in "AES"}}
    assert quality.gold_of(quality.read_example(record), "A") == [10, 0, 9, 0, 0]
    found = nugget.read_example({"uid": 1, "turns": turns, "nugget": [{"CNaN": 1, "CNUG0": 18}]})
    assert nugget.gold_of(found, "nugget") == [("customer", [18, 0, 0, 1])]


def test_an_unknown_one_is_named_with_its_neighbours() -> None:
    with pytest.raises(UnknownNameError, match="No task 'sentimant' is built in"):
        builtin_task("sentimant")
