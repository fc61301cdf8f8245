"""Bonuses as data: exact amounts per person, and what they rest on."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from palaver.core.evaluation.bonuses import Bonus
from palaver.core.evaluation.rounds import BonusRule, ExampleVote, RoundTerms, WrittenExample
from palaver.core.money import minor_digits
from palaver.evaluation.rounds import bonuses as rules
from palaver.evaluation.rounds.bonuses import earned_in
from support.written import written


def terms(**rules: float) -> RoundTerms:
    named: dict[BonusRule, float] = {"verified": 0.0, "fooling": 0.0, "judged": 0.0}
    return RoundTerms(bonus={rule: rules[rule] for rule in named if rule in rules})


def bonuses(
    examples: Sequence[WrittenExample], terms: RoundTerms, *, currency: str
) -> tuple[Bonus, ...]:
    earned = earned_in(examples, terms, judged_before={})
    return rules.bonuses(earned, terms, currency=currency)


def by_person(found: tuple[Bonus, ...]) -> dict[str, str]:
    return {each.person: f"{each.amount} {each.currency}" for each in found}


def test_writers_earn_by_what_was_verified_and_by_what_fooled() -> None:
    examples = [
        *(written(n, writer="w1") for n in range(3)),
        written(3, writer="w2"),
        written(4, writer="w2", standing="waiting"),
        written(5, writer="w2", retracted=True),
        written(6, writer="w2", notes=("duplicate",)),
        written(7, writer="w3", standing="incorrect"),
    ]
    paid = terms(verified=0.5, fooling=0.1)
    assert by_person(bonuses(examples, paid, currency="GBP")) == {
        "w1": "1.80 GBP",
        "w2": "0.70 GBP",
        "w3": "0.10 GBP",
    }


def test_what_a_bonus_rests_on_is_named() -> None:
    examples = [written(0), written(1)]
    (bonus,) = bonuses(examples, terms(verified=0.5), currency="USD")
    (part,) = bonus.parts
    assert (part.rule, part.n, part.each, part.amount) == ("verified", 2, "0.50", "1.00")
    assert part.examples == ("d_0-1", "d_1-1")


def test_whoever_judges_earns_for_each_judgement_and_owners_for_none() -> None:
    judged = (
        ExampleVote(rater="v1", verdict="correct"),
        ExampleVote(rater="v2", verdict="flagged"),
        ExampleVote(rater="olga", verdict="correct", mode="owner"),
    )
    examples = [written(0, votes=judged), written(1, votes=judged[:1])]
    found = bonuses(examples, terms(judged=0.05), currency="EUR")
    assert by_person(found) == {"v1": "0.10 EUR", "v2": "0.05 EUR"}


def test_people_who_were_imported_are_paid_nothing() -> None:
    assert bonuses([written(0, writer="anon:abc")], terms(verified=1.0), currency="EUR") == ()


@pytest.mark.parametrize("each", [0.1, 0.07, 0.29, 1.15, 4.35])
def test_sums_are_exact_where_floats_are_not(each: float) -> None:
    # Independent: exact fractions of what the file says.
    examples = [written(n) for n in range(1001)]
    (bonus,) = bonuses(examples, terms(verified=each), currency="EUR")
    assert Fraction(bonus.minor) == Fraction(str(each)) * 1001 * 100
    assert Fraction(bonus.amount) == Fraction(str(each)) * 1001


def test_a_sum_between_two_minor_units_is_rounded_once() -> None:
    (bonus,) = bonuses([written(n) for n in range(3)], terms(verified=0.005), currency="USD")
    assert (bonus.minor, bonus.amount, bonus.parts[0].each) == (2, "0.02", "0.005")


def test_what_somebody_earns_by_several_rules_is_rounded_once() -> None:
    # 3 · 0.005 + 3 · 0.0015 + 1 · 0.005 = 0.0245, where each rule by itself would make it 0.03.
    judged = (ExampleVote(rater="w1", verdict="correct"),)
    examples = [*(written(n) for n in range(3)), written(9, writer="anon:x", votes=judged)]
    paid = terms(verified=0.005, fooling=0.0015, judged=0.005)
    (bonus,) = (each for each in bonuses(examples, paid, currency="USD") if each.person == "w1")
    assert (bonus.minor, bonus.amount) == (2, "0.02")
    assert [part.amount for part in bonus.parts] == ["0.015", "0.0045", "0.005"]


@pytest.mark.parametrize(
    ("currency", "amount", "digits"), [("JPY", "60", 0), ("KWD", "60.000", 3), ("EUR", "60.00", 2)]
)
def test_minor_units_are_those_of_the_currency(currency: str, amount: str, digits: int) -> None:
    (bonus,) = bonuses([written(n) for n in range(2)], terms(verified=30.0), currency=currency)
    assert (bonus.amount, minor_digits(currency)) == (amount, digits)
