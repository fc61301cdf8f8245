"""Filters by the panel's words or ids, looked up in its catalogue."""

import pytest

from palaver.core.errors import InputError
from palaver.crowds.prolific.records import FilterEntry
from palaver.studies.file.recruiting_terms import FilterRange
from palaver.studies.recruiting.offering.filters import Wanted, chosen_filters

CATALOGUE = (
    FilterEntry(filter_id="residence", choices={"0": "United Kingdom", "1": "United States"}),
    FilterEntry(filter_id="age", choices={}, lower=18, upper=100),
)


def between(lower: float | None, upper: float | None = None) -> FilterRange:
    return FilterRange.model_validate({"from": lower, "to": upper})


def test_choices_are_found_by_title_and_by_id_and_stand_once() -> None:
    wanted: Wanted = {"residence": ("united kingdom", "1", "0"), "age": between(20, 30)}
    places, age = chosen_filters(wanted, CATALOGUE)
    assert places.selected_values == ("0", "1")
    assert (age.lower, age.upper) == (20, 30)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({"residense": ("0",)}, "no filter 'residense'. Near: 'residence'"),
        (
            {"residence": ("United Kingdoms",)},
            "no choice 'United Kingdoms'. Near: 'United Kingdom'",
        ),
        ({"residence": between(1)}, "takes choices, not a range"),
        ({"age": ("20",)}, "takes a range: age: {from: …, to: …}"),
        ({"age": between(12)}, "goes from 18 to 100; got 12"),
    ],
)
def test_what_is_not_there_is_named(wanted: Wanted, told: str) -> None:
    with pytest.raises(InputError) as raised:
        chosen_filters(wanted, CATALOGUE)
    assert told in str(raised.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(InputError) as raised:
        chosen_filters({"nothing": ("0",), "age": between(12)}, CATALOGUE)
    assert "no filter 'nothing'" in str(raised.value)
    assert "got 12" in str(raised.value)
