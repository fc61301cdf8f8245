"""The slider question takes a number on its grid."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.slider import Slider

SCORE = Slider(name="score", text="How good?", anchors={0: "Bad", "100": "Good"})
FINE = Slider(name="fine", text="How good?", least=-1, most=1, step=0.1)


@pytest.mark.parametrize("answer", [62, "62", 62.0, "62.0", " 62 "])
def test_whole_ends_and_a_whole_step_give_whole_numbers(answer):
    read = SCORE.read(answer, Shown())

    assert read == 62
    assert type(read) is int


@pytest.mark.parametrize(
    ("answer", "value"), [("0.3", 0.3), (0.1 + 0.2, 0.3), (-1, -1.0), (1, 1.0)]
)
def test_other_sliders_give_fractions(answer, value):
    read = FINE.read(answer, Shown())

    assert read == value
    assert type(read) is float


@pytest.mark.parametrize(
    "answer",
    [
        101,
        -1,
        62.5,
        "62.5",
        True,
        "",
        "high",
        "nan",
        "inf",
        float("nan"),
        float("inf"),
        [62],
        10**400,
    ],
)
def test_anything_else_is_refused(answer):
    with pytest.raises(
        AnswerError, match="'score' takes a number from 0 to 100 in steps of 1; got"
    ):
        SCORE.read(answer, Shown())


def test_the_grid_begins_at_the_lower_end():
    odd = Slider(name="odd", text="?", least=1, most=9, step=2)

    assert odd.read("3", Shown()) == 3
    with pytest.raises(AnswerError, match="from 1 to 9 in steps of 2; got '4'"):
        odd.read("4", Shown())


def test_it_is_interval_and_has_words_at_its_ends():
    assert (SCORE.level, SCORE.labels(62), SCORE.label_names) == ("interval", (), ())
    assert (SCORE.anchor(0), SCORE.anchor(100), SCORE.anchor(50)) == ("Bad", "Good", "")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"least": 5, "most": 5}, "'least' must be below 'most'; got 5 and 5"),
        ({"most": float("inf")}, "'least' must be below 'most'"),
        ({"least": float("nan")}, "'least' must be below 'most'"),
        ({"step": 0}, "'step' takes 0.000001 or more; got 0"),
        ({"step": 101}, "'step' must fit 1 to 1,000,000 times"),
        ({"most": 1e300}, "'step' must fit 1 to 1,000,000 times"),
        ({"anchors": {"left": "Bad"}}, "'anchors' takes numbers as keys; got 'left'"),
    ],
)
def test_a_slider_that_cannot_be_is_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        Slider(name="q", text="?", **options)
