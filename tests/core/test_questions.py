"""The comparative question reads what the page sent."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import AnswerError
from palaver.core.questions import QUESTION_KINDS, Comparative, Shown

BETTER = Comparative(name="better", text="Which conversation was better?")
AS_IS, SWAPPED = ("first", "second"), ("second", "first")


@pytest.mark.parametrize(
    ("answer", "order", "value"),
    [
        ("a", AS_IS, "first"),
        ("b", AS_IS, "second"),
        ("a", SWAPPED, "second"),
        ("b", SWAPPED, "first"),
        ("tie", AS_IS, "tie"),
        ("tie", SWAPPED, "tie"),
    ],
)
def test_the_value_names_the_side_of_the_unit(answer, order, value):
    assert BETTER.read(answer, Shown(order=order)) == value


@given(st.none() | st.text() | st.integers() | st.booleans() | st.floats())
def test_anything_else_is_not_an_answer(answer):
    if answer in ("a", "b", "tie"):
        return
    with pytest.raises(AnswerError, match="takes 'a', 'b', 'tie'; got"):
        BETTER.read(answer, Shown(order=AS_IS))


def test_a_tie_is_refused_where_there_is_none():
    strict = Comparative(name="better", text="Which?", tie=False)

    with pytest.raises(AnswerError, match="takes 'a', 'b'; got 'tie'"):
        strict.read("tie", Shown(order=AS_IS))


@pytest.mark.parametrize("order", [None, (), ("first",), ("first", "first"), ("a", "b")])
def test_the_order_on_the_screen_must_be_known(order):
    with pytest.raises(AnswerError, match="which side was shown first"):
        BETTER.read("a", Shown(order=order))


def test_the_version_changes_with_every_word():
    reworded = msgspec.structs.replace(BETTER, text="Which conversation did you like better?")

    assert BETTER.version == Comparative(name="better", text=BETTER.text).version
    assert BETTER.version != reworded.version


def test_the_kind_is_found_by_its_name():
    assert QUESTION_KINDS.get(BETTER.kind) is Comparative
    assert BETTER.level == "pairwise"
