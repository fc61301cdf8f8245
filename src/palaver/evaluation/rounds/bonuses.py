"""What the people of a round are owed beside their pay, by the rules that it was opened with.

Amounts are decimal as the study file writes them and are added up exactly; a sum that is no whole number
of minor units is rounded once, half up.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

from palaver.core.evaluation.bonuses import Bonus, BonusPart
from palaver.core.evaluation.rounds import BonusRule, RoundTerms, WrittenExample
from palaver.evaluation.rounds.pseudonyms import ANONYMOUS

# Currencies whose minor unit is not a hundredth: ISO 4217, as of 2024.
NO_MINOR = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI"}
    | {"VND", "VUV", "XAF", "XOF", "XPF"}
)
THOUSANDTHS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])


def bonuses(
    examples: Sequence[WrittenExample], terms: RoundTerms, *, currency: str = ""
) -> tuple[Bonus, ...]:
    """What each person is owed, the largest amount first; imported people are paid nothing.

    An example that says what an earlier one says earns nothing, and neither does one that was taken
    back.
    """
    digits = minor_digits(currency)
    earned: dict[str, dict[BonusRule, list[str]]] = defaultdict(lambda: defaultdict(list))
    for rule, person, uid in _earnings(examples):
        if terms.bonus.get(rule) and not person.startswith(ANONYMOUS):
            earned[person][rule].append(uid)
    found = [_bonus(person, rules, terms, currency, digits) for person, rules in earned.items()]
    return tuple(sorted(found, key=lambda each: (-each.minor, each.person)))


def minor_digits(currency: str) -> int:
    """How many digits stand behind the point in a currency."""
    if currency in NO_MINOR:
        return 0
    return 3 if currency in THOUSANDTHS else 2


def _earnings(examples: Sequence[WrittenExample]) -> Iterator[tuple[BonusRule, str, str]]:
    """Which rule holds for whom, and on account of which example."""
    for example in examples:
        if example.is_verified:
            yield "verified", example.writer, example.uid
        if example.is_fooling and not example.is_duplicate:
            yield "fooling", example.writer, example.uid
        for vote in example.votes:
            if vote.mode == "user":
                yield "judged", vote.rater, example.uid


def _bonus(
    person: str,
    rules: dict[BonusRule, list[str]],
    terms: RoundTerms,
    currency: str,
    digits: int,
) -> Bonus:
    parts = tuple(
        _part(rule, rules[rule], each, digits)
        for rule, each in terms.bonus.items()
        if rules.get(rule)
    )
    return Bonus(
        person=person,
        parts=parts,
        currency=currency,
        minor=sum(part.minor for part in parts),
        digits=digits,
    )


def _part(rule: BonusRule, uids: Sequence[str], each: float, digits: int) -> BonusPart:
    # The shortest text of a float is what the file says: 0.1 is a tenth, not the nearest double.
    exact = Decimal(str(each))
    minor = (exact * len(uids)).scaleb(digits).quantize(Decimal(1), rounding=ROUND_HALF_UP)
    return BonusPart(
        rule=rule,
        n=len(uids),
        each=f"{max(exact, Decimal(0)):.{max(digits, -_exponent(exact))}f}",
        minor=int(minor),
        examples=tuple(uids),
    )


def _exponent(amount: Decimal) -> int:
    found = amount.normalize().as_tuple().exponent
    return found if isinstance(found, int) else 0
