"""Scenarios by lot: exactly one friend in common, attributes in order, no row twice, seeded."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from palaver.core.errors import InputError
from palaver.formats.cocoa.scenarios import scenario_json, scenario_of
from palaver.formats.cocoa.schema import load_schema
from palaver.games.given_scenarios import load_scenarios
from palaver.games.mutual_friends.generator import SCHEMA, MutualFriendsGenerator
from palaver.games.mutual_friends.options import SCENARIOS, scenario_problem

NAMES = load_schema(SCHEMA).names


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    items=st.integers(2, 15),
    attributes=st.integers(2, 4),
    alpha=st.sampled_from([0.1, 0.3, 1.0, 3.0, 50.0]),
)
def test_every_scenario_can_be_won(seed: int, items: int, attributes: int, alpha: float) -> None:
    generator = MutualFriendsGenerator(
        num_items=items,
        random_attributes=True,
        min_attributes=attributes,
        max_attributes=attributes + 1,
        alphas=(alpha,),
    )
    [scenario] = generator.generate(1, random.Random(seed))
    assert scenario_problem(scenario) == ""
    assert [len(kb) for kb in scenario.kbs] == [items, items]
    names = [attribute["name"] for attribute in scenario.extra["attributes"]]
    assert names == [name for name in NAMES if name in names]
    assert all(list(row) == names for kb in scenario.kbs for row in kb)
    assert scenario.extra["alphas"] == [alpha] * len(names)
    known = load_schema(SCHEMA)
    assert scenario_of(scenario_json(scenario), known) == scenario


def test_the_same_dice_make_the_same_scenarios() -> None:
    generator = MutualFriendsGenerator(random_items=True, random_attributes=True)
    first, second = (list(generator.generate(3, random.Random(5))) for _ in range(2))
    assert first == second
    assert len({scenario.id for scenario in first}) == 3
    assert all(scenario.id.startswith("S_") and len(scenario.id) == 18 for scenario in first)


def test_both_ends_of_a_range_can_come() -> None:
    """CoCoA's upper bound for attributes was exclusive: it never made four."""
    generator = MutualFriendsGenerator(random_items=True, random_attributes=True)
    made = list(generator.generate(150, random.Random(1)))
    assert {len(scenario.kb(0)[0]) for scenario in made} == {3, 4}
    assert {len(scenario.kb(0)) for scenario in made} == set(range(5, 13))


def test_all_seven_attributes_are_used_unless_some_are_drawn() -> None:
    [scenario] = MutualFriendsGenerator(num_items=5).generate(1, random.Random(1))
    assert list(scenario.kb(0)[0]) == NAMES


def test_a_schema_that_is_too_small_is_refused(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    attributes = [{"name": "Hobby", "value_type": "hobby"}]
    schema.write_text(json.dumps({"values": {"hobby": ["Chess", "Go"]}, "attributes": attributes}))
    with pytest.raises(InputError, match="Take fewer friends"):
        list(MutualFriendsGenerator(schema_file=schema).generate(1, random.Random(1)))
    few = MutualFriendsGenerator(schema_file=schema, random_attributes=True)
    with pytest.raises(InputError, match="has 1 attributes with values; 4 are needed"):
        list(few.generate(1, random.Random(1)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_items": 9, "max_items": 3},
        {"alphas": ()},
        {"alphas": (0.0,)},
        {"num_items": 0},
        {"items": 3},
    ],
)
def test_parameters_that_make_no_sense_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        MutualFriendsGenerator.model_validate(wrong)


def test_the_material_has_long_lists_and_scenarios_that_can_be_won() -> None:
    values = load_schema(SCHEMA).values
    assert NAMES == [
        "Name",
        "School",
        "Major",
        "Company",
        "Hobby",
        "Time Preference",
        "Location Preference",
    ]
    for kind in ("name", "school", "major", "company", "hobby"):
        assert len(set(values[kind])) == len(values[kind]) >= 60
    scenarios = load_scenarios(SCENARIOS, game="mutual_friends", schema=SCHEMA)
    assert len(scenarios) == 100
    assert [scenario_problem(scenario) for scenario in scenarios] == [""] * 100
