"""When a rule says that votes are enough."""

import pytest

from palaver.analysis.ranking.verdict import PairVerdict, SystemVerdict, VoteVerdict
from palaver.analysis.sequential.stopping import should_stop
from palaver.core.estimates import Estimate
from palaver.core.studies.stops import StoppingRule

NONE = Estimate.undefined("nobody asked")


def said(pairs: dict[str, str], *, votes: int = 100, systems: str = "ABC") -> VoteVerdict:
    """A verdict on these systems: decided (>), equal (=) or open (?) for each pair."""
    return VoteVerdict(
        inference="anytime",
        systems=tuple(
            SystemVerdict(system=name, wins=1, rate=NONE, strength=NONE) for name in systems
        ),
        pairs=tuple(
            PairVerdict(
                higher=name[0],
                lower=name[1],
                rate=NONE,
                difference=NONE,
                decided=how == ">",
                equal=how == "=",
            )
            for name, how in pairs.items()
        ),
        votes=votes,
        answer="so far",
    )


@pytest.mark.parametrize(
    ("pairs", "order", "leader"),
    [
        ({"AB": ">", "AC": ">", "BC": ">"}, True, True),
        ({"AB": ">", "AC": ">", "BC": "="}, True, True),
        ({"AB": ">", "AC": ">", "BC": "?"}, False, True),
        ({"AB": "=", "AC": ">", "BC": ">"}, True, True),
        # Sets that overlap: C is worse than A, so it cannot be first, whatever it is to B.
        ({"AB": "=", "AC": ">", "BC": "?"}, False, True),
        # C is worse than B and may still be as good as A; it cannot be first either.
        ({"AB": "=", "AC": "?", "BC": ">"}, False, True),
        ({"AB": "?", "AC": ">", "BC": ">"}, False, False),
        ({"AB": "=", "AC": "?", "BC": "="}, False, False),
        ({"AB": "=", "AC": "=", "BC": "="}, True, True),
        ({}, False, False),
    ],
)
def test_a_rule_stops_when_what_it_waits_for_is_decided(
    pairs: dict[str, str], order: bool, leader: bool
) -> None:
    verdict = said(pairs)
    for until, wanted in (("order", order), ("leader", leader)):
        stop = should_stop(StoppingRule(until=until), verdict)  # type: ignore[arg-type]
        assert (stop is not None) == wanted
        if stop is not None:
            assert (stop.reason, stop.votes, stop.answer) == ("decided", 100, "so far")


def test_a_rule_stops_when_the_votes_are_spent() -> None:
    open_ = said({"AB": "?"}, systems="AB", votes=600)
    assert should_stop(StoppingRule(at_most=601), open_) is None
    spent = should_stop(StoppingRule(at_most=600), open_)
    assert spent is not None
    assert spent.reason == "spent"


def test_a_system_without_votes_may_still_be_first() -> None:
    verdict = said({"AB": ">", "AZ": "?", "BZ": "?"}, systems="ABZ")
    assert should_stop(StoppingRule(until="leader"), verdict) is None
