"""Which parts of a text are gold."""

import pytest

from palaver.core.errors import InputError
from palaver.evaluation.perturbations import layout_of
from palaver.evaluation.perturbations.variants import protected_spans
from palaver.evaluation.tasks import builtin_task, task_data, task_from_data


def _found(text: str, gold: list[str], **options: bool) -> list[str]:
    return [text[a:b] for a, b in protected_spans(text, gold, **options)]


def test_whole_words_come_before_parts_of_words() -> None:
    text = "An art of the party: art."

    assert protected_spans(text, ["art"]) == [(3, 6), (21, 24)]
    assert _found("the party", ["art"]) == ["art"]
    assert _found("the party", ["cat", ""]) == []


def test_several_answers_may_overlap() -> None:
    text = "in New York City"

    assert _found(text, ["New York", "York City"]) == ["New York City"]
    assert _found("aaa", ["aa"]) == ["aaa"]


def test_names_inside_an_answer_are_protected_alone_too() -> None:
    text = "Mary Smith and the Smiths; Mary, marry"

    assert _found(text, ["Mary Smith"]) == ["Mary Smith"]
    assert _found(text, ["Mary Smith"], names=True) == ["Mary Smith", "Mary"]


def test_a_letter_with_a_mark_is_another_letter() -> None:
    assert protected_spans("e\u0301 e", ["e"]) == [(3, 4)]


def test_a_task_says_what_may_be_changed() -> None:
    qa = layout_of(builtin_task("qa"))

    assert (qa.texts, qa.selections[0].reference) == (("context", "question"), "context")
    assert layout_of(builtin_task("qa"), ["question"]).texts == ("question",)
    assert layout_of(builtin_task("response-generation")).turns == ("turns",)
    with pytest.raises(InputError, match="no text or dialogue 'answer'"):
        layout_of(builtin_task("qa"), ["answer"])


def test_without_a_word_every_text_that_a_model_is_given_may_change() -> None:
    data = {key: value for key, value in task_data(builtin_task("nli")).items() if key != "perturb"}
    task = task_from_data(data, folder="", source="nli.yaml")

    assert layout_of(task).texts == ("context", "hypothesis")
