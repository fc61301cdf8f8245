"""Validators of whom something stands out are named with their counts, and their votes stay."""

import random
from dataclasses import replace

from palaver.core.evaluation.rounds import ExampleVote, RoundTerms, WrittenExample
from palaver.evaluation.rounds.validators import validator_notes, validators
from support.written_rounds import example

TERMS = RoundTerms(validators=3, matching=2)


def judged(rounds: int = 40, *, seed: int = 1, odd: str = "") -> list[WrittenExample]:
    """Examples that six honest validators judge by threes, and one `odd` one in a place of theirs."""
    dice = random.Random(seed)
    found = []
    for n in range(rounds):
        truth = "correct" if dice.random() < 0.6 else "incorrect"
        raters = dice.sample([f"r{k}" for k in range(6)], 3)
        votes = [
            ExampleVote(rater=r, verdict=truth if dice.random() < 0.85 else other(truth))
            for r in raters
        ]
        if odd:
            drawn = dice.choice(["correct", "incorrect", "flagged"])
            kinds = {"flags": "flagged", "contrary": other(truth), "yes": "correct", "lot": drawn}
            said = kinds[odd]
            votes[0] = ExampleVote(rater="odd", verdict=said)
        found.append(replace(example(n, "ann"), votes=tuple(votes)))
    return found


def other(verdict: str) -> str:
    return "incorrect" if verdict == "correct" else "correct"


def test_honest_validators_are_not_named() -> None:
    assert all(validator_notes(judged(seed=seed), TERMS) == () for seed in range(30))


def test_who_flags_everything_is_named_with_counts() -> None:
    [found] = validator_notes(judged(odd="flags"), TERMS)
    assert (found.rater, found.flagged, found.votes) == ("odd", 40, 40)
    assert found.notes[0] == "flags 40 of 40 examples; others do in 0 %"


def test_who_always_says_one_thing_is_named() -> None:
    [found] = validator_notes(judged(odd="yes"), TERMS)
    assert found.notes[0].startswith("says “correct” to 40 of 40 examples; others do in ")


def test_who_disagrees_with_what_others_settled_is_named() -> None:
    [found] = validator_notes(judged(odd="contrary"), TERMS)
    assert found.agreed < found.compared / 4
    apart = f"disagrees on {found.compared - found.agreed} of {found.compared} examples"
    assert found.notes[0].startswith(f"{apart} that others settled; by chance it would be ")


def test_who_answers_by_lot_is_named_where_there_is_enough_to_see_it() -> None:
    [found] = validator_notes(judged(80, odd="lot"), TERMS)
    assert found.rater == "odd"
    assert "no less than by chance" in found.notes[0]


def test_of_a_few_votes_nothing_is_said() -> None:
    assert validator_notes(judged(9, odd="flags"), TERMS) == ()


def test_an_owners_verdict_is_nobodys_vote_and_settles() -> None:
    owner = ExampleVote(rater="olga", verdict="correct", mode="owner")
    votes = (ExampleVote(rater="ben", verdict="incorrect"), owner)
    [found] = validators([replace(example(1, "ann"), votes=votes)], TERMS)
    assert (found.rater, found.compared, found.agreed) == ("ben", 1, 0)
