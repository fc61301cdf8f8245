"""Scenarios: made up, from files of contexts, from CoCoA's JSON, with other items."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palaver.core.errors import InputError
from palaver.formats.cocoa.scenarios import scenario_json, scenario_of
from palaver.games.deal_or_no_deal.game import GAME
from palaver.games.deal_or_no_deal.generator import DealGenerator
from palaver.games.deal_or_no_deal.options import SCENARIOS, DealOptions
from palaver.games.game import Setting
from support.shared import COCOA

CONTEXTS = "1 4 4 1 1 2\n1 0 4 2 1 2\n2 1 1 0 3 3\n2 0 1 1 3 3\n"


@given(st.integers(0, 10_000))
def test_what_is_made_up_is_like_what_was_shipped(seed: int) -> None:
    [scenario] = DealGenerator().generate(1, random.Random(seed))
    mine, theirs = scenario.kbs
    assert [row["Name"] for row in mine] == ["book", "hat", "ball"]
    assert 5 <= sum(row["Count"] for row in mine) <= 7
    assert all(1 <= row["Count"] <= 4 for row in mine)
    for side in scenario.kbs:
        assert sum(row["Count"] * row["Value"] for row in side) == 10
    pairs = [(a["Value"], b["Value"]) for a, b in zip(mine, theirs, strict=True)]
    assert all(a or b for a, b in pairs)
    assert any(a and b for a, b in pairs)
    assert scenario_of(scenario_json(scenario)) == scenario


def test_the_same_dice_make_the_same_scenarios_and_none_has_the_id_of_another() -> None:
    made = [list(DealGenerator().generate(50, random.Random(3))) for _ in range(2)]
    assert made[0] == made[1]
    assert len({scenario.id for scenario in made[0]}) == 50


def test_other_items_and_points() -> None:
    generator = DealGenerator(items="apple, key", least_items=3, most_items=4, points=6)
    for scenario in generator.generate(20, random.Random(1)):
        assert [row["Name"] for row in scenario.kb(0)] == ["apple", "key"]
        assert 3 <= sum(row["Count"] for row in scenario.kb(0)) <= 4


@pytest.mark.parametrize(
    ("given_fields", "said"),
    [
        ({"items": "book"}, "'items' takes two to five different names; got 'book'."),
        ({"items": "book,book"}, "'items' takes two to five different names"),
        ({"least_items": 20, "most_items": 20}, "No 20 to 20 items of 3 kinds"),
        ({"least_items": 7, "most_items": 5}, "No 7 to 5 items of 3 kinds"),
        ({"points": 1}, "are worth 1 points to both sides"),
    ],
)
def test_what_cannot_be_made_is_said(given_fields: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(DealGenerator.model_validate(given_fields).generate(1, random.Random(1)))


def test_contexts_of_a_file_are_scenarios(tmp_path: Path) -> None:
    (tmp_path / "contexts.txt").write_text(CONTEXTS)
    generator = DealGenerator(contexts=str(tmp_path / "contexts.txt"))
    first, second = generator.generate(9, random.Random(1))
    assert [row["Value"] for row in first.kb(0)] == [4, 1, 2]
    assert [row["Count"] for row in second.kb(1)] == [2, 1, 3]
    options = DealOptions(scenario_file="contexts.txt", most_scenarios=1)
    rules = options.rules(Setting(), folder=tmp_path)
    assert [scenario.id for scenario in rules.scenarios] == [first.id]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "has no contexts"),
        ("1 4 4 1 1 2\n", "The line of the other side is missing."),
        ("1 4 4 1 1 2\n1 4 3 1 1 2\n", "do not have the same items"),
        ("1 4 4 1 1\n1 4 4 1 1 2\n", "six whole numbers"),
    ],
)
def test_a_broken_file_of_contexts_is_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "c.txt").write_text(content)
    with pytest.raises(InputError, match=said):
        DealOptions(scenario_file="c.txt").rules(Setting(), folder=tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        DealOptions(scenario_file="none.txt").rules(Setting(), folder=tmp_path)


def test_the_material_is_ours_and_in_order(tmp_path: Path) -> None:
    rules = DealOptions().rules(Setting(), folder=tmp_path)
    assert len(rules.scenarios) >= 150
    made = DealGenerator().generate(len(rules.scenarios), random.Random(1))
    assert [scenario_json(scenario) for scenario in made] == json.loads(SCENARIOS.read_text())
    assert GAME.starter == "deal"
    assert (GAME.material / "study.yaml").exists()


@pytest.mark.skipif(not COCOA.exists(), reason="the shared files are not here")
def test_all_shipped_contexts_are_read() -> None:
    generator = DealGenerator(contexts=str(COCOA / "deal_selfplay.txt"))
    scenarios = list(generator.generate(10_000, random.Random(1)))
    assert len(scenarios) == 4086
    assert len({scenario.id for scenario in scenarios}) == 4086
