"""Files of examples, and what may not be torn apart when a tenth is held out."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.tasks import builtin_task
from palaver.models.baselines.examples import GoldExample, part_numbers, read_examples_of
from palaver.models.baselines.figures import values_of
from palaver.models.baselines.fitting import layout_of
from palaver.models.baselines.layout import TaskGoal

from .made import gold_examples, passages, statements, written

QA, SENTIMENT = layout_of(builtin_task("qa")), layout_of(builtin_task("sentiment"))


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", "qa", passages(5))

    assert read_examples_of([path]) == gold_examples(builtin_task("qa"), passages(5))


def test_questions_about_one_passage_are_in_one_part() -> None:
    questions = [
        {"uid": f"{n}-{k}", "context": f"passage {n}", "question": f"question {k}"}
        for n in range(40)
        for k in range(3)
    ]

    parts = part_numbers(QA, questions)

    assert all(len(set(parts[n : n + 3])) == 1 for n in range(0, 120, 3))
    assert all(8 <= parts.count(part) <= 16 for part in range(10))


def test_one_large_passage_does_not_make_a_part_of_its_own() -> None:
    """Half of all questions are about one passage: then questions are divided, not passages."""
    questions = [
        {"uid": str(n), "context": f"passage {n if n % 2 else 0}", "question": f"question {n}"}
        for n in range(100)
    ]

    parts = part_numbers(QA, questions)

    assert {parts.count(part) for part in range(10)} == {10}


def test_what_is_asked_twice_is_in_one_part() -> None:
    records = [*statements(30), *statements(30)]

    parts = part_numbers(SENTIMENT, records)

    assert parts[:30] == parts[30:]


def test_fewer_than_ten_cannot_be_divided() -> None:
    with pytest.raises(InputError, match=r"^9 different examples are too few: a tenth is held out"):
        part_numbers(SENTIMENT, [*statements(9), *statements(9)])


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{"uid": 1}\n', "a.jsonl:1: the first line says what the task asks"),
        ("[]\n", "a.jsonl:1: expected a JSON object"),
        ("{\n", "a.jsonl:1: "),
        ('{"layout": {"task": ["x"]}}\n', "a.jsonl:1: it does not say what its task asks"),
    ],
)
def test_a_file_of_something_else_is_told(text: str, wrong: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(text, "utf-8")

    with pytest.raises(InputError) as refused:
        read_examples_of([tmp_path / "a.jsonl"])

    assert str(refused.value).partition("/a.jsonl")[2].startswith(wrong.removeprefix("a.jsonl"))


def test_a_broken_line_and_another_task_are_told(tmp_path: Path) -> None:
    one = written(tmp_path / "one.jsonl", "qa", passages(2))
    other = written(tmp_path / "other.jsonl", "sentiment", statements(2))
    with pytest.raises(InputError, match="its task is 'sentiment', not 'qa' as before"):
        read_examples_of([one, other])

    one.write_text(one.read_text("utf-8") + '{"question": {}}\n', "utf-8")
    with pytest.raises(InputError, match=r"one\.jsonl:4: expected an object with 'question' and"):
        read_examples_of([one])


def test_figures_of_distributions_and_words_by_hand() -> None:
    """Opposite shares are one bit apart; (1, 0) and (½, ½) 0.3113 bits, as by Lin (1991)."""
    scale = TaskGoal(name="a", kind="shares", path="a", labels=("x", "y"))
    span = TaskGoal(name="b", kind="span", path="b", reference="text")
    examples = [
        GoldExample(question={}, gold={"a": {"x": 4, "y": 0}, "b": ["the old mill", "a mill"]})
    ] * 3
    given = [
        {"a": {"x": 0.0, "y": 1.0}, "b": "mill"},
        {"a": {"x": 0.5, "y": 0.5}, "b": "the old mill"},
        {"a": {"x": 1.0, "y": 0.0}, "b": "bridge"},
    ]

    assert values_of(scale, examples, given) == pytest.approx([1.0, 0.3112781, 0.0])
    assert values_of(span, examples, given) == pytest.approx([2 / 3, 1.0, 0.0])
