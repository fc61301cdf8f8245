"""The spans question takes stretches of a turn."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.options import Option
from palaver.core.questions.spans import Spans

WRONG = Spans(
    name="wrong",
    text="What is wrong?",
    speaker="system",
    options=(Option("fact", "A wrong fact", label="incorrect fact"), Option("tone", "A bad tone")),
)
SAID = Shown(role="system", seat=1, text="👋 Rome is in Spain")


def span(start: object, end: object, label: object = "fact") -> dict[str, object]:
    return {"start": start, "end": end, "label": label}


def test_offsets_count_characters_not_bytes():
    (found,) = WRONG.read([span(2, 6)], SAID)

    assert SAID.text[found["start"] : found["end"]] == "Rome"
    assert WRONG.read([span(0, len(SAID.text))], SAID) == [span(0, 18)]


def test_spans_are_sorted_and_doubles_dropped():
    given = [span(13, 18), span(2, 6, "tone"), span(2, 6), span(13, 18)]

    assert WRONG.read(given, SAID) == [span(2, 6), span(2, 6, "tone"), span(13, 18)]


def test_a_form_holds_json():
    answer = WRONG.parse({"": ['[{"start": 2, "end": 6, "label": "tone"}]']})

    assert WRONG.read(answer, SAID) == [span(2, 6, "tone")]


@pytest.mark.parametrize("fields", [{"": ["[]"]}, {"": ["", "[]"]}])
def test_nothing_to_mark_is_an_answer_that_one_gives(fields):
    assert WRONG.read(WRONG.parse(fields), SAID) == []


@pytest.mark.parametrize("fields", [{}, {"": []}, {"": [""]}])
def test_doing_nothing_is_no_answer(fields):
    assert WRONG.parse(fields) is None


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("{", "takes a list of spans as JSON; got '{'"),
        ("{}", "takes a list of spans; got '{}'"),
        (7, "takes a list of spans; got 7"),
        ([7], "takes spans with 'start', 'end' and 'label'; got 7"),
        ([{"start": 0, "end": 1}], "takes spans with 'start', 'end' and 'label'; got"),
        ([{**span(0, 1), "note": ""}], "takes spans with 'start', 'end' and 'label'; got"),
        ([span(0, 1, "other")], "takes 'fact', 'tone'; got 'other'"),
        ([span(0, 1, ["fact"])], "takes 'fact', 'tone'; got"),
        ([span("0", 1)], "takes whole numbers as 'start' and 'end'; got"),
        ([span(False, True)], "takes whole numbers as 'start' and 'end'; got"),
        ([span(0.0, 1.0)], "takes whole numbers as 'start' and 'end'; got"),
        ([span(-1, 1)], "takes spans within the 18 characters of the turn; got"),
        ([span(3, 3)], "takes spans within the 18 characters of the turn; got"),
        ([span(0, 19)], "takes spans within the 18 characters of the turn; got"),
    ],
)
def test_anything_else_is_refused(answer, problem):
    with pytest.raises(AnswerError, match=f"Question 'wrong' {problem}"):
        WRONG.read(answer, SAID)


def test_there_may_be_a_most():
    one = Spans(name="one", text="?", indices="odd", options=WRONG.options, most=1)

    assert one.read([span(0, 1), span(0, 1)], SAID) == [span(0, 1)]
    with pytest.raises(AnswerError, match="takes 1 spans at most; got 2"):
        one.read([span(0, 1), span(1, 2)], SAID)


def test_the_labels_are_in_the_order_of_the_options():
    value = WRONG.read([span(0, 1, "tone"), span(2, 6), span(7, 8)], SAID)

    assert WRONG.labels(value) == WRONG.label_names == ("incorrect fact", "tone")


@pytest.mark.parametrize("about", [{}, {"indices": "no_indices"}])
def test_a_whole_dialogue_has_no_spans(about):
    with pytest.raises(ValueError, match=r"marks words of turns\. Set 'speaker' or 'indices'"):
        Spans(name="q", text="?", options=WRONG.options, **about)


def test_a_most_of_none_is_refused():
    with pytest.raises(ValueError, match="'most' takes 1 or more; got 0"):
        Spans(name="q", text="?", options=WRONG.options, speaker="any", most=0)
