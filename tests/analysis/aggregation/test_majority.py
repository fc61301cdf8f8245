"""The majority: against counting, and what becomes of ties."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.analysis.aggregation import Answers, majority
from palaver.core.errors import InputError
from palaver.core.serial import plain

ANSWERS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.sampled_from("abc")),
    min_size=1,
    max_size=30,
    unique_by=lambda each: each[:2],
)


@settings(max_examples=50, deadline=None)
@given(ANSWERS)
def test_it_agrees_with_counting(said):
    for unit in majority(Answers.of(said)).units:
        counts = Counter(value for name, _, value in said if name == unit.unit)
        most = max(counts.values())
        best = sorted(value for value, count in counts.items() if count == most)
        assert unit.label == (best[0] if len(best) == 1 else None)
        assert list(unit.tied) == (best if len(best) > 1 else [])
        assert unit.probability == pytest.approx(most / sum(counts.values()))


@settings(max_examples=50, deadline=None)
@given(ANSWERS)
def test_competence_is_agreement_with_the_others(said):
    for rater in majority(Answers.of(said)).raters:
        right = judged = 0
        for unit, name, value in said:
            if name != rater.rater:
                continue
            others = Counter(v for u, r, v in said if u == unit and r != name).most_common()
            if others and (len(others) == 1 or others[0][1] > others[1][1]):
                judged += 1
                right += others[0][0] == value
        if judged:
            assert rater.competence == pytest.approx(right / judged)
        else:
            assert rater.competence != rater.competence
            assert rater.reason
            assert plain(rater)["competence"] is None


def test_a_tie_is_decided_as_asked():
    answers = Answers.of([(n, rater, "ab"[rater]) for n in range(60) for rater in range(2)])
    assert {unit.label for unit in majority(answers, ties="first").units} == {"a"}
    drawn = majority(answers, ties="random", seed=3)
    assert {unit.label for unit in drawn.units} == {"a", "b"}
    assert drawn == majority(answers, ties="random", seed=3)
    assert drawn != majority(answers, ties="random", seed=4)
    undecided = majority(answers)
    assert undecided.warnings == ("60 of 60 units are tied and have no label.",)
    with pytest.raises(InputError, match="got 'last'"):
        majority(answers, ties="last")


def test_the_surest_units_are_kept():
    said = [("sure", n, "a") for n in range(3)] + [("split", n, "aab"[n]) for n in range(3)]
    said += [("tied", 0, "a"), ("tied", 1, "b")]
    found = majority(Answers.of(said))
    assert found.most_certain(0) == frozenset()
    assert found.most_certain(1 / 3) == {"sure"}
    assert found.most_certain(2 / 3) == {"sure", "split"}
    assert found.most_certain(1) == {"sure", "split"}
    with pytest.raises(InputError, match=r"got 1\.5"):
        found.most_certain(1.5)


def test_one_rater_is_followed_and_has_no_competence():
    found = majority(Answers.of([("d", "ann", 3), ("e", "ann", 4)]))
    assert [unit.label for unit in found.units] == [3, 4]
    assert found.raters[0].reason == "no unit of this rater has a majority among the others"
