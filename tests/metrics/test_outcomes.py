"""What came of dialogues, in the shapes in which outcomes are written down."""

from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.metrics import Score, find_metric


def score(name: str, outcomes: list[Any], **options: Any) -> Score:
    """The score of some outcomes."""
    return find_metric(name).compute(outcomes, **options)


def exported(*seats: int, ending: dict[str, Any] | None = None) -> dict[str, Any]:
    """A line of an exported dialogue in which the seats spoke in this order."""
    events: list[dict[str, Any]] = [
        {"seq": 1, "seat": 0, "action": "join", "time": 0.0},
        *(
            {"seq": n, "seat": seat, "action": "message", "data": {"text": "hi"}, "time": 0.0}
            for n, seat in enumerate(seats, start=2)
        ),
    ]
    if ending is not None:
        data = {"reason": "done", "outcome": ending}
        events.append({"seq": 9, "seat": None, "action": "end", "data": data, "time": 0.0})
    return {"id": "d1", "study": "s", "seats": [], "events": events}


def test_success_in_the_shapes_of_three_games() -> None:
    friends = {"reward": 1}
    bargain = {"reward": 0, "offer": {"price": 20}}
    shared = {"reward": {"0": 6, "1": 4}, "valid_deal": True, "agreed": True}
    nested = {"uuid": "C_1", "outcome": {"reward": 1}}
    found = score("success_rate", [friends, bargain, shared, nested])
    assert found.per_item == (1.0, 0.0, 1.0, 1.0)


def test_rewards_of_two_sides() -> None:
    outcomes = [
        {"reward": {"0": 8, "1": 4}, "agreed": True},
        {"reward": [0, 0], "agreed": False},
    ]
    assert score("reward", outcomes).per_item == (6.0, 0.0)
    assert score("reward", outcomes, side="sum").per_item == (12.0, 0.0)
    assert score("reward", outcomes, side="1").per_item == (4.0, 0.0)
    agreed = score("reward", outcomes, side="0", agreed_only=True)
    assert (agreed.value, agreed.n, agreed.parts) == (8.0, 1, {"left_out": 1})
    # Games write a single 0 where there was no deal.
    assert score("reward", [outcomes[0], {"reward": 0}], side="1").per_item == (4.0, 0.0)
    nobody = score("reward", outcomes[1:], agreed_only=True)
    assert nobody.reason == "no dialogue ended in an agreement"


def test_agreement_by_what_both_chose() -> None:
    outcomes: list[Any] = [
        {"selections": [{"Name": "Ann"}, {"Name": "Ann"}]},
        {"selections": {"0": "Ann", "1": "Bob"}},
        {"selections": [None, None]},
        {"agreed": 1},
    ]
    assert score("agreement_rate", outcomes).per_item == (1.0, 0.0, 0.0, 1.0)


def test_exported_dialogues() -> None:
    lines = [exported(0, 1, 1, 0, ending={"reward": 1}), exported(1, 1)]
    assert score("turns", lines).per_item == (3.0, 1.0)
    assert score("completion_rate", lines).per_item == (1.0, 0.0)
    assert score("success_rate", lines[:1]).value == 1.0
    assert score("success_per_turn", lines[:1]).value == pytest.approx(1 / 3)
    # What did not end has no outcome, and that is not a failure.
    with pytest.raises(InputError, match="Outcome 2: it has no 'success'"):
        score("success_rate", lines)


def test_success_per_turn() -> None:
    played = [{"success": True, "turns": 6}, {"success": False, "turns": 4}]
    found = score("success_per_turn", played)
    assert (found.value, found.parts) == (0.1, {"successes": 1, "turns": 10.0})
    still = score("success_per_turn", [{"success": False, "turns": 0}])
    assert still.reason == "the dialogues have no turns"


@pytest.mark.parametrize(
    ("name", "outcome", "options", "words"),
    [
        ("success_rate", {"reward": {"0": 1, "1": 1}}, {}, "'reward' must be true or false"),
        ("success_rate", {"success": "no"}, {}, "got 'no'"),
        ("completion_rate", {"agreed": True}, {}, "it has no 'completed'"),
        ("agreement_rate", {"selections": ["Ann"]}, {}, "one value for each of two sides"),
        ("reward", {"reward": "7"}, {}, "'reward' must be a number; got '7'"),
        ("reward", {"reward": 7}, {"side": "0"}, "so side 0 has no reward of its own"),
        ("turns", {"turns": -2}, {}, "must not be negative"),
    ],
)
def test_what_is_wrong_is_named(
    name: str, outcome: Any, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=f"Outcome 1: .*{words}"):
        score(name, [outcome], **options)


def test_wrong_options() -> None:
    with pytest.raises(InputError, match="Option 'side' takes one of mean, sum, 0, 1; got 'both'"):
        score("reward", [1], side="both")
    with pytest.raises(InputError, match="Option 'agreed_only' takes true or false"):
        score("reward", [1], agreed_only="yes")
