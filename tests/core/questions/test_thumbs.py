"""The thumbs question takes up or down."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.thumbs import Thumbs

GOOD = Thumbs(name="good", text="Is this a good reply?", speaker="system")


@pytest.mark.parametrize("answer", ["up", "down"])
def test_up_and_down_are_the_values_and_the_labels(answer):
    assert GOOD.read(answer, Shown()) == answer
    assert GOOD.labels(answer) == (answer,)
    assert GOOD.label_names == ("up", "down")


@pytest.mark.parametrize("answer", ["Up", "Good", True, 1, ["up"], ""])
def test_anything_else_is_refused(answer):
    with pytest.raises(AnswerError, match="'good' takes 'up', 'down'; got"):
        GOOD.read(answer, Shown())


def test_it_is_nominal_and_about_turns_here():
    assert (GOOD.level, GOOD.about) == ("nominal", "turn")
