"""Recruiting by the API: what the desk does, with the same words of refusal, and without codes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.storage.recruiting.recruitments import find_recruitment
from support.recruiting import prolific_in_reach
from support.recruiting_desk import RecruitingDesk, fill, open_recruiting_desk

ALL = "/api/v1/studies/birds/recruiting"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


@pytest.fixture
def desk(tmp_path: Path, stand_in: StandIn) -> Iterator[RecruitingDesk]:
    with open_recruiting_desk(tmp_path, stand_in) as opened:
        yield opened


class Api:
    """Calls with the token of an account."""

    def __init__(self, desk: RecruitingDesk, name: str = "olga") -> None:
        self._client = desk.client
        self._headers = {"authorization": f"Bearer {desk.token(name)}"}

    def get(self, path: str, **query: Any) -> Any:
        found = self._client.get(path, headers=self._headers, params=query)
        assert found.status_code == 200, found.text
        return found.json()

    def send(self, path: str, method: str = "POST", **body: Any) -> Any:
        """The status and the answer; of an error its code and message."""
        sent = self._client.request(method, path, headers=self._headers, json=body)
        told = sent.json()
        return sent.status_code, told.get("error", told)


def test_from_the_offer_to_a_paid_bonus(desk: RecruitingDesk, stand_in: StandIn) -> None:
    api = Api(desk)
    offer = api.get(f"{ALL}/offer", places=12)
    assert (offer["places"], offer["cost"], offer["can_be_created"]) == (12, 3360, True)
    status, made = api.send(ALL, cost=offer["cost"], places=12)
    assert (status, made["state"]) == (201, "unpublished")
    one = f"{ALL}/{made['key']}"
    assert api.send(f"{one}/moves", move="publish")[1]["wanted"] == "running"
    assert api.send(f"{one}/places", "PUT", places=14)[1]["places"] == 14
    assert api.get(ALL)["recruitments"][0]["places"] == 14

    there = desk.store.read_now(lambda c: find_recruitment(c, made["key"]))
    pieces = desk.finished(there, 2)
    assert api.get(one)["words"].endswith("2 waiting for your decision.")
    suggested = api.get(f"{one}/suggestions")["suggestions"]
    assert [each["suggested"] for each in suggested] == ["approve", "approve"]
    status, done = api.send(f"{one}/decisions", decision="approve", submissions=pieces)
    assert (status, done["done"]) == (200, 2)

    api.send(f"{one}/payments/by-hand", submissions=pieces, amount="0.25", words="great talks")
    status, listed = api.send(f"{one}/orders")
    assert status == 201
    (order,) = listed["orders"]
    moves = f"{one}/orders/{order['key']}/moves"
    assert api.send(moves, move="set_up")[1]["total"] == 70
    assert api.send(moves, move="pay")[1]["state"] == "paid"
    status, error = api.send(moves, move="pay")
    assert (status, error["message"]) == (422, "This order is paid.")
    assert [each.amount for each in stand_in.payments] == [25, 25]
    assert api.get(f"{one}/payments")["paid"] == 50


def test_refusals_are_sentences(
    desk: RecruitingDesk, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, there = Api(desk), desk.published()
    (piece,) = desk.finished(there, 1)
    one = f"{ALL}/{there.key}"
    told = {
        "reject": {"message": "x" * 99, "category": "LOW_EFFORT"},
        "screen_out": {"pay": "3.00"},
    }
    status, error = api.send(
        f"{one}/decisions", decision="reject", submissions=[piece], **told["reject"]
    )
    assert (status, error["code"]) == (422, "invalid")
    assert "has 99 characters; Prolific asks for 100 or more" in error["message"]
    status, error = api.send(
        f"{one}/decisions", decision="screen_out", submissions=[piece], **told["screen_out"]
    )
    assert "A screen-out pays a part of the reward, and this is more." in error["message"]
    many = [f"s{n}" for n in range(501)]
    status, error = api.send(f"{one}/decisions", decision="approve", submissions=many)
    assert "Choose 1 to 500 submissions at once; got 501." in error["message"]
    assert "takes no fewer; got 2" in api.send(f"{one}/places", "PUT", places=2)[1]["message"]
    assert "27.00 GBP was agreed on" in api.send(ALL, cost=2700, places=10)[1]["message"]
    assert (
        "GBP"
        in api.send(f"{one}/payments/by-hand", submissions=[piece], amount="0.125", words="x")[1][
            "message"
        ]
    )
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", "wrong")
    status, error = api.send(f"{one}/moves", move="pause")
    assert (status, error["code"]) == (502, "panel_failed")
    assert "does not accept the token for this" in error["message"]
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", stand_in.token)
    stand_in.switches.break_next(on="transition", how="500", when="after")
    status, error = api.send(f"{one}/moves", move="pause")
    assert (status, error["code"]) == (504, "panel_unknown")
    stand_in.delete_over_there(there.panel_id or "")
    assert "it was deleted there" in api.send(f"{one}/moves", move="read")[1]["message"]
    stand_in.pay_in("USD")
    status, error = api.send(ALL, cost=2800, places=10)
    assert (status, "workspace in USD" in error["message"]) == (422, True)


def test_what_each_role_may(desk: RecruitingDesk, stand_in: StandIn) -> None:
    there = desk.do(lambda: fill(desk.recruiting, people=20))
    one, calls = f"{ALL}/{there.key}", len(stand_in.calls)
    viewer = Api(desk, "vera")
    told = str([viewer.get(one), viewer.get(f"{one}/submissions"), viewer.get(f"{one}/payments")])
    secrets = {
        *(each.id for each in stand_in.submissions),
        *(each.participant for each in stand_in.submissions),
        *there.codes.values(),
        stand_in.token,
    }
    assert [each for each in secrets if each in told] == []
    for path in ("moves", "decisions", "messages", "payments/due", "orders", "trial"):
        assert viewer.send(f"{one}/{path}")[0] == 403
    reviewer = Api(desk, "ruth")
    assert reviewer.send(f"{one}/moves", move="stop")[0] == 403
    assert reviewer.send(f"{one}/orders")[0] == 403
    assert reviewer.send(f"{one}/payments/due")[0] == 200
    listed = str(Api(desk).get(f"{one}/submissions"))
    assert stand_in.submissions[0].id in listed
    assert len(stand_in.calls) == calls
    for path in ("access", "account", "hooks"):
        denied = desk.client.get(
            f"/api/v1/recruiting/{path}", headers={"authorization": f"Bearer {desk.token('ruth')}"}
        )
        assert denied.status_code == 403
    assert desk.client.get(one).status_code == 401


def test_the_token_is_told_of_and_never_told(desk: RecruitingDesk, stand_in: StandIn) -> None:
    api = Api(desk)
    access = api.get("/api/v1/recruiting/access")
    assert access["token"] == {"name": "PALAVER_PROLIFIC_TOKEN", "source": "environment"}
    account = api.get("/api/v1/recruiting/account")
    assert account["account"]["currency"] == "GBP"
    assert f"'{stand_in.token}'" not in str(access) + str(account)
    found = api.get("/api/v1/recruiting/filters", search="country")["filters"]
    assert {each["filter_id"] for each in found} == {"current-country-of-residence"}


def test_hooks_are_set_up_for_the_public_address(
    desk: RecruitingDesk,
    stand_in: StandIn,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
    api = Api(desk)
    assert api.get("/api/v1/recruiting/hooks")["is_complete"] is False
    status, state = api.send("/api/v1/recruiting/hooks")
    assert (status, state["is_complete"]) == (200, True)
    assert state["address"] == "https://lab.example/hooks/prolific"
