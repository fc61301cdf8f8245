"""The choice question takes exactly one option."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Shown
from palaver.core.questions.choice import Choice
from palaver.core.questions.options import Option

NEEDS = Choice(
    name="needs",
    text="What does the reply do?",
    options=(
        Option("answers", "It answers", label="answer"),
        Option("asks", "It asks"),
        Option("ends", "It says goodbye", speaker="system"),
        Option("begs", "It begs", speaker=0),
    ),
)
PERSON, SYSTEM = Shown(role="user", seat=0), Shown(role="system", seat=1)


def test_an_option_is_named_by_its_id():
    assert NEEDS.read("asks", Shown()) == "asks"


@pytest.mark.parametrize("answer", ["It asks", "", 1, True, ["asks"], {"asks": 1}])
def test_anything_else_is_refused(answer):
    with pytest.raises(AnswerError, match="takes 'answers', 'asks', 'ends', 'begs'; got"):
        NEEDS.read(answer, Shown())


def test_an_option_with_a_speaker_is_offered_on_that_speakers_turns():
    assert [option.id for option in NEEDS.options_for(PERSON)] == ["answers", "asks", "begs"]
    assert [option.id for option in NEEDS.options_for(SYSTEM)] == ["answers", "asks", "ends"]
    assert len(NEEDS.options_for(Shown())) == 4

    assert NEEDS.read("ends", SYSTEM) == "ends"
    with pytest.raises(AnswerError, match="takes 'answers', 'asks', 'begs'; got 'ends'"):
        NEEDS.read("ends", PERSON)


def test_the_label_is_that_of_the_option_or_its_id():
    assert NEEDS.label_names == ("answer", "asks", "ends", "begs")
    assert (NEEDS.labels("answers"), NEEDS.labels("asks")) == (("answer",), ("asks",))


def test_a_study_says_whether_the_options_are_in_an_order():
    options = (Option("low", "Low"), Option("high", "High"))

    assert NEEDS.level == "nominal"
    assert Choice(name="q", text="?", options=options, level="ordinal").level == "ordinal"


def test_a_long_list_is_cut_in_the_message():
    many = Choice(name="q", text="?", options=tuple(Option(f"o{n}", "O") for n in range(40)))

    with pytest.raises(AnswerError, match=r"'o11' and 28 more; got 'x{20,}\.\.\.x{20,}'\.$"):
        many.read("x" * 1000, Shown())


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ((Option("a", "A"),), "'options' needs 2 or more entries; got 1"),
        ((Option("a", "A"), Option("a", "B")), "The id 'a' is listed twice under 'options'"),
        ((Option("a", "A"), Option("", "B")), "An id under 'options' is empty"),
        (
            (Option("a", "A"), Option("b", "B", speaker="bot")),
            "'speaker' of 'b' takes 'system', 'user', 'any' or the number of a seat; got 'bot'",
        ),
    ],
)
def test_options_that_cannot_be_told_apart_are_refused(options, problem):
    with pytest.raises(ValueError, match=problem):
        Choice(name="q", text="?", options=options)
