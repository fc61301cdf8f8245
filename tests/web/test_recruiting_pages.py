"""Recruiting at the desk: from the offer to a paid order, who may do what, and what is refused."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection
from starlette.routing import Route

from palaver.core.recruiting.payments import PayOrder
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.books import read_payments
from palaver.studies.recruiting.overview import read_recruitments
from palaver.web.desk.recruiting.payment_routes import routes as payments
from palaver.web.desk.recruiting.routes import routes as overview
from palaver.web.desk.recruiting.submission_routes import routes as submissions
from support.cases import every_case
from support.recruiting import prolific_in_reach
from support.recruiting_desk import RecruitingDesk, fill, open_recruiting_desk

SCRIPT = "<script>alert(1)</script>"
LONG = (
    "The study asked for whole sentences in each of ten turns, and all that came was one letter, "
    "ten times over."
)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    with prolific_in_reach(monkeypatch) as found:
        yield found


@pytest.fixture
def desk(tmp_path: Path, stand_in: StandIn) -> Iterator[RecruitingDesk]:
    with open_recruiting_desk(tmp_path, stand_in) as opened:
        opened.sign_in("olga")
        yield opened


def orders(desk: RecruitingDesk) -> tuple[PayOrder, ...]:
    def read(c: Connection) -> tuple[PayOrder, ...]:
        current = read_recruitments(c, desk.study.study_id).current
        assert current is not None
        return read_payments(c, current).orders

    return desk.store.read_now(read)


def test_from_the_offer_to_people(desk: RecruitingDesk, stand_in: StandIn) -> None:
    assert "Nobody is recruited yet" in desk.page()
    offer = desk.page("/offer")
    assert "10 places at 2.00 GBP would cost 28.00 GBP with fees" in offer
    assert "Waits for your decision." in offer
    assert stand_in.studies == []

    made = desk.send("/create", places="10", cost="2800")
    assert made.status_code == 303
    key = made.headers["location"].partition("recruiting/")[2].partition("?")[0]
    assert "A draft at Prolific: 10 places, and nobody sees it yet." in desk.page(f"/{key}")
    asked = desk.page(f"/{key}/confirm/publish")
    assert "10 places at 2.00 GBP each may cost 28.00 GBP in all with fees" in asked
    assert stand_in.studies[0].status == "UNPUBLISHED"

    assert desk.send(f"/{key}/acts/publish").status_code == 303
    assert stand_in.studies[0].status == "ACTIVE"
    assert "Recruiting at Prolific: 0 of 10 places taken." in desk.page()
    assert desk.send(f"/{key}/acts/pause").status_code == 303
    assert "A person paused it, here or at the panel" in desk.page()
    assert desk.send(f"/{key}/acts/resume").status_code == 303
    assert desk.send(f"/{key}/acts/places", places="12").status_code == 303
    assert "0 of 12 places taken" in desk.page()


def test_another_price_than_was_looked_at_creates_nothing(
    desk: RecruitingDesk, stand_in: StandIn
) -> None:
    sent = desk.send("/create", places="10", cost="2700")
    assert sent.status_code == 422
    assert (
        "It costs 28.00 GBP by now, and 27.00 GBP was agreed on. Nothing was created." in sent.text
    )
    assert stand_in.studies == []


def test_decisions_are_looked_at_first(desk: RecruitingDesk, stand_in: StandIn) -> None:
    there = desk.published()
    pieces = desk.finished(there, 3)
    at = f"/{there.key}"
    listed = desk.page(f"{at}/submissions")
    assert "3 submissions wait for your decision" in listed
    assert "3 submissions have nothing against them." in listed

    look = desk.send(f"{at}/submissions", decision="approve", piece=pieces[:2])
    assert "2 submissions are approved. Each gets the reward of 2.00 GBP" in look.text
    assert {each.status for each in stand_in.submissions} == {"AWAITING REVIEW"}
    done = desk.send(f"{at}/decide", decision="approve", piece=pieces[:2])
    assert "2 submissions approved." in done.text
    assert [each.status for each in stand_in.submissions].count("APPROVED") == 2

    refused = desk.send(
        f"{at}/decide", decision="reject", piece=pieces[2], category="LOW_EFFORT", message="x" * 99
    )
    assert refused.status_code == 422
    assert "has 99 characters; Prolific asks for 100 or more" in refused.text
    assert "x" * 99 in refused.text
    rejected = desk.send(
        f"{at}/decide", decision="reject", piece=pieces[2], category="LOW_EFFORT", message=LONG
    )
    assert "1 submission rejected." in rejected.text
    again = desk.send(
        f"{at}/decide", decision="reject", piece=pieces[2], category="LOW_EFFORT", message=LONG
    )
    assert "0 submissions rejected. Not done:" in again.text


def test_all_that_is_suggested_is_looked_at_together(desk: RecruitingDesk) -> None:
    there = desk.published()
    desk.finished(there, 2)
    look = desk.send(f"/{there.key}/submissions", decision="approve", which="suggested")
    assert look.text.count('name="piece"') == 2
    # Writing to everybody is never anything else, whatever the list beside it says.
    look = desk.send(f"/{there.key}/submissions", decision="approve", which="everybody")
    assert "2 people read this message at the panel" in look.text


def test_too_many_at_once_are_refused(desk: RecruitingDesk, stand_in: StandIn) -> None:
    there = desk.published()
    desk.finished(there, 1)
    many, calls = [f"s{n}" for n in range(501)], len(stand_in.calls)
    sent = desk.send(f"/{there.key}/decide", decision="approve", piece=many)
    assert "Choose 1 to 500 submissions at once; got 501. Nothing was sent." in sent.text
    assert len(stand_in.calls) == calls


def test_messages_reach_people(desk: RecruitingDesk, stand_in: StandIn) -> None:
    there = desk.published()
    pieces = desk.finished(there, 2)
    at = f"/{there.key}/decide"
    assert "Thanks" not in [each.body for each in stand_in.messages]
    done = desk.send(at, decision="message", piece=pieces, text="Thanks")
    assert "The message went to 2 people." in done.text
    assert [each.body for each in stand_in.messages] == ["Thanks", "Thanks"]
    empty = desk.send(at, decision="message", piece=pieces, text="  ")
    assert "Nothing was sent." in empty.text


def test_a_bonus_is_noted_ordered_set_up_and_paid_once(
    desk: RecruitingDesk, stand_in: StandIn
) -> None:
    there = desk.published()
    pieces = desk.finished(there, 2)
    at = f"/{there.key}"
    for _ in range(2):
        noted = desk.send(
            f"{at}/payments/by-hand", piece=pieces, amount="0.50", words="great talks"
        )
    assert "Nothing is due that was not noted before." in noted.text
    assert "1.00 GBP due" in noted.text
    ids = re.findall(r'name="payment" value="(\d+)" form', noted.text)
    made = desk.send(f"{at}/orders", payment=ids)
    order = made.headers["location"].rpartition("/")[2]
    assert "Set up, and see what it costs" in desk.page(f"{at}/orders/{order}")
    assert desk.send(f"{at}/orders/{order}/set-up").status_code == 303
    assert "Pay 1.40 GBP now" in desk.page(f"{at}/orders/{order}")
    assert stand_in.payments == []
    assert desk.send(f"{at}/orders/{order}/pay").status_code == 303
    assert sorted(each.amount for each in stand_in.payments) == [50, 50]

    again = desk.send(f"{at}/orders/{order}/pay")
    assert (again.status_code, "This order is paid." in again.text) == (422, True)
    twice = desk.send(f"{at}/orders", payment=ids)
    assert "ordered meanwhile" in twice.text
    assert len(stand_in.payments) == 2


def test_an_order_without_an_answer_stands_first_and_is_settled_by_a_person(
    desk: RecruitingDesk, stand_in: StandIn
) -> None:
    there = desk.do(lambda: fill(desk.recruiting, people=20))
    unknown = next(each for each in orders(desk) if each.state == "unknown")
    page = desk.page(f"/{there.key}/payments")
    assert page.index("Say what was found") < page.index("Due and not ordered")
    assert "Of 1 order to pay no answer came." in desk.page()
    paid = len(stand_in.payments)
    sent = desk.send(f"/{there.key}/orders/{unknown.key}/pay")
    assert sent.status_code == 422
    assert len(stand_in.payments) == paid
    assert desk.send(f"/{there.key}/orders/{unknown.key}/was-paid").status_code == 303
    assert {each.state for each in orders(desk)} == {"paid"}


def test_what_the_panel_refuses_is_one_sentence(
    desk: RecruitingDesk, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = desk.published()
    at = f"/{there.key}/acts"
    shrunk = desk.send(f"{at}/places", places="3")
    assert "takes no fewer; got 3. Nothing was changed." in shrunk.text
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", "wrong")
    refused = desk.send(f"{at}/pause")
    assert refused.status_code == 422
    assert "does not accept the token for this" in refused.text
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", stand_in.token)
    stand_in.delete_over_there(there.panel_id or "")
    gone = desk.send(f"{at}/pause")
    assert "it was deleted there. Nothing was changed" in gone.text
    assert "Gone from Prolific" in desk.page()


def test_another_currency_there_is_told_before_anything_is_made(
    desk: RecruitingDesk, stand_in: StandIn
) -> None:
    stand_in.pay_in("USD")
    assert "The study pays in GBP, and the panel" in desk.client.get(f"{desk.address}/offer").text
    sent = desk.send("/create", places="10", cost="2800")
    assert sent.status_code == 422
    assert stand_in.studies == []


def test_words_of_the_panel_are_text(desk: RecruitingDesk, stand_in: StandIn) -> None:
    there = desk.published()

    async def come() -> None:
        (visit,) = await desk.recruiting.come(there, 1)
        await desk.recruiting.end(visit)
        stand_in.complete(visit.external_id or "", SCRIPT)
        stand_in.submissions[0].participant = SCRIPT

    desk.do(come)
    desk.read(there)
    for path in ("", "/submissions", "/payments"):
        page = desk.page(f"/{there.key}{path}")
        assert SCRIPT not in page
    assert "&lt;script&gt;" in desk.page(f"/{there.key}/submissions")


def test_a_viewer_sees_neither_ids_nor_codes_and_changes_nothing(
    desk: RecruitingDesk, stand_in: StandIn
) -> None:
    there = desk.do(lambda: fill(desk.recruiting, people=20))
    order = orders(desk)[0]
    desk.client.cookies.clear()
    desk.sign_in("vera")
    csrf = desk.csrf("/desk/settings")
    paths = ["", "/submissions", "/payments", f"/orders/{order.key}"]
    shown = "".join(desk.page(f"/{there.key}{path}") for path in paths)
    secrets = {
        *(each.id for each in stand_in.submissions),
        *(each.participant for each in stand_in.submissions),
        *there.codes.values(),
        "=WRONG",
        stand_in.token,
    }
    assert [each for each in secrets if each in shown] == []
    known, calls = (
        {"recruitment": there.key, "order": order.key, "study": "birds"},
        len(stand_in.calls),
    )
    with every_case() as case:
        for route in (*overview, *submissions, *payments):
            assert isinstance(route, Route)
            if "POST" not in (route.methods or ()):
                continue
            for act in ("publish", "pay", "due"):
                path = re.sub(r"{(act|how)}", act, route.path).format(**known)
                with case(f"POST {path}"):
                    sent = desk.client.post(path, data={"csrf": csrf}, follow_redirects=False)
                    assert sent.status_code in (403, 404)
    assert len(stand_in.calls) == calls
    for path in ("/offer", "/hooks", f"/{there.key}/submissions.csv", f"/{there.key}/payments.csv"):
        assert desk.client.get(desk.address + path).status_code == 403


def test_a_reviewer_decides_and_does_not_pay(desk: RecruitingDesk, stand_in: StandIn) -> None:
    there = desk.published()
    pieces = desk.finished(there, 1)
    desk.client.cookies.clear()
    desk.sign_in("ruth")
    at = f"/{there.key}"
    assert "Make an order" not in desk.page(f"{at}/payments")
    for path in ("/acts/stop", "/acts/places", "/orders"):
        assert desk.send(at + path).status_code == 403
    assert desk.client.get(f"{desk.address}{at}/confirm/stop").status_code == 403
    assert desk.send("/create").status_code == 403
    assert desk.send(f"{at}/decide", decision="approve", piece=pieces).status_code == 200
    assert desk.send(f"{at}/acts/pause").status_code == 303
    table = desk.client.get(f"{desk.address}{at}/submissions.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert pieces[0] in table.text


def test_strangers_and_forms_without_a_token_do_nothing(
    desk: RecruitingDesk, stand_in: StandIn
) -> None:
    there = desk.published()
    path = f"{desk.address}/{there.key}/acts/stop"
    assert desk.client.post(path, follow_redirects=False).status_code == 403
    assert desk.client.post(path, data={"csrf": "0" * 64}).status_code == 403
    desk.client.cookies.clear()
    away = desk.client.post(path, follow_redirects=False)
    assert away.headers["location"].startswith("/desk/sign-in")
    assert stand_in.studies[0].status == "ACTIVE"


def test_names_of_nothing_are_not_found(desk: RecruitingDesk) -> None:
    there = desk.published()
    for path in ("/r_none", "/r_none/submissions", f"/{there.key}/orders/o_none"):
        assert desk.client.get(desk.address + path).status_code == 404
    for path in ("/acts/explode", "/payments/explode", "/orders/o_none/pay"):
        assert desk.send(f"/{there.key}{path}").status_code == 404
    assert desk.client.get(f"{desk.address}/{there.key}/confirm/explode").status_code == 404


def test_the_token_is_stored_tried_and_forgotten_and_never_shown(
    desk: RecruitingDesk, stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_SECRETS", str(tmp_path / "secrets"))
    address = "/desk/settings/recruiting"
    assert "PALAVER_PROLIFIC_TOKEN" in desk.client.get(address).text
    monkeypatch.delenv("PALAVER_PROLIFIC_TOKEN")

    def post(act: str, **fields: str) -> str:
        data = {"csrf": desk.csrf(address), **fields}
        return str(desk.client.post(f"{address}/{act}", data=data).text)

    assert "No token is set" in desk.client.get(address).text
    assert "There is no token for Prolific here" in desk.page()
    assert "There is no token for Prolific. Set" in post("test")
    assert "A token is one word" in post("store", token="two words")
    stored = post("store", token="wrong-token")
    assert "The token is stored" in stored
    assert "wrong-token" not in stored
    assert "does not accept the token for this" in post("test")
    assert "wrong-token" not in post("test")
    post("store", token=stand_in.token)
    tried = post("test")
    assert "The token works" in tried
    assert "Stand-in researcher" in tried
    assert (tmp_path / "secrets").stat().st_mode & 0o077 == 0
    assert "The token is forgotten" in post("forget")
    desk.client.cookies.clear()
    desk.sign_in("ruth")
    assert desk.client.get(address).status_code == 403


def test_a_panel_without_a_service_has_no_such_tab(tmp_path: Path, stand_in: StandIn) -> None:
    with open_recruiting_desk(tmp_path, stand_in, crowd={"kind": "link"}, recruit=None) as desk:
        desk.sign_in("olga")
        assert ">Recruiting<" not in desk.client.get("/desk/studies/birds").text
        assert "People of this study come by" in desk.page("/offer")
