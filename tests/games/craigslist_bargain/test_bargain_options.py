"""What a study can say of a bargain, what a page shows of it, and what dialogues are worth."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from palaver.core.errors import InputError
from palaver.games.craigslist_bargain.game import GAME
from palaver.games.craigslist_bargain.metrics import (
    AGREEMENT,
    BUYER_MARGIN,
    FAIRNESS,
    LENGTH,
    SELLER_MARGIN,
)
from palaver.games.craigslist_bargain.options import BargainOptions
from palaver.games.craigslist_bargain.sides import sides_of
from palaver.games.game import Setting
from palaver.studies.check import check_study
from support.cocoa import BARGAIN_SCENARIO, bargain_kb


def rules(folder: Path, **options: Any):
    return BargainOptions(**options).rules(Setting(), folder=folder)


def test_a_study_gives_people_a_role_or_lets_them_draw_one(tmp_path: Path) -> None:
    assert len(rules(tmp_path).scenarios) == 156
    assert BargainOptions().draws_seats
    for role in ("buyer", "seller"):
        scenarios = rules(tmp_path, role=role).scenarios
        assert {sides_of(each)[0].role for each in scenarios} == {role}
        assert not BargainOptions(role=role).draws_seats


def write(folder: Path, *scenarios: dict[str, Any]) -> None:
    (folder / "own.json").write_text(json.dumps(scenarios))


def test_a_study_brings_its_own_scenarios(tmp_path: Path) -> None:
    write(tmp_path, BARGAIN_SCENARIO, {**BARGAIN_SCENARIO, "uuid": "S_second"})
    given = rules(tmp_path, scenario_file="own.json", most_scenarios=1)
    assert [each.id for each in given.scenarios] == ["S_bargain"]


@pytest.mark.parametrize(
    ("kbs", "said"),
    [
        ([bargain_kb("buyer", 20), bargain_kb("buyer", 40)], "two of the role 'buyer'"),
        ([bargain_kb("buyer", None), bargain_kb("seller", 40)], "'Target' of the buyer"),
        ([bargain_kb("buyer", -2), bargain_kb("seller", 40)], "got -2"),
        ([bargain_kb("lender", 2), bargain_kb("seller", 40)], "'Role' takes"),
    ],
)
def test_a_scenario_that_cannot_be_played_is_named(tmp_path: Path, kbs: Any, said: str) -> None:
    write(tmp_path, {**BARGAIN_SCENARIO, "kbs": kbs})
    with pytest.raises(InputError, match=said):
        rules(tmp_path, scenario_file="own.json")


def test_a_page_shows_a_target_to_whom_the_study_says() -> None:
    buyer, seller = BARGAIN_SCENARIO["kbs"]
    for who, told in {"buyer": ("$20", ""), "both": ("$20", "$40"), "nobody": ("", "")}.items():
        options = BargainOptions(targets_shown_to=who)
        assert (options.shown(buyer).target, options.shown(seller).target) == told


@pytest.mark.parametrize(
    ("pictures", "named", "address"),
    [
        (None, "f/1.jpg", ""),
        ("/pictures/", "f/1.jpg", "/pictures/f/1.jpg"),
        ("/pictures", "../secret.jpg", ""),
        ("/pictures", "//elsewhere.org/1.jpg", ""),
        ("/pictures", "https://elsewhere.org/1.jpg", ""),
        (None, "data:image/png;base64,AAAA", "data:image/png;base64,AAAA"),
        (None, "data:text/html;base64,AAAA", ""),
        ("/pictures", 'x" onerror="1', ""),
    ],
)
def test_pictures_come_from_this_server_or_from_the_scenario(
    pictures: str | None, named: str, address: str
) -> None:
    kb = bargain_kb("buyer", 20)
    kb["item"]["Images"] = [named]
    assert BargainOptions(pictures=pictures).shown(kb).picture == address


@pytest.mark.parametrize("pictures", ["https://elsewhere.org/", "//elsewhere.org/", "here", "/a b"])
def test_pictures_from_elsewhere_are_refused(pictures: str) -> None:
    with pytest.raises(ValidationError, match="a path on this server"):
        BargainOptions(pictures=pictures)


def test_the_study_that_one_starts_from_is_in_order() -> None:
    assert GAME.starter == "bargain"
    assert [str(problem) for problem in check_study(GAME.material)] == []


# What dialogues are worth


def line(price: float | None, **outcome: Any) -> dict[str, Any]:
    said = {"offer": {"price": price}, **outcome}
    return {
        "id": "d",
        "scenario": {"kbs": BARGAIN_SCENARIO["kbs"]},
        "events": [
            {"action": "message", "seat": 0},
            {"action": "offer", "seat": 0},
            {"action": "end", "seat": None, "data": {"outcome": said}},
        ],
    }


def test_deals_margins_and_fairness() -> None:
    """Targets 20 and 40: the middle is 30. 25 is half way to the buyer, 45 beyond the seller."""
    lines = [
        line(25, success=True),
        line(45, reward=1),  # as CoCoA writes it
        line(30, success=False),
        {"id": "q", "events": [{"action": "end", "data": {"outcome": {"seat": 0}}}]},
    ]
    assert AGREEMENT.compute(lines).value == 0.5
    assert BUYER_MARGIN.compute(lines).value == (0.5 - 1.5) / 2
    assert SELLER_MARGIN.compute(lines).value == (-0.5 + 1.5) / 2
    assert FAIRNESS.compute(lines).value == (0.5 - 0.5) / 2
    assert LENGTH.compute(lines).value == 0.75
    assert BUYER_MARGIN.compute(lines).parts == {"deals": 2, "outliers": 0, "without_deal": 2}


def test_a_slip_of_the_finger_is_left_out_and_counted() -> None:
    lines = [line(25, success=True), line(400, success=True)]
    score = SELLER_MARGIN.compute(lines)
    assert (score.value, score.n) == (-0.5, 1)
    assert score.parts == {"deals": 1, "outliers": 1, "without_deal": 0}
    assert not BUYER_MARGIN.compute([line(None, success=False)]).is_defined
