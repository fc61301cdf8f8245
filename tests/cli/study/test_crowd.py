"""`palaver crowd`: from the token to a paid bonus in a terminal, and what is refused there."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting.recruitments import list_recruitments
from support.recruiting import Recruiting, prolific_in_reach, write_study
from support.recruiting_desk import meanwhile

from ..conftest import Palaver, Said

T = TypeVar("T")
BASE = ("--base", "https://lab.example")


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


@pytest.fixture
def crowd(palaver: Palaver, tmp_path: Path, stand_in: StandIn) -> Callable[..., Said]:
    """`palaver crowd COMMAND birds …` on a study that was served once."""
    write_study(tmp_path / "birds")
    meanwhile(tmp_path, stand_in, _nothing)

    def run(command: str, *given: str) -> Said:
        return palaver("crowd", command, "birds", *given)

    return run


async def _nothing(home: Recruiting) -> None: ...


async def people(home: Recruiting) -> list[str]:
    """Three who did all steps, and one who handed in without coming; their submissions."""
    (recruitment,) = await home.deployment.store.read(list_recruitments)
    visits = await home.come(recruitment, 3)
    done = [await home.finish(each) for each in visits]
    (stranger,) = home.stand_in.arrive(1, study=recruitment.panel_id or "")
    home.stand_in.complete(stranger.id, "GUESSED")
    return [*(each.external_id or "" for each in done), stranger.id]


def published(crowd: Callable[..., Said]) -> None:
    assert crowd("create", "--yes", *BASE).status == 0
    assert crowd("publish", "--yes").status == 0


def test_from_the_offer_to_a_paid_bonus(
    crowd: Callable[..., Said], tmp_path: Path, stand_in: StandIn
) -> None:
    offer = crowd("offer", *BASE)
    assert "cost with fees  28.00 GBP" in offer.out
    assert stand_in.studies == []
    made = crowd("create", "--yes", *BASE)
    assert "The draft is created." in made.out
    assert "Published: people may come" in crowd("publish", "--yes").out
    pieces = meanwhile(tmp_path, stand_in, people)

    checked = crowd("check", "--read")
    assert checked.status == 1
    assert "Nobody came here with this submission, and it was handed in." in checked.out
    listed = crowd("submissions").out
    assert "P01" in listed
    assert "did all steps" in listed
    assert "3 submissions approved." in crowd("approve", "--suggested", "--yes").out
    asked = crowd("ask-return", pieces[3], "--yes")
    assert "1 submission asked to return." in asked.out
    assert (
        "The message went to 1 person." in crowd("message", "P01", "--text", "Thanks", "--yes").out
    )

    noted = crowd("bonus", "0.50", "P01", "P02", "--for", "great talks")
    assert "Due: 1.00 GBP." in noted.out
    (order,) = json.loads(crowd("order", "--json").out)["orders"]
    assert order["total"] == 140
    assert "1.00 GBP: paid." in crowd("pay", order["key"], "--yes").out
    again = crowd("pay", order["key"], "--yes")
    assert (again.status, again.err) == (1, "palaver: This order is paid. Nothing was sent.\n")
    assert [each.amount for each in stand_in.payments] == [50, 50]
    assert "paid" in crowd("orders").out
    shown = crowd("show").out
    assert shown.startswith("Recruiting at Prolific: 4 of 10 places taken")
    assert "An hour" not in shown
    assert "stopped" in crowd("stop", "--yes").out.lower()


def test_it_asks_before_it_spends(
    crowd: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, stand_in: StandIn
) -> None:
    assert crowd("create", "--yes", *BASE).status == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    said = crowd("publish")
    assert said.status == 130
    assert "10 places at 2.00 GBP each may cost 28.00 GBP" in said.out
    assert stand_in.studies[0].status == "UNPUBLISHED"
    assert "--json does not ask: add --yes." in crowd("publish", "--json").err


def test_refusals_are_sentences(
    crowd: Callable[..., Said],
    tmp_path: Path,
    stand_in: StandIn,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "Nobody is recruited for 'birds' yet." in crowd("show").err
    assert "Nobody says at which address" in crowd("offer").err
    published(crowd)
    pieces = meanwhile(tmp_path, stand_in, people)
    assert crowd("read").status == 0
    short = crowd("reject", pieces[3], "--message", "x" * 99, "--category", "NO_DATA", "--yes")
    assert short.status == 1
    assert "has 99 characters; Prolific asks for 100 or more" in short.err
    assert "takes no fewer; got 2" in crowd("places", "2", "--yes").err
    assert "No submission 'P77' is known" in crowd("approve", "P77", "--yes").err
    assert "Choose 1 to 500 submissions at once; got 0." in crowd("approve", "--yes").err
    assert "cannot be paid" in crowd("bonus", "0.125", "P01", "--for", "x").err
    assert "There is no order 'o_none' here." in crowd("pay", "o_none", "--yes").err
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", "wrong")
    refused = crowd("pause")
    assert refused.status == 1
    assert "does not accept the token for this" in refused.err
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", stand_in.token)
    stand_in.pay_in("USD")
    assert "workspace in USD" in crowd("create", "--yes", *BASE).err
    (recruitment,) = stand_in.studies
    stand_in.delete_over_there(recruitment.id)
    assert "it was deleted there. Nothing was changed" in crowd("pause").err


def test_an_order_without_an_answer_is_settled_by_a_person(
    crowd: Callable[..., Said], tmp_path: Path, stand_in: StandIn
) -> None:
    published(crowd)
    meanwhile(tmp_path, stand_in, people)
    crowd("read")
    crowd("bonus", "0.50", "P01", "--for", "great talks")
    (order,) = json.loads(crowd("order", "--json").out)["orders"]
    stand_in.switches.break_next(on="/pay", how="500", when="after")
    unknown = crowd("pay", order["key"], "--yes")
    assert unknown.status == 1
    assert "look at the panel whether it was paid" in unknown.out
    assert "look at the panel" in crowd("pay", order["key"], "--yes").err
    assert len(stand_in.payments) == 1
    assert "paid." in crowd("settle", order["key"], "--was-paid").out
    assert "Say one of --was-paid" in crowd("settle", order["key"]).err


def test_the_token_is_typed_and_never_printed(
    palaver: Palaver, tmp_path: Path, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PALAVER_PROLIFIC_TOKEN")
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))

    def typed(token: str) -> Said:
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{token}\n"))
        return palaver("crowd", "token")

    assert "There is no token for Prolific." in palaver("crowd", "token", "--test").err
    stored = typed("wrong-token")
    assert "token            set in" in stored.out
    assert "wrong-token" not in stored.out + stored.err
    refused = palaver("crowd", "token", "--test")
    assert "does not accept the token" in refused.err
    assert "wrong-token" not in refused.err
    typed(stand_in.token)
    assert "Stand-in workspace" in palaver("crowd", "token", "--test").out
    assert "The token is forgotten." in palaver("crowd", "token", "--forget").out
    assert "not set" in palaver("crowd", "token", "--show").out
    assert "one word" in typed("two words").err


def test_filters_are_found_by_words(crowd: Callable[..., Said]) -> None:
    found = crowd("filters", "united")
    assert "current-country-of-residence" in found.out
    assert "handedness" not in found.out
    assert crowd("filters", "unicorn").out == "No filter has these words.\n"


def test_a_study_that_was_never_served_is_named(
    palaver: Palaver, tmp_path: Path, stand_in: StandIn
) -> None:
    write_study(tmp_path / "birds")
    said = palaver("crowd", "list", "birds")
    assert said.status == 1
    assert "Serve the study first" in said.err
