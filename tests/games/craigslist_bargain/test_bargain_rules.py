"""The rules of a bargain: who may do what when, and what comes of it."""

import math
import random

import msgspec
import pytest

from palaver.core.errors import MoveError
from palaver.core.events import FAILURE, NOBODY, Event, Move, say
from palaver.core.records import DialogueRecord
from palaver.formats.cocoa.examples import example_json, example_record
from palaver.games.craigslist_bargain.margins import margin
from palaver.games.craigslist_bargain.rules import CraigslistBargain
from palaver.games.craigslist_bargain.sides import BargainSide
from palaver.games.craigslist_bargain.tags import tell
from support.bargains import LAMP, conversation, make, offer

ACCEPT, REJECT, QUIT = (Move(action=action) for action in ("accept", "reject", "quit"))


def refusal(talk, seat, move) -> MoveError:
    before = talk.dialogue.position
    with pytest.raises(MoveError) as refused:
        talk.consider(seat, move, 9.0)
    assert talk.dialogue.position == before
    return refused.value


def test_either_may_begin_and_then_they_take_turns() -> None:
    talk = conversation()
    assert talk.movers() == {0, 1}
    make(talk, 1, say("Hello"))
    assert talk.movers() == {0}
    assert refusal(talk, 1, say("Are you there?")).code == "out_of_turn"
    make(talk, 0, say("Hi"))
    assert talk.movers() == {1}


def test_with_free_taking_anybody_writes_at_any_time() -> None:
    talk = conversation(CraigslistBargain(taking="free"))
    for text in ("Hello", "Are you there?"):
        make(talk, 1, say(text))
    assert talk.movers() == {0, 1}


def test_a_seat_may_go_on_after_its_partner_failed() -> None:
    talk = conversation(kinds=("person", "system"))
    make(talk, 0, say("Hello"))
    failed = Event(seq=2, seat=1, action=FAILURE, data={}, time=2.0, audience=NOBODY)
    talk.apply([failed])
    assert talk.movers() == {0, 1}


def test_an_offer_closes_both_composers_and_waits_for_an_answer() -> None:
    talk = conversation()
    make(talk, 0, say("Would you take 25?"))
    make(talk, 0, offer(25))
    assert talk.movers() == {1}
    assert "Your offer stands" in talk.composer(0).closed
    assert "accept or reject" in talk.composer(1).closed
    assert refusal(talk, 1, say("Hm")).code == "closed"
    assert refusal(talk, 1, offer(30)).code == "answer_first"


def test_an_accepted_offer_is_a_deal_worth_its_margins() -> None:
    talk = conversation(kinds=("system", "system"))
    make(talk, 1, offer(25, sides="with bulb"))
    accept, end = make(talk, 0, ACCEPT)
    assert accept.data == {}
    assert end.data == {
        "reason": "complete",
        "outcome": {
            "agreed": True,
            "success": True,
            "offer": {"price": 25, "sides": "with bulb"},
            "reward": {"0": 0.5, "1": -0.5},
        },
    }
    assert end.seen_by(0).data["outcome"]["reward"] == {"0": 0.5}
    assert tell(end, 0) == "You have a deal at $25."


def test_a_rejected_offer_is_kept_and_worth_nothing() -> None:
    talk = conversation()
    make(talk, 0, offer(22.5))
    _, end = make(talk, 1, REJECT)
    outcome = end.data["outcome"]
    assert (outcome["agreed"], outcome["offer"]) == (False, {"price": 22.5})
    assert outcome["reward"] == {"0": 0, "1": 0}
    assert tell(end, 1) == "The offer of $22.50 was rejected, so there is no deal."


@pytest.mark.parametrize(
    "price", ["free", "25", "", math.nan, math.inf, -math.inf, -1, True, None, [25], 10**10]
)
def test_an_offer_takes_a_price_and_nothing_else(price: object) -> None:
    talk = conversation()
    refused = refusal(talk, 0, offer(price))
    assert refused.code == "bad_price"
    assert "such as 120 or 99.50" in str(refused)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "bad_price"),
        ({}, "bad_price"),
        ({"price": 5, "seed": True}, "bad_offer"),
        ({"price": 5, "sides": 7}, "bad_offer"),
        ({"price": 5, "sides": "x" * 501}, "bad_offer"),
    ],
)
def test_the_data_of_an_offer_are_checked_key_by_key(data: object, code: str) -> None:
    assert refusal(conversation(), 0, Move(action="offer", data=data)).code == code


def test_what_cannot_be_answered_is_refused_in_words() -> None:
    talk = conversation()
    assert str(refusal(talk, 0, ACCEPT)) == "There is no offer to accept yet."
    assert str(refusal(talk, 0, REJECT)) == "There is no offer to reject yet."
    make(talk, 0, offer(25))
    assert refusal(talk, 0, ACCEPT).code == "own_offer"
    assert "offered $25 already" in str(refusal(talk, 0, offer(26)))
    assert refusal(talk, 1, Move(action="accept", data={"price": 1})).code == "bad_answer"
    assert refusal(talk, 1, Move(action="select", data={})).code == "unknown_action"


@pytest.mark.parametrize("last", [ACCEPT, REJECT, QUIT])
def test_nothing_can_be_done_after_the_end(last: Move) -> None:
    talk = conversation()
    make(talk, 0, offer(25))
    make(talk, 1, last)
    for seat in (0, 1):
        for move in (say("But"), offer(30), ACCEPT, REJECT, QUIT):
            assert refusal(talk, seat, move).code == "over"


def test_people_may_talk_about_an_offer_where_the_study_lets_them() -> None:
    talk = conversation(CraigslistBargain(talk_over_offer=True))
    make(talk, 0, offer(25))
    make(talk, 1, say("With the bulb?"))
    make(talk, 0, say("Yes"))
    make(talk, 1, ACCEPT)
    assert talk.dialogue.outcome["success"] is True


def test_with_counter_offers_either_may_accept_the_others() -> None:
    talk = conversation(CraigslistBargain(counter_offers=True))
    make(talk, 0, offer(25))
    make(talk, 1, offer(30))
    assert talk.movers() == {0, 1}
    make(talk, 0, ACCEPT)
    assert talk.dialogue.outcome["offer"] == {"price": 30}


def test_the_role_is_read_from_the_knowledge_not_from_the_seat() -> None:
    turned = msgspec.structs.replace(LAMP, kbs=LAMP.kbs[::-1])
    talk = conversation(scenario=turned)
    make(talk, 0, offer(25))
    make(talk, 1, ACCEPT)
    assert talk.dialogue.outcome["reward"] == {"0": -0.5, "1": 0.5}


def test_margins_are_opposite_and_one_at_the_own_target() -> None:
    rng = random.Random(5)
    for _ in range(200):
        target, price = rng.randint(1, 999), rng.randint(1000, 5000)
        buyer = BargainSide(role="buyer", target=target, price=price)
        seller = BargainSide(role="seller", target=price, price=price)
        asked = rng.uniform(1, 6000)
        mine, yours = margin(asked, buyer, seller), margin(asked, seller, buyer)
        assert mine == pytest.approx(-yours)
        assert margin(target, buyer, seller) == 1
        assert margin(target, seller, buyer) == -1
    assert (
        margin(
            5,
            BargainSide(role="buyer", target=9, price=9),
            BargainSide(role="seller", target=9, price=9),
        )
        is None
    )


def test_random_moves_never_break_a_dialogue() -> None:
    """Whatever is tried, in any order, a dialogue ends once, by an answer to an offer or a quit."""
    moves = [say("Hm"), offer(25), offer("x"), offer(-3), ACCEPT, REJECT, QUIT, Move(action="end")]
    for seed in range(150):
        rng = random.Random(seed)
        options = {name: rng.random() < 0.5 for name in ("talk_over_offer", "counter_offers")}
        talk = conversation(CraigslistBargain(taking=rng.choice(("alternate", "free")), **options))
        for _ in range(40):
            assert talk.movers() or talk.dialogue.is_over
            try:
                make(talk, rng.randint(0, 1), rng.choices(moves, (9, 3, 1, 1, 2, 2, 0.2, 1))[0])
            except MoveError:
                continue
        actions = [event.action for event in talk.dialogue.events]
        assert actions.count("end") == talk.dialogue.is_over
        assert actions.count("accept") + actions.count("reject") <= 1
        if talk.dialogue.outcome.get("agreed"):
            assert actions[-2:] == ["accept", "end"]
            assert "offer" in actions


# What counts


def words(count: int) -> Move:
    return say(" ".join(["word"] * count))


def test_too_few_words_are_a_shortcoming() -> None:
    talk = conversation()
    make(talk, 0, words(39))
    make(talk, 1, words(40))
    rules = talk.rules
    assert rules.shortcoming(talk.dialogue, 0) == "You wrote 39 words; at least 40 were asked for."
    assert rules.shortcoming(talk.dialogue, 1) == ""


def test_less_is_asked_of_somebody_who_meets_a_system_that_cuts_it_short() -> None:
    talk = conversation(kinds=("person", "system"))
    make(talk, 0, words(30))
    assert talk.rules.shortcoming(talk.dialogue, 0) == ""
    talk = conversation(kinds=("person", "system"))
    make(talk, 0, words(1))
    assert "You wrote 1 word; at least 30" in talk.rules.shortcoming(talk.dialogue, 0)
    make(talk, 1, offer(35))
    assert talk.rules.shortcoming(talk.dialogue, 0) == ""


# Out to CoCoA


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        (ACCEPT, {"reward": 1, "offer": {"price": 25}}),
        (REJECT, {"reward": 0, "offer": {"price": 25}}),
        (QUIT, {"reward": 0, "offer": None}),
    ],
)
def test_a_bargain_held_here_is_written_with_the_outcome_of_cocoa(
    last: Move, outcome: dict[str, object]
) -> None:
    talk = conversation()
    make(talk, 0, say("Would you take 25?"))
    make(talk, 1, offer(25))
    make(talk, 0, last)
    dialogue = talk.dialogue
    record = DialogueRecord(
        id="d", study="s", scenario=LAMP, seats=dialogue.seats, events=dialogue.events
    )
    written = example_json(record)
    assert written["outcome"] == outcome
    again = example_record(written)
    assert [event.action for event in again.events] == [e.action for e in dialogue.events]
    assert again.dialogue().outcome == outcome
