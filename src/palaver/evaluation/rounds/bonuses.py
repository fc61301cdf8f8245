"""What the people of a round are owed beside their pay, by the rules that it was opened with.

Amounts are decimal as the study file writes them and are added up exactly; what somebody is owed in all
is rounded to minor units once, half up. What was earned is fixed when the round is closed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal

from palaver.core.evaluation.bonuses import Bonus, BonusPart
from palaver.core.evaluation.rounds import BonusRule, Earned, RoundTerms, WrittenExample
from palaver.core.money import minor_digits
from palaver.evaluation.rounds.pseudonyms import ANONYMOUS


def earned_in(
    examples: Sequence[WrittenExample],
    terms: RoundTerms,
    *,
    judged_before: Mapping[str, Sequence[str]],
) -> Earned:
    """What each person has earned in a round as it stands; imported people earn nothing.

    `judged_before` says who judged examples that are erased since, by their uids.

    An example that says what an earlier one says earns nothing, and neither does one that was taken
    back; whoever judged it did their work all the same.
    """
    earned: dict[str, dict[BonusRule, list[str]]] = defaultdict(lambda: defaultdict(list))
    for rule, person, uid in _earnings(examples, judged_before):
        if terms.bonus.get(rule) and not person.startswith(ANONYMOUS):
            earned[person][rule].append(uid)
    return {
        person: {rule: tuple(uids) for rule, uids in rules.items()}
        for person, rules in earned.items()
    }


def bonuses(earned: Earned, terms: RoundTerms, *, currency: str = "") -> tuple[Bonus, ...]:
    """What each person is owed for what they earned, the largest amount first."""
    digits = minor_digits(currency)
    found = [_bonus(person, rules, terms, currency, digits) for person, rules in earned.items()]
    return tuple(sorted(found, key=lambda each: (-each.minor, each.person)))


def _earnings(
    examples: Sequence[WrittenExample], judged_before: Mapping[str, Sequence[str]]
) -> Iterator[tuple[BonusRule, str, str]]:
    """Which rule holds for whom, and on account of which example."""
    for example in examples:
        if example.is_verified:
            yield "verified", example.writer, example.uid
        if example.is_fooling and not example.is_duplicate:
            yield "fooling", example.writer, example.uid
        for vote in example.votes:
            if vote.mode == "user":
                yield "judged", vote.rater, example.uid
    for uid, raters in judged_before.items():
        for rater in raters:
            yield "judged", rater, uid


def _bonus(
    person: str,
    rules: Mapping[BonusRule, Sequence[str]],
    terms: RoundTerms,
    currency: str,
    digits: int,
) -> Bonus:
    # The shortest text of a float is what the file says: 0.1 is a tenth, not the nearest double.
    rates = {rule: Decimal(str(each)) for rule, each in terms.bonus.items() if rules.get(rule)}
    parts = tuple(_part(rule, rules[rule], each, digits) for rule, each in rates.items())
    exact = sum((each * len(rules[rule]) for rule, each in rates.items()), Decimal(0))
    minor = exact.scaleb(digits).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return Bonus(person=person, parts=parts, currency=currency, minor=int(minor), digits=digits)


def _part(rule: BonusRule, uids: Sequence[str], each: Decimal, digits: int) -> BonusPart:
    return BonusPart(
        rule=rule,
        n=len(uids),
        each=_written(each, digits),
        amount=_written(each * len(uids), digits),
        examples=tuple(uids),
    )


def _written(amount: Decimal, digits: int) -> str:
    """An amount to its last digit, and at least as money is written."""
    return f"{max(amount, Decimal(0)):.{max(digits, -_exponent(amount))}f}"


def _exponent(amount: Decimal) -> int:
    found = amount.normalize().as_tuple().exponent
    return found if isinstance(found, int) else 0
