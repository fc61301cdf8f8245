"""Who leads, in one sentence that says no more than is known."""

from palaver.analysis.rank_sets import open_sentence, order_sentence


def test_one_system_leads_nobody() -> None:
    assert order_sentence(["A"], [["A"]]) == "A is the only system"


def test_without_a_test_of_the_order_the_top_is_named_and_does_not_lead() -> None:
    why = "there is one vote only"
    assert open_sentence({"A": 1.0}, why, what="score") == "A is the only system"
    two = open_sentence({"A": 1.0, "B": 1.0, "C": 0.5}, why, what="score", final=False)
    assert two == (
        "No system leads yet: there is one vote only; A and B share the highest score so far"
    )
