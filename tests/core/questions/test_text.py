"""The text question takes words."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.text import FreeText

COMMENT = FreeText(name="comment", text="Anything else?", max_characters=10, least_characters=3)


def test_the_space_around_is_taken_off_and_line_ends_are_plain():
    assert COMMENT.read("  one\r\ntwo ", Shown()) == "one\ntwo"


@pytest.mark.parametrize("fields", [{}, {"": [""]}, {"": [" \r\n\t"]}])
def test_space_alone_is_no_answer(fields):
    assert COMMENT.parse(fields) is None


@pytest.mark.parametrize("answer", [7, True, ["text"], {}, "", "   "])
def test_what_is_no_text_is_refused(answer):
    with pytest.raises(AnswerError, match="'comment' takes a text; got"):
        COMMENT.read(answer, Shown())


def test_the_length_has_two_ends():
    assert COMMENT.read("x" * 10, Shown()) == "x" * 10
    with pytest.raises(AnswerError, match="takes 10 characters at most; got 11"):
        COMMENT.read("x" * 11, Shown())
    with pytest.raises(AnswerError, match="takes 3 characters or more; got 2"):
        COMMENT.read(" xx ", Shown())


@pytest.mark.parametrize("text", ["a\0bc", "abc\ud83d"])
def test_what_cannot_be_stored_is_refused(text):
    with pytest.raises(AnswerError, match="a character that cannot be stored"):
        COMMENT.read(text, Shown())


def test_it_has_no_labels():
    assert (COMMENT.level, COMMENT.label_names, COMMENT.labels("fine")) == ("text", (), ())


@pytest.mark.parametrize(
    "options",
    [
        {"max_characters": 0},
        {"least_characters": -1},
        {"least_characters": 9, "max_characters": 8},
        {"lines": 0},
    ],
)
def test_lengths_that_cannot_be_are_refused(options):
    with pytest.raises(ValueError, match="takes"):
        FreeText(name="q", text="?", **options)
