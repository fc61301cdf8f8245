"""Short answers: worked by hand from the published rules."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.metrics import find_metric
from palaver.metrics.qa import normalised
from palaver.metrics.vqa import CONTRACTIONS, accuracy_among
from palaver.metrics.vqa import normalised as vqa_normalised

F1 = find_metric("squad_f1")
EM = find_metric("squad_em")
VQA = find_metric("vqa_accuracy")
quick = settings(max_examples=50, deadline=None)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Cat", "cat"),
        ("a cat an owl the dog", "cat owl dog"),
        ("theatre and another anthem", "theatre and another anthem"),
        ("U.S.A.", "usa"),
        ("twenty-one", "twentyone"),
        ("  many \t spaces \n ", "many spaces"),
        ("A.", ""),  # punctuation goes first, then the article
        ("“quoted”", "“quoted”"),  # only ASCII punctuation goes
        ("the", ""),
    ],
)
def test_normalisation(answer: str, expected: str) -> None:
    assert normalised(answer) == expected


@pytest.mark.parametrize(
    ("prediction", "answers", "f1", "exact"),
    [
        ("Denver Broncos", ["Denver Broncos", "the Broncos"], 1.0, 1.0),
        ("the Denver Broncos team", ["Denver Broncos"], 4 / 5, 0.0),
        ("Broncos", ["Denver Broncos", "Broncos of Denver"], 2 / 3, 0.0),
        ("no no yes", ["no yes yes"], 2 * 2 / 6, 0.0),  # each word as often as on both sides
        ("", [], 1.0, 1.0),
        ("the", [], 1.0, 1.0),  # nothing is left of it
        ("something", [], 0.0, 0.0),
        ("", ["something"], 0.0, 0.0),
        ("something", ["", "something"], 1.0, 1.0),  # an empty answer beside a real one is dropped
        ("", ["", "something"], 0.0, 0.0),
        ("1998", "1998", 1.0, 1.0),
    ],
)
def test_squad(prediction: str, answers: list[str] | str, f1: float, exact: float) -> None:
    assert F1.compute([prediction], [answers]).value == pytest.approx(f1)
    assert EM.compute([prediction], [answers]).value == exact


def test_questions_with_and_without_an_answer_are_told_apart() -> None:
    found = EM.compute(["a cat", "", "dog"], [["cat"], [], []])
    assert found.value == pytest.approx(2 / 3)
    assert found.parts == {
        "with_answer": {"value": 1.0, "n": 1},
        "without_answer": {"value": 0.5, "n": 2},
    }
    assert EM.compute(["a cat"], [["cat"]]).parts == {}


@quick
@given(
    st.text(alphabet="ab c", max_size=12),
    st.lists(st.text(alphabet="ab c", max_size=12), max_size=3),
)
def test_exact_match_never_beats_f1_and_more_answers_never_hurt(
    prediction: str, answers: list[str]
) -> None:
    f1 = F1.compute([prediction], [answers]).value
    assert EM.compute([prediction], [answers]).value <= f1
    if any(normalised(answer) for answer in answers):
        assert F1.compute([prediction], [[*answers, "bab"]]).value >= f1


def test_vqa_formula_by_enumeration() -> None:
    """Leave each person out in turn, count who of the others said the same, cap at three."""
    for people in range(2, 9):
        for said in product((True, False), repeat=people):
            scores = [min(1.0, sum(said[:left] + said[left + 1 :]) / 3) for left in range(people)]
            expected = sum(scores) / people
            assert accuracy_among(sum(said), people) == pytest.approx(expected, abs=1e-12)


def test_vqa_known_values() -> None:
    """10 of 10, 3 of 10 and 1 of 10 people score 1, 0.9 and 0.3."""
    answers = [["red"] * n + ["blue"] * (10 - n) for n in (10, 3, 1)]
    assert VQA.compute(["red"] * 3, answers).per_item == pytest.approx((1.0, 0.9, 0.3))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Two", "2"),
        ("none", "0"),
        ("the red car", "red car"),
        ("yes.", "yes"),
        ("3.5", "3.5"),
        ("red, white", "red white"),
        ("red,white", "red white"),
        ("1,500 people!", "1500 people"),
        ("t-shirt", "t shirt"),
        ("(left)", "left"),
        ("dont know", "don't know"),
        ("couldnt've", "couldn't've"),
        ("it's", "it's"),
        ("oclock", "o'clock"),
        ("new\nyork\tcity", "new york city"),
    ],
)
def test_vqa_normalisation(answer: str, expected: str) -> None:
    assert vqa_normalised(answer) == expected


def test_vqa_contractions() -> None:
    assert CONTRACTIONS["youre"] == "you're"
    assert CONTRACTIONS["y'all'dve"] == "y'all'd've"
    assert CONTRACTIONS["somebody'd"] == "somebodyd"
    # Words of their own that only look like contractions stay as they are.
    assert not {"lets", "shes", "well", "were", "its", "shed", "wed"} & set(CONTRACTIONS)


def test_vqa_with_few_people_says_so() -> None:
    found = VQA.compute(["red"], [["red", "red"]])
    assert found.value == pytest.approx(1 / 3)
    assert "1 of 1 questions have 3 answers or fewer" in found.warnings[0]
