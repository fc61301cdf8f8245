"""The rules of MutualFriends: what may be selected, when, who sees it, and what ends the game."""

from typing import Any

import pytest

from palaver.core.errors import MoveError
from palaver.core.events import FAILURE, NOBODY, Move, say
from support.friends import ADA, BO, CY, conversation, make, select


def test_the_same_last_choice_wins_for_both() -> None:
    game = conversation()
    make(game, 0, say("Law?"))
    make(game, 0, select(BO))
    make(game, 1, select(CY))
    make(game, 1, select(ADA))
    assert not game.dialogue.is_over
    _, end = make(game, 0, select(ADA))
    assert end.data == {
        "reason": "complete",
        "outcome": {"success": True, "reward": {"0": 1.0, "1": 1.0}},
    }
    with pytest.raises(MoveError, match="has ended"):
        game.consider(1, select(CY), 2.0)
    with pytest.raises(MoveError, match="has ended"):
        game.consider(1, say("Well done"), 2.0)


def test_an_earlier_choice_of_the_same_friend_does_not_count() -> None:
    game = conversation()
    make(game, 0, select(ADA))
    make(game, 0, select(BO))
    make(game, 1, select(ADA))
    assert not game.dialogue.is_over


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (None, "bad_select", "got nothing"),
        ({}, "bad_select", "got nothing"),
        ({"item": ADA, "seat": 1}, "bad_select", "got item, seat"),
        ({"item": None}, "bad_select", "got nothing"),
        ({"item": [ADA]}, "bad_select", "an object of attributes"),
        ({"item": "Adele"}, "bad_select", "got 'Adele'"),
        ({"item": float("nan")}, "bad_select", "got 'nan'"),
        ({"item": {**ADA, "Age": "7"}}, "bad_select", "Unknown attribute 'Age'"),
        ({"item": {**ADA, "Hobby": float("nan")}}, "not_yours", "Nobody in your table"),
        ({"item": {**ADA, "Hobby": ["Chess"]}}, "not_yours", "Nobody in your table"),
        ({"item": {"Name": "Adele"}}, "not_yours", "Nobody in your table"),
        ({"item": CY}, "not_yours", "Select one of your rows"),
        ({"item": {}}, "not_yours", "Nobody in your table"),
    ],
)
def test_a_selection_is_a_row_of_ones_own_table(data: Any, code: str, said: str) -> None:
    game = conversation()
    with pytest.raises(MoveError, match=said) as refused:
        game.consider(0, Move(action="select", data=data), 1.0)
    assert refused.value.code == code
    assert game.dialogue.events == []


def test_nobody_is_selected_twice_in_a_row() -> None:
    game = conversation()
    make(game, 0, select(ADA))
    make(game, 1, say("Who?"))
    with pytest.raises(MoveError, match=r"already selected Adele \(Law, Chess\)") as refused:
        game.consider(0, select(ADA), 2.0)
    assert refused.value.code == "selected_already"
    make(game, 0, select(BO))
    make(game, 0, select(ADA))


def test_there_is_no_other_action() -> None:
    with pytest.raises(MoveError, match="no action 'offer'"):
        conversation().consider(0, Move(action="offer", data={"price": 1}), 1.0)


def test_people_wait_between_two_selections_and_systems_do_not() -> None:
    game = conversation(select_pause=10.0)
    make(game, 0, select(ADA), at=100.0)
    with pytest.raises(MoveError, match="somebody else in 4 seconds") as refused:
        game.consider(0, select(BO), 106.5)
    assert refused.value.code == "too_soon"
    make(game, 0, select(BO), at=110.0)
    make(game, 1, select(CY), at=110.0)  # the partner has a pause of their own

    bots = conversation("system", select_pause=10.0)
    make(bots, 0, select(ADA), at=0.0)
    make(bots, 0, select(BO), at=0.0)


def test_both_talk_at_any_time_unless_they_take_turns() -> None:
    free = conversation()
    make(free, 0, say("One"))
    make(free, 0, say("Two"))
    assert free.movers() == {0, 1}

    strict = conversation(taking="alternate")
    make(strict, 1, say("One"))
    assert strict.movers() == {0}
    with pytest.raises(MoveError, match="partner's turn"):
        strict.consider(1, select(ADA), 2.0)
    failed = Move(action=FAILURE, data={"kind": "silent"}, audience=NOBODY)
    strict.apply(strict.note(0, failed, 2.0))
    assert strict.movers() == {0, 1}


def test_a_selection_is_seen_by_the_partner_unless_it_is_hidden() -> None:
    [shown] = make(conversation(), 0, select(ADA))
    assert shown.seen_by(1) is not None
    hidden = conversation(show_selections=False)
    [event] = make(hidden, 0, select(ADA))
    assert (event.audience, event.seen_by(1)) == ((0,), None)
    _, end = make(hidden, 1, select(ADA))
    assert end.data is not None
    assert end.data["reason"] == "complete"


def test_a_game_of_guesses_or_without_words_falls_short() -> None:
    game = conversation(most_selects=2, fewest_messages=1)
    for friend in (ADA, BO, ADA):
        make(game, 0, select(friend))
    rules = game.rules
    asked = "You selected a friend 3 times; at most 2 times was asked for."
    assert rules.shortcoming(game.dialogue, 0) == asked
    assert rules.shortcoming(game.dialogue, 1) == "You wrote 0 messages; at least 1 were asked for."
    make(game, 1, say("Hello"))
    assert rules.shortcoming(game.dialogue, 1) == ""
