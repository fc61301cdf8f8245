"""What votes come to, over every sequence of up to five votes."""

from collections import Counter
from itertools import permutations, product

import pytest

from palaver.core.evaluation.example_standing import standing_of

VERDICTS = ("correct", "incorrect", "flagged")
TERMS = [(3, 2), (1, 1), (4, 3), (5, 3), (3, 3)]
CASES = [
    (validators, matching, votes)
    for validators, matching in TERMS
    for size in range(validators + 1)
    for votes in product(VERDICTS, repeat=size)
]


def outcomes(votes: tuple[str, ...], validators: int, matching: int) -> set[str]:
    """The verdicts that some way of filling up the votes leads to, found by trying all of them."""
    found = set()
    for rest in product(VERDICTS, repeat=validators - len(votes)):
        counts = Counter((*votes, *rest))
        found |= {verdict for verdict, count in counts.items() if count >= matching}
    return found


def test_votes_settle_an_example_exactly_where_no_later_vote_could_change_it() -> None:
    """With a majority as `matching` there is one verdict at most, and it stays."""
    for validators, matching, votes in CASES:
        standing = standing_of(votes, matching=matching, validators=validators)
        reached = [each for each in VERDICTS if votes.count(each) >= matching]
        if reached:
            assert [standing] == reached
        elif outcomes(votes, validators, matching):
            assert standing == "waiting"
        else:
            assert standing == "split"


def test_the_order_of_votes_makes_no_difference() -> None:
    for validators, matching, votes in CASES:
        found = {
            standing_of(each, matching=matching, validators=validators)
            for each in permutations(votes)
        }
        assert len(found) == 1


@pytest.mark.parametrize("verdict", VERDICTS)
def test_an_owner_settles_whatever_others_said(verdict: str) -> None:
    for _, _, votes in CASES:
        assert standing_of(votes, matching=2, validators=3, owner=verdict) == verdict


def test_two_verdicts_with_as_many_votes_settle_nothing() -> None:
    votes = ("correct", "correct", "incorrect", "incorrect")
    assert standing_of(votes, matching=2, validators=4) == "split"
    assert standing_of((*votes, "correct"), matching=2, validators=3) == "correct"
