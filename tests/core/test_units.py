"""A unit's key names the thing under judgement."""

import msgspec

from palaver.core.units import Unit, dialogue_unit, event_unit, pair_unit, seat_unit, turn_unit


def test_the_same_thing_has_the_same_key():
    assert dialogue_unit("d") == dialogue_unit("d")
    assert turn_unit("d", 3, 5).key == "turn:d:3-5"


def test_different_things_have_different_keys():
    keys = {
        unit.key
        for unit in (
            dialogue_unit("d"),
            event_unit("d", 1),
            turn_unit("d", 1, 1),
            seat_unit("d", 1),
            pair_unit(dialogue_unit("d"), dialogue_unit("e")),
        )
    }

    assert len(keys) == 5


def test_a_pair_is_the_same_whichever_side_is_named_first():
    one, other = dialogue_unit("d"), dialogue_unit("e")

    assert pair_unit(one, other) == pair_unit(other, one)


def test_a_unit_points_at_events_by_number():
    unit = event_unit("d", 7)

    assert (unit.first_seq, unit.last_seq) == (7, 7)


def test_a_pair_names_its_members_in_order():
    pair = pair_unit(dialogue_unit("d"), dialogue_unit("e"))

    assert pair.members == ("dialogue:d", "dialogue:e")


def test_a_unit_survives_json():
    pair = pair_unit(seat_unit("d", 0), seat_unit("e", 1))

    assert msgspec.json.decode(msgspec.json.encode(pair), type=Unit) == pair
