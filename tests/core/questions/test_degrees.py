"""A comparison that asks how much better, and questions that stand beside one."""

import pytest

from palaver.core.errors import AnswerError
from palaver.core.questions import Comparative, Shown
from palaver.core.questions.comparative import degree_of, is_asked, side_of
from palaver.core.questions.flow import Flow
from palaver.core.questions.text import FreeText
from palaver.studies.file.questions import find_built_in

GRADED = Comparative(name="which", text="Which?", degrees=("slightly", "definitely"))


@pytest.mark.parametrize(
    ("sent", "order", "stored"),
    [
        ("2a", ("first", "second"), "first:2"),
        ("1a", ("second", "first"), "second:1"),
        ("1b", ("first", "second"), "second:1"),
        ("2b", ("second", "first"), "first:2"),
        ("tie", ("second", "first"), "tie"),
    ],
)
def test_a_degree_is_stored_behind_the_side_of_the_unit(
    sent: str, order: tuple[str, str], stored: str
) -> None:
    assert GRADED.read(sent, Shown(order=order)) == stored
    assert GRADED.on_screen(stored, order) == sent


@pytest.mark.parametrize("sent", ["a", "b", "3a", "0b", "2", "neither", "first:2", 2])
def test_what_is_not_offered_is_refused(sent: object) -> None:
    with pytest.raises(AnswerError, match=r"'1a', '2a', '1b', '2b', 'tie'"):
        GRADED.read(sent, Shown(order=("first", "second")))


def test_a_comparison_without_degrees_takes_none() -> None:
    with pytest.raises(AnswerError):
        Comparative(name="which", text="Which?").read("2a", Shown(order=("first", "second")))


def test_the_words_and_the_codebook_of_degrees() -> None:
    assert [each.value for each in GRADED.codebook] == [
        *("first:1", "first:2", "second:1", "second:2"),
        "tie",
    ]
    assert GRADED.in_words("second:2") == "the second, definitely"
    assert GRADED.in_words("first") == "the first"
    assert GRADED.labels("second:2") == ("second",)
    assert "“slightly”" in GRADED.stored_as
    assert (side_of("second:2"), degree_of("second:2")) == ("second", 2)


def test_neither_is_offered_with_degrees_too() -> None:
    question = Comparative(name="q", text="?", degrees=("a bit", "much"), label_neither="Neither")
    assert [answer for answer, _, _ in question.offered] == [
        *("2a", "1a", "tie", "1b", "2b"),
        "neither",
    ]


@pytest.mark.parametrize("degrees", [("much",), ("much", "much"), ("much", " ")])
def test_degrees_that_cannot_be_told_apart(degrees: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="two or more different words"):
        Comparative(name="q", text="?", degrees=degrees)


def test_a_new_key_with_its_default_is_no_new_version() -> None:
    plain = Comparative(name="q", text="?")
    assert (
        plain.version == Comparative(name="q", text="?", degrees=(), worse="the worse one").version
    )
    assert plain.version != GRADED.version


def test_beside_a_comparison_a_question_is_about_the_pair() -> None:
    why = FreeText(name="why", text="Why?", beside="which")
    assert why.about == "pair"
    assert not why.names_a_side
    assert FreeText(name="why", text="Why is {worse} worse?", beside="which").names_a_side


def test_what_cannot_stand_beside_a_comparison() -> None:
    with pytest.raises(ValueError, match="'beside'"):
        FreeText(name="why", text="Why?", beside="which", speaker="system")
    with pytest.raises(ValueError, match="'beside'"):
        Comparative(name="other", text="?", beside="which")


def test_the_worse_of_two_is_asked_about_only_where_one_is_worse() -> None:
    why = FreeText(name="why", text="Why is {worse} worse?", beside="which")
    asked = [is_asked(why, compared) for compared in ("first:2", "second", "tie", "neither", None)]
    assert asked == [True, True, False, False, False]
    assert is_asked(FreeText(name="why", text="Why?", beside="which"), "tie")


def test_the_built_in_questions_about_advice() -> None:
    better, worse, comment = map(find_built_in, ("advice_better", "advice_worse", "advice_comment"))
    assert isinstance(better, Comparative)
    assert isinstance(worse, Flow)
    assert [answer for answer, _, _ in better.offered] == ["2a", "1a", "1b", "2b"]
    assert {worse.about, comment.about} == {"pair"}
    assert worse.names_a_side
    assert not comment.required
    assert worse.read({"still": "helpful", "rewriting": "writing"}, Shown())
    with pytest.raises(AnswerError, match="only asked after"):
        worse.read({"still": "helpful", "elsewhere": "neutral"}, Shown())
    with pytest.raises(AnswerError, match="'elsewhere_dangerous'"):
        worse.read({"still": "dangerous"}, Shown())
