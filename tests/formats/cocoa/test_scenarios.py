"""Scenarios of CoCoA: the game is recognised, nothing changes on the way through."""

import io
import json
from typing import Any

import pytest

from palaver.core.errors import InputError
from palaver.core.scenario import Scenario
from palaver.formats.cocoa.scenarios import read_scenarios, scenario_json, scenario_of
from palaver.formats.cocoa.schema import CocoaSchema, SchemaAttribute
from support.cocoa import BARGAIN_SCENARIO, DEAL_SCENARIO, FRIENDS_SCENARIO, changed
from support.shared import COCOA

SCHEMA = CocoaSchema(
    values={"name": ["Ada", "Bo", "Cy"], "hobby": ["Chess", "Go", "Judo"]},
    attributes=[SchemaAttribute("Name", "name"), SchemaAttribute("Hobby", "hobby")],
)


@pytest.mark.parametrize(
    ("raw", "game"),
    [
        (FRIENDS_SCENARIO, "mutual_friends"),
        (BARGAIN_SCENARIO, "craigslist_bargain"),
        (DEAL_SCENARIO, "deal_or_no_deal"),
    ],
)
def test_the_game_is_recognised_and_the_scenario_unchanged(raw: dict[str, Any], game: str) -> None:
    scenario = scenario_of(raw)
    assert scenario.game == game
    assert scenario.id == raw["uuid"]
    assert scenario_json(scenario) == raw


def test_an_old_scenario_has_the_attributes_of_the_schema() -> None:
    old = {key: value for key, value in FRIENDS_SCENARIO.items() if key != "attributes"}
    assert scenario_json(scenario_of(old)) == old
    filled = scenario_json(scenario_of(old, SCHEMA))
    assert [each["name"] for each in filled["attributes"]] == ["Name", "Hobby"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (changed(FRIENDS_SCENARIO, "kbs", to=[]), "'kbs' takes two knowledge bases; got 0."),
        (changed(FRIENDS_SCENARIO, "kbs", 0, to="x"), "of no known game"),
        (changed(FRIENDS_SCENARIO, "kbs", 1, to=BARGAIN_SCENARIO["kbs"][0]), "of no known game"),
        (
            changed(FRIENDS_SCENARIO, "kbs", 1, 0, "Hoby", to="Go"),
            "Knowledge base 1: Unknown attribute 'Hoby'. Near: 'Hobby'.",
        ),
        (
            changed(FRIENDS_SCENARIO, "kbs", 0, 1, "Name", to=7),
            "Knowledge base 0: 'Name' of row 2 takes text; got '7'.",
        ),
        (
            changed(FRIENDS_SCENARIO, "kbs", 0, 1, "Hobby", to="Goo"),
            "Knowledge base 0: 'Hobby' does not take 'Goo'. Near: 'Go'.",
        ),
        (
            changed(BARGAIN_SCENARIO, "kbs", 0, "personal", "Role", to="thief"),
            "'Role' takes 'buyer' or 'seller'; got 'thief'.",
        ),
        (
            changed(BARGAIN_SCENARIO, "kbs", 0, "personal", "Target", to="NaN"),
            "'Target' takes a number; got 'NaN'.",
        ),
        (
            changed(BARGAIN_SCENARIO, "kbs", 0, "item", "Price", to=float("nan")),
            "'Price' takes a number; got 'nan'.",
        ),
        (
            changed(DEAL_SCENARIO, "kbs", 0, 0, "Count", to=-1),
            "'Count' of 'book' takes a whole number; got '-1'.",
        ),
        (changed(DEAL_SCENARIO, "kbs", 0, 0, "Count", to=3), "do not have the same items"),
        (changed(DEAL_SCENARIO, "kbs", 0, 1, "Name", to="book"), "'Name' of item 2 takes text"),
        (changed(DEAL_SCENARIO, "kbs", 0, 1, "Colour", to="red"), "Unknown attribute 'Colour'"),
        (changed(DEAL_SCENARIO, "uuid", to=7), "'uuid' takes text; got a whole number."),
        (changed(DEAL_SCENARIO, "attributes", 0, to={}), "'name' is missing"),
    ],
)
def test_what_breaks_the_schema_is_named(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        scenario_of(raw, SCHEMA)
    assert message in str(refused.value)


def test_a_scenario_of_another_game_is_not_written() -> None:
    with pytest.raises(InputError, match="'open' is of the game 'open_chat'"):
        scenario_json(Scenario())


def test_the_first_wrong_scenario_of_a_file_is_named_with_its_place() -> None:
    wrong = changed(DEAL_SCENARIO, "kbs", 1, to=None)
    text = "[\n" + json.dumps(FRIENDS_SCENARIO) + ",\n" + json.dumps(wrong) + "\n]"
    read = read_scenarios(io.BytesIO(text.encode()), name="s.json")
    assert next(read).id == "S_friends"
    with pytest.raises(InputError, match=r"^s\.json:3: scenario 2 \(FB_deal\): The knowledge"):
        next(read)


@pytest.mark.skipif(not COCOA.exists(), reason="the shared data is not here")
def test_the_sample_scenarios_of_bargains() -> None:
    content = (COCOA / "craigslist_sample_scenarios.json").read_bytes()
    scenarios = list(read_scenarios(io.BytesIO(content)))
    assert [scenario_json(scenario) for scenario in scenarios] == json.loads(content)
    assert len(scenarios) == 20
