"""What an example becomes in a data set."""

from palaver.core.evaluation.rounds import ExampleVote
from palaver.evaluation.rounds.selection import item_record
from palaver.evaluation.tasks import builtin_task
from palaver.metrics.registry import find_metric
from support.written import written

CORRECT = ExampleVote(rater="v1", verdict="correct")
OWN = ExampleVote(rater="v2", verdict="incorrect", label="a red bus")
FLAGGED = ExampleVote(rater="v3", verdict="flagged", reason="blurred")
OWNER = ExampleVote(rater="owner", verdict="correct", mode="owner")
ASKED = {"image": "bus.png", "question": "What is it?"}


def test_where_several_people_answer_those_who_judged_are_among_them() -> None:
    said = written(1, values={**ASKED, "answer": "a bus"}, votes=(CORRECT, OWN, FLAGGED, OWNER))
    record = item_record(said, builtin_task("vqa"))
    assert record["answers"] == ["a bus", "a bus", "a red bus"]


def test_an_answer_that_three_others_found_correct_scores_all() -> None:
    judged = tuple(ExampleVote(rater=f"v{n}", verdict="correct") for n in range(3))
    said = written(1, values={**ASKED, "answer": "a bus"}, votes=judged)
    answers = tuple(item_record(said, builtin_task("vqa"))["answers"])
    accuracy = find_metric("vqa_accuracy").function
    assert accuracy(["A bus."], [answers]).value == 1.0
    assert accuracy(["a car"], [answers]).value == 0.0


def test_elsewhere_the_gold_is_the_writers() -> None:
    said = written(1, label="neutral", votes=(CORRECT, OWN))
    assert item_record(said, builtin_task("nli"))["label"] == "neutral"
