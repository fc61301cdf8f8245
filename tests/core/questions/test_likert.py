"""The Likert question takes one point of its scale."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.likert import Likert

EMPATHY = Likert(name="empathy", text="How much?", anchors={1: "Not at all", "5": "Very much"})
BALANCE = Likert(name="balance", text="Which way?", points=(-2, -1, 0, 1, 2))


@pytest.mark.parametrize(("answer", "value"), [(4, 4), ("4", 4), (4.0, 4), (" 4\n", 4)])
def test_a_point_is_a_number_or_its_text(answer, value):
    read = EMPATHY.read(answer, Shown())

    assert read == value
    assert type(read) is int


@pytest.mark.parametrize("answer", [0, 6, "6", 4.5, "4.0", True, "", "four", [4], {"4": 4}, "٤"])
def test_anything_else_is_refused(answer):
    with pytest.raises(AnswerError, match="Question 'empathy' takes 1 to 5; got"):
        EMPATHY.read(answer, Shown())


def test_the_message_says_what_was_given():
    with pytest.raises(AnswerError) as caught:
        EMPATHY.read(7, Shown())

    assert str(caught.value) == "Question 'empathy' takes 1 to 5; got 7."


def test_points_may_be_negative():
    assert [BALANCE.read(answer, Shown()) for answer in ("-2", -1, "0")] == [-2, -1, 0]


def test_points_with_gaps_are_listed():
    gaps = Likert(name="gaps", text="How many?", points=(0, 5, 10))

    with pytest.raises(AnswerError, match="takes 0, 5, 10; got 3"):
        gaps.read(3, Shown())


def test_the_words_at_a_point_are_found_however_the_file_wrote_it():
    assert [EMPATHY.anchor(point) for point in (1, 3, 5)] == ["Not at all", "", "Very much"]


def test_it_is_ordinal_and_names_what_it_measures():
    named = Likert(name="empathy", text="How much?", label="empathetic")

    assert (named.level, named.label_names, named.labels(4)) == ("ordinal", ("empathetic",), ())
    assert EMPATHY.label_names == ()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"points": (1,)}, "'points' needs 2 or more points; got 1"),
        ({"points": (1, 2, 2)}, "'points' has a point twice"),
        ({"anchors": {6: "Too much"}}, "'anchors' takes the points 1 to 5; got '6'"),
        ({"anchors": {1: "a", "1": "b"}}, "'anchors' has the point 1 twice"),
        ({"speaker": "bot"}, "'speaker' takes 'system', 'user'"),
    ],
)
def test_a_scale_that_cannot_be_is_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        Likert(name="q", text="How much?", **options)
