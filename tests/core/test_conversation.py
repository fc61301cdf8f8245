"""A conversation under random play keeps what it promises."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palaver.core.conversation import SILENCES, Conversation
from palaver.core.dialogue import Dialogue, Seat
from palaver.core.errors import MoveError
from palaver.core.events import (
    END,
    ERASE,
    FAILURE,
    HOUSEKEEPING,
    JOIN,
    LEAVE,
    NOBODY,
    Event,
    Move,
    say,
)
from palaver.core.protocols import Ending
from palaver.games.open_chat.rules import OpenChat

SEATS = [
    Seat(index=0, kind="person", occupant="ann"),
    Seat(index=1, kind="system", occupant="bot"),
]

games = st.builds(
    OpenChat,
    exactly=st.none() | st.integers(1, 8),
    at_least=st.none() | st.integers(1, 5),
    opens=st.sampled_from([0, 1, None]),
    taking=st.sampled_from(["alternate", "free"]),
    max_characters=st.just(20),
)
texts = st.sampled_from(["hello", "how are you?", "fine", "", "   ", "x" * 21])
moves = st.one_of(
    texts.map(say),
    st.just(Move(action="finish")),
    st.just(Move(action="quit")),
    st.just(Move(action="dance")),
    st.just(say("psst")).map(lambda move: Move(action=move.action, data=move.data, audience=(0,))),
    st.sampled_from([Move(action=END), Move(action=JOIN), Move(action=FAILURE)]),
)
house_notes = st.sampled_from(
    [
        Move(action=JOIN),
        Move(action=LEAVE),
        Move(action=FAILURE, data={"kind": "timeout"}, audience=NOBODY),
    ]
)
# Moves are drawn more often than what the house does, or few dialogues would get anywhere.
steps = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.integers(0, 1), texts.map(say)),
        st.tuples(st.just("move"), st.integers(0, 1), moves),
        st.tuples(st.just("note"), st.integers(0, 1), house_notes),
        st.tuples(st.just("silence"), st.just(0), st.none()),
    ),
    max_size=40,
)


def start(game: OpenChat) -> Conversation:
    return Conversation(Dialogue(id="d", seats=list(SEATS)), game)


def attempt(
    conversation: Conversation, step: tuple[str, int, Move | None], now: float
) -> list[Event]:
    """The events that follow from a step; none if it was refused."""
    kind, seat, move = step
    if kind == "silence":
        return conversation.stay_silent(now)
    assert move is not None
    if kind == "note":
        return conversation.note(seat, move, now)
    try:
        return conversation.consider(seat, move, now)
    except MoveError:
        return []


def run(game: OpenChat, played: list[tuple[str, int, Move | None]]) -> Conversation:
    conversation = start(game)
    for now, step in enumerate(played):
        conversation.apply(attempt(conversation, step, float(now)))
    return conversation


@given(games, steps)
def test_sequence_numbers_are_contiguous_from_one(game, played):
    events = run(game, played).dialogue.events

    assert [event.seq for event in events] == list(range(1, len(events) + 1))


@given(games, steps)
def test_nothing_follows_the_end(game, played):
    events = run(game, played).dialogue.events

    assert END not in [event.action for event in events[:-1]]


@given(games, steps)
def test_only_an_erasure_may_follow_the_end(game, played):
    conversation = run(game, played)
    conversation.apply(conversation.finish(Ending("withdrawn"), 99.0))
    over = conversation.dialogue.position

    assert conversation.movers() == frozenset()
    assert attempt(conversation, ("move", 0, say("more")), 100.0) == []
    assert conversation.note(0, Move(action=LEAVE), 100.0) == []
    assert conversation.finish(Ending("again"), 100.0) == []
    assert conversation.stay_silent(100.0) == []
    conversation.apply([Event(seq=over + 1, seat=None, action=ERASE, time=100.0)])
    assert conversation.dialogue.is_over


@given(games, steps)
def test_refused_moves_change_nothing(game, played):
    conversation = run(game, played)
    before = list(conversation.dialogue.events)
    movers = conversation.movers()

    for seat in (0, 1):
        for move in (say(""), say("x" * 21), Move(action="dance"), Move(action=END)):
            with pytest.raises(MoveError):
                conversation.consider(seat, move, 50.0)

    assert conversation.dialogue.events == before
    assert conversation.movers() == movers


@given(games, steps)
def test_considering_a_move_changes_nothing_until_it_is_applied(game, played):
    conversation = run(game, played)
    before = (list(conversation.dialogue.events), conversation.dialogue.message_count)

    first = attempt(conversation, ("move", 0, say("hello")), 50.0)
    second = attempt(conversation, ("move", 0, say("hello")), 50.0)

    assert first == second
    assert (conversation.dialogue.events, conversation.dialogue.message_count) == before


@given(games, steps)
def test_seats_alternate_unless_a_failure_lies_between(game, played):
    game = OpenChat(exactly=game.exactly, at_least=game.at_least, opens=game.opens)
    dialogue = run(game, played).dialogue

    speaker = None
    for event in dialogue.events:
        if event.action == FAILURE:
            speaker = None
        elif event.action == "message":
            assert event.seat != speaker
            speaker = event.seat


@given(games, steps)
def test_the_seat_that_opens_speaks_first_unless_it_failed(game, played):
    told = (e for e in run(game, played).dialogue.events if e.action in {"message", FAILURE})
    first = next(told, None)

    if first is not None and first.action == "message" and game.opens is not None:
        assert first.seat == game.opens


@given(games, steps)
def test_exactly_n_ends_exactly_at_n(game, played):
    dialogue = run(game, played).dialogue
    if game.exactly is None:
        return

    assert dialogue.message_count <= game.exactly
    assert (dialogue.reason == "complete") == (dialogue.message_count == game.exactly)


@given(games, steps)
def test_at_least_n_is_not_finished_before(game, played):
    dialogue = run(game, played).dialogue

    if game.exactly is None and dialogue.reason == "complete":
        assert dialogue.message_count >= (game.at_least or 0)


@given(games, steps)
def test_folding_again_gives_the_same_dialogue(game, played):
    conversation = run(game, played)
    again = start(game)
    again.apply(conversation.dialogue.events)

    assert again.dialogue == conversation.dialogue
    assert again.movers() == conversation.movers()


@given(games, steps)
def test_messages_are_counted_by_seat(game, played):
    dialogue = run(game, played).dialogue
    said = [event.seat for event in dialogue.events if event.action == "message"]

    assert dialogue.message_count == len(said)
    assert dialogue.message_counts == {seat: said.count(seat) for seat in set(said)}


@given(games, steps)
def test_a_private_event_is_seen_by_its_audience_alone(game, played):
    dialogue = run(game, played).dialogue

    assert all(event.audience is None or 1 in event.audience for event in dialogue.after(0, seat=1))
    assert dialogue.after(0) == dialogue.events


@given(games, steps)
@settings(max_examples=50)
def test_two_silences_in_a_row_end_a_dialogue(game, played):
    conversation = run(game, [step for step in played if step[0] != "silence"])
    was_over, reason = conversation.dialogue.is_over, conversation.dialogue.reason

    for _ in range(SILENCES):
        conversation.apply(conversation.stay_silent(99.0))

    assert conversation.dialogue.is_over
    assert conversation.dialogue.reason == (reason if was_over else "stalled")


def test_a_message_between_two_silences_keeps_the_dialogue_alive():
    conversation = start(OpenChat(taking="free"))
    conversation.apply(conversation.stay_silent(1.0))
    conversation.apply(conversation.consider(0, say("still there?"), 2.0))
    conversation.apply(conversation.stay_silent(3.0))

    assert not conversation.dialogue.is_over


def test_no_seat_may_do_the_housekeeping():
    conversation = start(OpenChat())

    for action in HOUSEKEEPING:
        with pytest.raises(MoveError) as refused:
            conversation.consider(0, Move(action=action), 1.0)
        assert refused.value.code == "unknown_action"


def test_the_last_message_and_the_end_come_together():
    conversation = start(OpenChat(exactly=1))

    message, end = conversation.consider(0, say("hello"), 5.0)

    assert (message.seq, message.text) == (1, "hello")
    assert (end.seq, end.action, end.data) == (2, END, {"reason": "complete"})


def test_whoever_quits_is_named_in_the_outcome():
    conversation = start(OpenChat(exactly=4))

    conversation.apply(conversation.consider(1, Move(action="quit"), 5.0))

    assert conversation.dialogue.reason == "quit"
    assert conversation.dialogue.ending.data["outcome"] == {"seat": 1}


def test_a_move_after_the_end_is_refused_with_a_code():
    conversation = start(OpenChat(exactly=1))
    conversation.apply(conversation.consider(0, say("hello"), 5.0))

    with pytest.raises(MoveError, match="has ended") as refused:
        conversation.consider(1, say("hello"), 6.0)
    assert refused.value.code == "over"


def test_the_partner_of_a_failed_system_may_speak_again():
    conversation = start(OpenChat(exactly=6))
    conversation.apply(conversation.consider(0, say("hello"), 1.0))
    conversation.apply(conversation.note(1, Move(action=FAILURE, audience=NOBODY), 2.0))

    conversation.apply(conversation.consider(0, say("are you there?"), 3.0))

    assert conversation.movers() == {1}
