"""`--json` of `palaver crowd`: one recruitment from the token to the last payment, at a stand-in."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.cli.study.crowd_command import command
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting.recruitments import list_recruitments
from support.recruiting import TERMS, Recruiting, prolific_in_reach, write_study
from support.recruiting_desk import meanwhile
from support.shapes import shape_of
from support.snapshots import assert_as_stored

COMMANDS = {
    f"crowd {name}"
    for name in (
        *("token", "offer", "create", "publish", "pause", "resume", "stop", "places", "delete"),
        *("try", "list", "show", "read", "find", "hooks", "filters", "submissions", "check"),
        *("approve", "pay-part", "reject", "ask-return", "screen-out", "complete", "take-back"),
        "message",
        *("due", "top-up", "bonus", "order", "orders", "pay", "settle"),
    )
}
BASE = ("--base", "https://lab.example")
LONG = (
    "What was asked for were whole sentences in each turn, and all that came was one letter. " * 2
)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


async def people(home: Recruiting) -> None:
    """Five who did all steps, slower than was said, two under way, and one who never came here."""
    found = await home.deployment.store.read(list_recruitments)
    recruitment = next(each for each in found if each.published is not None)
    visits = await home.come(recruitment, 7)
    for visit in visits[:5]:
        await home.finish(visit)
    for visit in visits[5:]:
        await home.end(visit)
    (stranger,) = home.stand_in.arrive(1, study=recruitment.panel_id or "")
    home.stand_in.complete(stranger.id, "GUESSED")
    for known in home.stand_in.submissions:
        if known.completed is not None:
            known.started = known.completed - 1200.0


async def nothing(home: Recruiting) -> None: ...


def test_a_recruitment_is_told_as_it_was(tmp_path: Path, stand_in: StandIn) -> None:
    write_study(tmp_path / "birds", recruit={**TERMS["recruit"], "part_payments": True})
    meanwhile(tmp_path, stand_in, nothing)
    shapes: dict[str, Any] = {}

    def crowd(name: str, *given: str) -> Any:
        study = () if name == "token" else (str(tmp_path / "birds"),)
        asked = {"create", "publish", "resume", "stop", "delete", "places", "pay", "message"}
        decided = {"approve", "reject", "ask-return", "screen-out", "complete", "take-back"}
        decided |= {"pay-part"}
        yes = ("--yes",) if name in asked | decided else ()
        result = CliRunner().invoke(command, [name, *study, *given, *yes, "--json"])
        assert result.stdout, (name, result.exception)
        told = json.loads(result.stdout)
        shapes[f"crowd {name}"] = shape_of(told)
        return told

    crowd("token", "--show")
    crowd("offer", *BASE)
    crowd("create", *BASE)
    crowd("delete")
    stand_in.switches.break_next(on="studies/", how="500", when="after", method="POST")
    CliRunner().invoke(command, ["create", str(tmp_path / "birds"), *BASE, "--yes"])
    crowd("find")
    crowd("try", "--email", "ada@example.org")
    crowd("publish")
    crowd("pause")
    crowd("resume")
    crowd("places", "14")
    meanwhile(tmp_path, stand_in, people)
    crowd("read")
    rows = crowd("submissions")["rows"]
    stranger = next(r["submission"]["panel_id"] for r in rows if r["visit"] is None)
    crowd("check")
    crowd("filters", "country", "--count")
    crowd("hooks", *BASE)
    crowd("top-up", "promised")
    crowd("approve", "P01")
    crowd("reject", "P02", "--category", "LOW_EFFORT", "--message", LONG)
    crowd("read")
    crowd("take-back", "P02")
    crowd("ask-return", stranger)
    crowd("screen-out", "P03", "--pay", "0.50")
    crowd("complete", "P06")
    crowd("pay-part", "P07", "--percent", "40")
    crowd("message", "P01", "--text", "Thanks")
    crowd("bonus", "0.50", "P01", "--for", "great talks")
    crowd("due")
    (order,) = crowd("order", "--rule", "by_hand")["orders"]
    crowd("pay", order["key"])
    (other,) = crowd("order")["orders"]
    crowd("settle", other["key"], "--drop")
    crowd("orders")
    crowd("show")
    crowd("list")
    crowd("stop")
    assert set(shapes) == COMMANDS
    assert_as_stored("json/crowd", shapes)
