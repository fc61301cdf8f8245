"""The aspects question takes a point for each aspect."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.aspects import Aspects
from palaver.core.questions.options import Option

ASPECTS = (Option("grammar", "Grammar"), Option("quality", "Quality", label="overall quality"))
RATED = Aspects(name="rated", text="Rate each.", aspects=ASPECTS, anchors={"1": "Poor"})
SOME = Aspects(name="some", text="Rate some.", aspects=ASPECTS, required=False)


def test_the_value_is_in_the_order_of_the_aspects():
    value = RATED.read({"quality": "4", "grammar": 5}, Shown())

    assert list(value.items()) == [("grammar", 5), ("quality", 4)]


def test_the_fields_of_a_form_are_named_after_the_aspects():
    assert RATED.parse({"grammar": ["", "5"], "quality": [""]}) == {"grammar": "5"}
    assert RATED.parse({"grammar": [""], "": [""]}) is None


def test_every_aspect_needs_a_point():
    with pytest.raises(AnswerError, match="'rated' needs a point for 'quality'"):
        RATED.read({"grammar": 5, "quality": ""}, Shown())


def test_where_it_is_not_required_one_point_is_enough():
    assert SOME.read({"quality": 2}, Shown()) == {"quality": 2}
    with pytest.raises(AnswerError, match="'some' needs a point for 'grammar', 'quality'"):
        SOME.read({}, Shown())


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"grammar": 6, "quality": 1}, "takes 1 to 5 for 'grammar'; got 6"),
        ({"grammar": True, "quality": 1}, "takes 1 to 5 for 'grammar'; got True"),
        ({"gramar": 5}, "takes 'grammar', 'quality'; got 'gramar'"),
        ([5, 4], "takes a point for each of 'grammar', 'quality'; got"),
    ],
)
def test_anything_else_is_refused(answer, problem):
    with pytest.raises(AnswerError, match=problem):
        RATED.read(answer, Shown())


def test_it_is_ordinal_and_names_what_it_measures():
    assert (RATED.level, RATED.label_names) == ("ordinal", ("grammar", "overall quality"))
    assert RATED.labels({"grammar": 5, "quality": 4}) == ()
    assert (RATED.anchor(1), RATED.anchor(2)) == ("Poor", "")


def test_a_question_without_aspects_is_refused():
    with pytest.raises(ValueError, match="'aspects' needs 1 or more entries; got 0"):
        Aspects(name="q", text="?", aspects=())
