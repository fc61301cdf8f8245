"""Records as plain data: what is told, what stays, and that it comes back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

from palaver.core.estimates import Estimate, Interval
from palaver.core.serial import (
    convert,
    encode,
    flat,
    if_any,
    internal,
    key,
    plain,
    record_schema,
    records_in,
    schema,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    place: str
    hours: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A journey."""

    derived: ClassVar[tuple[str, ...]] = ("stops",)

    title: str = key("name")
    state: Literal["planned", "done"]
    legs: tuple[Leg, ...]
    by_day: Mapping[str, Leg] = if_any(factory=dict)
    reason: str = if_any("")
    id: int = internal(0)

    @property
    def stops(self) -> int:
        """How many places it touches."""
        return len(self.legs)


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTrip(Trip):
    nights: int


@dataclass(frozen=True, slots=True)
class Ends:
    low: float
    high: float

    def as_json(self) -> list[float | None]:
        return [self.low, self.high]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stay:
    """A leg with a bed at its end."""

    derived_if_any: ClassVar[tuple[str, ...]] = ("warning",)

    leg: Leg = flat(place="town")
    beds: int = 1

    @property
    def warning(self) -> str:
        return "" if self.beds else "There is no bed."


TRIP = Trip(title="North", state="done", legs=(Leg(place="Oslo", hours=2.5),), id=7)


def test_a_record_is_told_by_its_fields_and_what_is_internal_stays() -> None:
    assert plain(TRIP) == {
        "name": "North",
        "state": "done",
        "legs": [{"place": "Oslo", "hours": 2.5}],
        "stops": 1,
    }


def test_what_is_empty_is_left_out_only_where_the_field_says_so() -> None:
    told = plain(Trip(title="", state="planned", legs=(), reason="rain"))

    assert told == {"name": "", "state": "planned", "legs": [], "reason": "rain", "stops": 0}


def test_a_record_comes_back_as_it_was_but_for_what_is_internal() -> None:
    trip = Trip(title="North", state="done", legs=TRIP.legs, by_day={"Monday": TRIP.legs[0]})

    assert convert(json.loads(encode(trip)), Trip) == trip
    assert convert([json.loads(encode(trip))], list[Trip]) == [trip]


def test_a_record_that_adds_to_another_holds_the_keys_of_both() -> None:
    trip = LongTrip(title="North", state="done", legs=(), nights=3)

    assert list(plain(trip)) == ["name", "state", "legs", "nights", "stops"]
    assert convert(plain(trip), LongTrip) == trip


def test_the_keys_of_a_flat_record_stand_beside_the_others() -> None:
    stay = Stay(leg=Leg(place="Oslo", hours=2.5))

    assert plain(stay) == {"town": "Oslo", "hours": 2.5, "beds": 1}
    assert convert(plain(stay), Stay) == stay
    assert list(record_schema(Stay)["properties"]) == ["town", "hours", "beds", "warning"]


def test_a_derived_key_can_be_left_out_while_it_is_empty() -> None:
    told = plain(Stay(leg=Leg(place="Oslo"), beds=0))

    assert told["warning"] == "There is no bed."
    assert record_schema(Stay)["required"] == ["town", "hours", "beds"]


def test_keys_that_a_client_does_not_know_are_passed_over() -> None:
    assert convert({"place": "Oslo", "colour": "red"}, Leg) == Leg(place="Oslo")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("inf"), None),
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.array([1.0, np.nan]), [1.0, None]),
        ({1: {"a": (1, 2)}}, {"1": {"a": [1, 2]}}),
        (Ends(0.0, float("inf")), [0.0, None]),
        (frozenset({"a"}), ["a"]),
    ],
)
def test_values_are_as_json_knows_them(value: Any, expected: Any) -> None:
    told = plain(value)

    assert told == expected
    assert type(told) is type(expected)


def test_the_schema_names_the_keys_that_are_told_and_those_always_there() -> None:
    described = record_schema(Trip)

    assert list(described["properties"]) == [
        *("name", "state", "legs", "by_day", "reason", "stops")
    ]
    assert described["required"] == ["name", "state", "legs", "stops"]
    assert described["properties"]["state"] == {"type": "string", "enum": ["planned", "done"]}
    assert described["properties"]["legs"]["items"] == {"$ref": "#/components/schemas/Leg"}
    assert set(records_in(Trip)) == {Trip, Leg}


def test_types_in_the_words_of_json_schema() -> None:
    assert schema(float | None) == {"anyOf": [{"type": "number"}, {"type": "null"}]}
    assert schema(dict[str, Any]) == {"type": "object", "additionalProperties": True}
    assert schema(tuple[int, int])["prefixItems"] == [{"type": "integer"}] * 2
    assert schema(Ends) == schema(list[float | None])


def test_an_estimate_comes_back_with_its_ends_and_without_a_number() -> None:
    known = Estimate(value=0.7, interval=Interval(0.6, 0.8), n=3)
    assert convert(json.loads(encode(known)), Estimate) == known
    found = convert(
        json.loads(encode({"all": Estimate.undefined("there is none")})), Mapping[str, Estimate]
    )
    assert not found["all"].is_defined
    assert found["all"].reason == "there is none"
