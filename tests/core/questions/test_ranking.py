"""The ranking question takes every option once, best first."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.options import Option
from palaver.core.questions.ranking import Ranking

BEST = Ranking(
    name="best",
    text="Which is best?",
    options=(Option("a", "A"), Option("b", "B"), Option("c", "C")),
)


def test_the_value_lists_the_options_best_first():
    assert BEST.read(["c", "a", "b"], Shown()) == ["c", "a", "b"]


def test_a_form_gives_each_option_its_place():
    assert BEST.parse({"a": ["2"], "b": ["3"], "c": ["", "1"]}) == ["c", "a", "b"]
    assert BEST.parse({"a": [""], "b": [""], "c": []}) is None


@pytest.mark.parametrize(
    ("places", "problem"),
    [
        ({"a": "1", "b": "1", "c": "2"}, "'best' gives place 1 to 'a' and 'b'."),
        ({"a": "1", "b": "3"}, "'best' needs a place for 'c'."),
        ({"a": "1", "b": "2"}, "'best' needs a place for 'c'."),
        ({"a": "1", "b": "2", "c": "4"}, "'best' takes 1 to 3 for 'c'; got '4'."),
        ({"a": "1", "b": "2", "c": "last"}, "'best' takes 1 to 3 for 'c'; got 'last'."),
        ({"a": "1", "b": "2", "d": "4"}, "'best' takes 'a', 'b', 'c'; got 'd'."),
    ],
)
def test_places_that_make_no_order_are_refused(places, problem):
    answer = BEST.parse({option: [place] for option, place in places.items()})

    with pytest.raises(AnswerError) as caught:
        BEST.read(answer, Shown())
    assert str(caught.value) == f"Question {problem}"


def test_places_may_be_read_directly():
    assert BEST.read({"a": 3, "b": "1", "c": 2}, Shown()) == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (["a", "b"], "needs a place for 'c'"),
        (["a", "b", "a"], "takes 'a' once; got it twice"),
        (["a", "b", "d"], "takes 'a', 'b', 'c'; got 'd'"),
        (["a", "b", 3], "takes 'a', 'b', 'c'; got 3"),
        ("abc", "takes a list of 'a', 'b', 'c', best first; got 'abc'"),
    ],
)
def test_any_other_list_is_refused(answer, problem):
    with pytest.raises(AnswerError, match=problem):
        BEST.read(answer, Shown())


def test_only_what_is_offered_is_ranked():
    some = Ranking(
        name="q",
        text="?",
        options=(Option("a", "A"), Option("b", "B"), Option("c", "C", speaker="system")),
    )

    assert some.read(["b", "a"], Shown(role="user", seat=0)) == ["b", "a"]


def test_it_is_ordinal():
    assert (BEST.level, BEST.labels(["a", "b", "c"])) == ("ordinal", ())
