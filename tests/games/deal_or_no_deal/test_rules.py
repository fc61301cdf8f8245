"""The rules: turns, what can be marked when, who hears of it, what a deal is worth."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import MoveError
from palaver.core.events import FAILURE, NOBODY, Event, Move, say
from palaver.core.protocols import OPEN_COMPOSER
from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.games.deal_or_no_deal.game import GAME
from palaver.games.deal_or_no_deal.rules import ASKED, CHOSEN, DealOrNoDeal

from .deals import COUNTS, SCENARIO, make, no_deal, take, talk, talked


def refused(conversation: Any, seat: int, move: Move) -> MoveError:
    """Why a move is refused; the dialogue is as it was."""
    before = list(conversation.dialogue.events)
    with pytest.raises(MoveError) as error:
        conversation.consider(seat, move, 2.0)
    assert conversation.dialogue.events == before
    return error.value


def test_either_may_begin_and_then_they_take_turns() -> None:
    conversation = talk()
    assert conversation.movers() == {0, 1}
    make(conversation, 1, say("hello"))
    assert conversation.movers() == {0}
    assert refused(conversation, 1, say("again")).code == "out_of_turn"
    assert refused(conversation, 1, take(0, 0, 3)).code == "out_of_turn"


def test_whose_partner_failed_may_speak_again() -> None:
    conversation = talked(1)
    failure = Event(seq=2, seat=1, action=FAILURE, data={}, time=1.0, audience=NOBODY)
    conversation.apply([failure])
    assert conversation.movers() == {0, 1}


def test_a_choice_is_hidden_and_closes_the_conversation() -> None:
    conversation = talked(2)
    [event] = make(conversation, 0, take(2, 1, 0))
    assert (event.audience, event.seen_by(1)) == ((0,), None)
    assert conversation.movers() == {1}
    assert conversation.composer(0).closed == CHOSEN
    assert conversation.composer(1).closed == ASKED
    assert refused(conversation, 1, say("wait")).code == "closed"
    assert refused(conversation, 0, take(2, 1, 0)).code == "chosen"
    assert refused(conversation, 0, no_deal()).code == "chosen"


def test_a_deal_that_adds_up_earns_each_side_its_own_points() -> None:
    conversation = talked(2)
    make(conversation, 0, take(2, 1, 0))
    _, end = make(conversation, 1, take(0, 0, 3))
    assert end.data == {
        "reason": "complete",
        "outcome": {
            "item_split": {"0": {"book": 2, "hat": 1, "ball": 0}, "1": {"book": 0, "hat": 0, "ball": 3}},
            "valid_deal": True,
            "agreed": True,
            "reward": {"0": 10, "1": 9},
        },
    }  # fmt: skip
    assert GAME.words(end.seen_by(1), 1) == "It is a deal. You earned 9 points."
    assert refused(conversation, 0, say("thanks")).code == "over"


def test_shares_that_do_not_fit_earn_nothing() -> None:
    conversation = talked(2)
    make(conversation, 0, take(2, 1, 1))
    _, end = make(conversation, 1, take(0, 0, 3))
    outcome = conversation.dialogue.outcome
    assert (outcome["valid_deal"], outcome["agreed"]) == (False, True)
    assert outcome["reward"] == {"0": 0, "1": 0}
    assert "does not fit" in GAME.words(end.seen_by(0), 0)
    assert [found.check for found in GAME.findings(conversation.dialogue)] == [
        "mismatch",
        "few_messages",
    ]


@pytest.mark.parametrize(
    ("move", "said"),
    [
        (take(3, 0, 0), "Of 'book' 0 to 2 can be taken; got '3'."),
        (take(-1, 0, 0), "Of 'book' 0 to 2 can be taken; got '-1'."),
        (take(1.0, 0, 0), "Of 'book' 0 to 2 can be taken; got '1.0'."),
        (take(True, 0, 0), "Of 'book' 0 to 2 can be taken; got 'True'."),
        (take("1", 0, 0), "Of 'book' 0 to 2 can be taken; got '1'."),
        (take(None, 0, 0), "Of 'book' 0 to 2 can be taken; got nothing."),
        (Move(action="select"), "What is taken is an object of item and count; got nothing."),
        (Move(action="select", data={"take": [1, 0, 0]}), "is an object of item and count"),
        (
            Move(action="select", data={"take": {"book": 1, "hat": 0}}),
            "It is not said how many of 'ball' are taken.",
        ),
        (
            Move(action="select", data={"take": {**COUNTS, "car": 1}}),
            "Unknown item 'car'; there are book, hat, ball.",
        ),
        (
            Move(action="select", data={"take": COUNTS, "seed": True}),
            "'select' takes 'take' alone; got 'seed' as well.",
        ),
    ],
)
def test_a_share_that_cannot_be_is_refused(move: Move, said: str) -> None:
    error = refused(talked(2), 0, move)
    assert (error.code, said in str(error)) == ("bad_split", True)


def test_a_deal_is_marked_after_the_first_own_message() -> None:
    conversation = talked(1)
    error = refused(conversation, 1, take(0, 0, 3))
    assert error.code == "too_early"
    assert str(error) == "You can mark the deal once you have sent 1 message; you have sent 0."
    make(conversation, 1, say("ok"))
    make(conversation, 0, take(2, 1, 0))


def test_no_deal_is_said_after_the_fourth_own_message_or_to_a_choice() -> None:
    conversation = talked(7)
    assert str(refused(conversation, 1, no_deal())) == (
        "You can say that there is no deal once you have sent 4 messages; you have sent 3."
    )
    said, end = make(conversation, 0, no_deal())
    assert end.data["reason"] == "complete"
    assert conversation.dialogue.outcome == {
        "seat": 0,
        "item_split": None,
        "valid_deal": False,
        "agreed": False,
        "reward": {"0": 0, "1": 0},
    }
    assert GAME.words(said, 1) == "Your partner said that there is no deal."

    answered = talked(2)
    make(answered, 0, take(2, 1, 0))
    assert len(make(answered, 1, no_deal())) == 2


@pytest.mark.parametrize("data", [{"no_deal": "yes"}, {"no_deal": 1}, {"because": "bored"}])
def test_a_quit_says_nothing_else(data: dict[str, Any]) -> None:
    assert refused(talked(8), 0, Move(action="quit", data=data)).code == "bad_quit"


def test_an_unknown_move_is_refused() -> None:
    error = refused(talked(2), 0, Move(action="offer", data={"price": 5}))
    assert error.code == "unknown_action"


def test_options_say_when_moves_become_available() -> None:
    rules = DealOrNoDeal(scenarios=(SCENARIO,), taking="free", select_after=0, no_deal_after=0)
    conversation = talk(rules=rules)
    assert len(make(conversation, 0, take(0, 0, 0))) == 1
    free = talk(rules=rules)
    make(free, 0, say("one"))
    make(free, 0, say("two"))
    assert free.composer(0) == OPEN_COMPOSER
    make(free, 1, no_deal())
    assert free.dialogue.is_over


def test_a_dialogue_without_a_deal_needs_some_messages_to_count() -> None:
    short = talked(2)
    make(short, 0, take(2, 1, 3))
    make(short, 1, take(0, 0, 3))
    for seat in (0, 1):
        assert short.rules.shortcoming(short.dialogue, seat) == (
            "There was no valid deal after 2 messages; at least 4 are asked for."
        )
    left = talked(2)
    make(left, 0, Move(action="quit"))
    assert left.rules.shortcoming(left.dialogue, 0) != ""
    assert left.rules.shortcoming(left.dialogue, 1) == ""
    good = talked(2)
    make(good, 0, take(2, 1, 0))
    make(good, 1, take(0, 0, 3))
    assert good.rules.shortcoming(good.dialogue, 0) == ""


def test_a_game_played_here_is_written_as_cocoa_writes_it_and_read_again() -> None:
    conversation = talked(2)
    make(conversation, 0, take(2, 1, 0))
    make(conversation, 1, take(0, 0, 3))
    dialogue = conversation.dialogue
    record = DialogueRecord(
        id="d", study="s", scenario=SCENARIO, seats=dialogue.seats, events=dialogue.events
    )
    written = example_json(record)
    assert list(written["outcome"]) == ["reward", "item_split", "valid_deal", "agreed"]
    assert [event["action"] for event in written["events"]] == [*["message"] * 2, *["select"] * 2]
    assert example_json(example_record(written)) == written


moves = st.one_of(
    st.builds(say, st.text(min_size=1, max_size=5)),
    st.builds(take, *(st.integers(-1, 4) for _ in range(3))),
    st.just(no_deal()),
)


@given(st.lists(st.tuples(st.integers(0, 1), moves), max_size=20))
def test_whatever_is_tried_the_dialogue_stays_consistent(tries: list[tuple[int, Move]]) -> None:
    conversation = talk(rules=DealOrNoDeal(scenarios=(SCENARIO,), no_deal_after=1))
    for seat, move in tries:
        before = conversation.dialogue.position
        try:
            make(conversation, seat, move)
        except MoveError:
            assert conversation.dialogue.position == before
    events = conversation.dialogue.events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    takes = {e.seat: e.data["take"] for e in events if e.action == "select"}
    if conversation.dialogue.outcome.get("valid_deal"):
        assert all(takes[0][item] + takes[1][item] == n for item, n in COUNTS.items())
    else:
        assert set(conversation.dialogue.outcome.get("reward", {"0": 0}).values()) == {0}


def test_scenarios_are_drawn_from_those_given() -> None:
    rules = DealOrNoDeal(scenarios=(SCENARIO,))
    assert rules.new_scenario(random.Random(1)) is SCENARIO
    assert rules.scenarios == (SCENARIO,)
