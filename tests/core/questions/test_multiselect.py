"""The multiselect question takes any number of options."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.multiselect import Multiselect
from palaver.core.questions.options import Option

OPTIONS = (
    Option("cont_s_ctxt", "Contradicts itself", label="self contradiction"),
    Option("cont_p_ctxt", "Contradicts the partner", label="partner contradiction", speaker=1),
    Option("redundant", "Repeats"),
)
CONSISTENCY = Multiselect(name="consistency", text="Which apply?", options=OPTIONS)


def limited(least: int = 0, most: int | None = None, required: bool = True) -> Multiselect:
    return Multiselect(
        name="q", text="?", options=OPTIONS, least=least, most=most, required=required
    )


def test_the_value_is_in_the_order_of_the_options_without_doubles():
    value = CONSISTENCY.read(["redundant", "cont_s_ctxt", "redundant"], Shown())

    assert value == ["cont_s_ctxt", "redundant"]
    assert CONSISTENCY.labels(value) == ("self contradiction", "redundant")


def test_none_of_these_is_an_answer_that_one_ticks():
    assert CONSISTENCY.parse({"": [""]}) == []
    assert CONSISTENCY.read([], Shown()) == []
    assert CONSISTENCY.labels([]) == ()


@pytest.mark.parametrize("fields", [{}, {"": []}])
def test_doing_nothing_is_no_answer(fields):
    assert CONSISTENCY.parse(fields) is None


def test_none_of_these_stands_alone():
    with pytest.raises(AnswerError, match="'consistency' takes some options or none, not both"):
        CONSISTENCY.read(CONSISTENCY.parse({"": ["", "redundant"]}), Shown())


@pytest.mark.parametrize("answer", [["other"], [1], [None], [["redundant"]], [""]])
def test_an_unknown_option_is_refused(answer):
    with pytest.raises(AnswerError, match=r"'consistency' takes 'cont_s_ctxt', .*; got"):
        CONSISTENCY.read(answer, Shown())


@pytest.mark.parametrize("answer", ["redundant", {"redundant": True}, 1, None])
def test_an_answer_is_a_list(answer):
    with pytest.raises(AnswerError, match="takes a list of any of"):
        CONSISTENCY.read(answer, Shown())


def test_an_option_of_another_speaker_is_refused():
    assert CONSISTENCY.read(["cont_p_ctxt"], Shown(role="system", seat=1)) == ["cont_p_ctxt"]
    with pytest.raises(AnswerError, match="got 'cont_p_ctxt'"):
        CONSISTENCY.read(["cont_p_ctxt"], Shown(role="user", seat=0))


def test_there_may_be_a_least_and_a_most():
    few = limited(least=1, most=2)

    assert few.read(["redundant"], Shown()) == ["redundant"]
    with pytest.raises(AnswerError, match="'q' takes 1 or more; got 0"):
        few.read([], Shown())
    with pytest.raises(AnswerError, match="'q' takes 2 at most; got 3"):
        few.read([option.id for option in OPTIONS], Shown())


def test_an_optional_question_that_needs_some_may_be_left_out():
    assert limited(least=1, required=False).parse({"": [""]}) is None
    assert limited(least=1).parse({"": [""]}) == []


@pytest.mark.parametrize(("least", "most"), [(-1, None), (4, None), (2, 1), (0, 4), (0, 0)])
def test_limits_that_cannot_be_met_are_refused(least, most):
    with pytest.raises(ValueError, match="'least' and 'most' take 0 to 3"):
        limited(least, most)
