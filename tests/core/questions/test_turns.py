"""Which turns a question is asked of."""

import pytest

from palaver.core.dialogue import Dialogue, Seat
from palaver.core.events import Event
from palaver.core.questions.turns import at_index, chosen_turns, is_speaker, role_of, spoke


def dialogue(kinds: str, *speakers: int) -> Dialogue:
    """A dialogue of people (p) and systems (s) in which the seats speak in this order."""
    names = {"p": "person", "s": "system"}
    made = Dialogue(
        id="d",
        seats=[Seat(index=n, kind=names[kind], occupant=f"o{n}") for n, kind in enumerate(kinds)],
    )
    for seq, seat in enumerate(speakers, start=1):
        made.apply(
            Event(seq=seq, seat=seat, action="message", data={"text": f"t{seq - 1}"}, time=0.0)
        )
    return made


def texts(made: Dialogue, *, speaker=None, indices=None) -> list[str]:
    return [turn.text for turn in chosen_turns(made, speaker=speaker, indices=indices)]


@pytest.mark.parametrize(
    ("indices", "positions"),
    [
        ("odd", [1, 3, 5]),
        ("even", [0, 2, 4]),
        ("all", [0, 1, 2, 3, 4, 5]),
        ("all_skip_first", [1, 2, 3, 4, 5]),
        ("no_indices", []),
    ],
)
def test_positions_are_those_of_the_chat_evaluation_platform(indices, positions):
    made = dialogue("ps", 0, 1, 0, 1, 0, 1)

    assert [n for n in range(6) if at_index(indices, n)] == positions
    assert texts(made, indices=indices) == [f"t{n}" for n in positions]


@pytest.mark.parametrize(
    ("speaker", "chosen"),
    [
        ("user", ["t1", "t3"]),
        ("system", ["t0", "t2"]),
        ("any", ["t0", "t1", "t2", "t3"]),
        (0, ["t1", "t3"]),
        (1, ["t0", "t2"]),
        ("1", ["t0", "t2"]),
        (2, []),
    ],
)
def test_a_speaker_is_found_whoever_begins(speaker, chosen):
    assert texts(dialogue("ps", 1, 0, 1, 0), speaker=speaker) == chosen


def test_several_messages_in_a_row_are_one_turn():
    made = dialogue("ps", 0, 1, 1, 0, 1)

    assert texts(made, indices="odd") == texts(made, speaker="system") == ["t1\nt2", "t4"]


def test_without_speaker_and_positions_no_turn_is_chosen():
    assert texts(dialogue("ps", 0, 1)) == []


@pytest.mark.parametrize(
    ("kinds", "roles"),
    [
        ("ps", ["user", "system"]),
        ("sp", ["system", "user"]),
        ("pp", ["user", "system"]),
        ("ss", ["user", "system"]),
    ],
)
def test_the_person_is_the_user_and_among_equals_the_first_seat_is(kinds, roles):
    made = dialogue(kinds, 0, 1)

    assert [role_of(made, seat) for seat in (0, 1)] == roles


def test_a_takeover_does_not_change_who_is_the_user():
    made = dialogue("ps", 0, 1)
    made.apply(Event(seq=3, seat=0, action="takeover", data={"system": "stand-in"}, time=0.0))

    assert [role_of(made, seat) for seat in (0, 1)] == ["user", "system"]


@pytest.mark.parametrize("speaker", ["system", "user", "any", 0, 1, "0", "12"])
def test_a_role_anybody_or_a_seat_may_be_named(speaker):
    assert is_speaker(speaker)


@pytest.mark.parametrize("speaker", ["bot", "", "-1", -1, "1.0", "System"])
def test_nobody_else_may_be_named(speaker):
    assert not is_speaker(speaker)


def test_a_speaker_is_a_role_or_a_seat():
    assert spoke("any", role="user", seat=0)
    assert spoke("user", role="user", seat=1)
    assert spoke("1", role="user", seat=1)
    assert not spoke("system", role="user", seat=1)
    assert not spoke(0, role="user", seat=None)
