"""Who may take part, and paying a part, at the desk and by the API; one desk for all tests."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from palaver.core.recruiting.recruitments import Recruitment
from palaver.crowds.prolific.stand_in.service import StandIn
from palaver.studies.recruiting.offering.filters import filters_of
from support.recruiting import TERMS, prolific_in_reach
from support.recruiting_desk import RecruitingDesk, open_recruiting_desk

COUNTRY = "current-country-of-residence"
RECRUIT = {
    **TERMS["recruit"],
    "part_payments": True,
    "filters": {COUNTRY: ["United Kingdom"], "shoe-size": {"from": 40}},
}
CHOSEN = {f"of.{COUNTRY}": "0", "from.shoe-size": "40"}


@pytest.fixture(scope="module")
def stand_in() -> Iterator[StandIn]:
    with pytest.MonkeyPatch.context() as patch, prolific_in_reach(patch) as found:
        yield found


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, stand_in: StandIn) -> Iterator[RecruitingDesk]:
    folder = tmp_path_factory.mktemp("choices")
    with open_recruiting_desk(folder, stand_in, recruit=RECRUIT) as opened:
        opened.sign_in("olga")
        yield opened


@pytest.fixture(scope="module")
def there(desk: RecruitingDesk) -> Recruitment:
    """A recruitment of after the filters were mended."""
    desk.send("/filters", act="save", **{f"of.{COUNTRY}": ["0", "2"], "to.age": "40"})
    return desk.published()


def choose(desk: RecruitingDesk, **fields: Any) -> str:
    sent = desk.send("/filters", **fields)
    assert sent.status_code == 200
    return str(sent.text)


def test_filters_are_searched_counted_saved_and_taken_out(desk: RecruitingDesk) -> None:
    page = desk.page("/filters")
    assert "2 filters decide who may take part" in page
    assert "United Kingdom" in page
    assert "The panel has no filter &#39;shoe-size&#39;." in page
    assert "The recruitment that is there keeps" not in page
    assert "not saved" not in page

    found = choose(desk, **CHOSEN, act="search", search="write with")
    assert "1 filter with “write with”" in found
    assert "First language" not in found
    assert "No other filter has the words “zebra”" in choose(desk, **CHOSEN, search="zebra")

    # A filter that is unknown is said with what is near, and nothing is saved.
    refused = desk.send("/filters", **CHOSEN, act="save")
    assert refused.status_code == 422
    assert "no filter &#39;shoe-size&#39;" in refused.text
    fewer = choose(desk, **CHOSEN, remove="shoe-size")
    assert "1 filter decides who may take part" in fewer
    assert "not saved" in fewer

    chosen = {f"of.{COUNTRY}": ["0", "2"], "of.handedness": "Left", "from.age": "21"}
    counted = choose(desk, **chosen, act="count")
    assert "people pass these filters" in counted
    assert filters_of(desk.deployment.study("birds").definition).keys() == {COUNTRY, "shoe-size"}
    saved = desk.send("/filters", **chosen, act="save")
    assert (saved.status_code, saved.headers["location"]) == (
        303,
        "/desk/studies/birds/recruiting/filters?done=save",
    )
    definition = desk.deployment.study("birds").definition
    assert f"{COUNTRY}: [United Kingdom, Ireland]" in definition.file.read_text(encoding="utf-8")
    assert "handedness: [Left]" in definition.file.read_text(encoding="utf-8")
    assert "The filters are saved" in desk.page("/filters?done=save")
    assert f"{COUNTRY}: United Kingdom or Ireland" in desk.page("/offer")
    again = desk.send("/filters", **chosen, act="save")
    assert "These are the filters of the study already." in again.text


def test_what_is_no_range_and_an_older_version_are_one_sentence(desk: RecruitingDesk) -> None:
    for ends, told in (
        ({"from.age": "x"}, "The ends of &#39;age&#39; are numbers; got &#39;x&#39;."),
        ({"from.age": "40", "to.age": "20"}, "begins at 40, above its end, 20."),
        ({"from.age": "12"}, "goes from 18 to 100; got 12."),
        ({"of.handedness": "Third"}, "has no choice &#39;Third&#39;."),
    ):
        sent = desk.send("/filters", **ends, act="count")
        assert (sent.status_code, told in sent.text) == (422, True)
    late = desk.send("/filters", **{"from.age": "30"}, base="0", act="save")
    assert "This change was made of version 0" in late.text


def test_without_a_token_that_works_the_file_is_still_shown(
    desk: RecruitingDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALAVER_PROLIFIC_TOKEN", "wrong")
    answer = desk.client.get(f"{desk.address}/filters")
    assert answer.status_code == 422
    assert "does not accept the token for this" in answer.text
    assert COUNTRY in answer.text
    assert 'name="act"' not in answer.text


def test_only_owners_choose_who_may_take_part(desk: RecruitingDesk) -> None:
    desk.client.cookies.clear()
    desk.sign_in("ruth")
    assert desk.client.get(f"{desk.address}/filters").status_code == 403
    csrf = desk.csrf(desk.address)
    assert desk.client.post(f"{desk.address}/filters", data={"csrf": csrf}).status_code == 403
    assert "/recruiting/filters" not in desk.page()
    desk.client.cookies.clear()
    desk.sign_in("olga")


def test_the_api_counts_for_reviewers(desk: RecruitingDesk) -> None:
    tokens = {name: desk.token(name) for name in ("ruth", "vera")}

    def count(name: str, **filters: Any) -> Any:
        return desk.client.post(
            "/api/v1/recruiting/filters/count",
            headers={"authorization": f"Bearer {tokens[name]}"},
            json={"filters": filters},
        )

    some = count("ruth", age={"from": 18, "to": 40}, handedness=["Left"]).json()
    assert some["words"] == f"{some['count']:,} people"
    assert count("ruth", age={"from": 40, "to": 40}).json() == {
        "count": 0,
        "words": "fewer than 25 people",
    }
    unknown = count("ruth", agee=["1"])
    assert (unknown.status_code, "Near: 'age'" in unknown.text) == (422, True)
    assert count("ruth", age={"from": 9, "to": 2}).status_code == 422
    assert count("vera", age={"from": 18}).status_code == 403


def test_a_part_is_worked_out_and_paid(
    desk: RecruitingDesk, stand_in: StandIn, there: Recruitment
) -> None:
    assert "keeps the filters it was created with" in desk.page("/filters")
    visits = desk.do(desk.recruiting.come, there, 2)
    one, two = (each.external_id or "" for each in visits)
    desk.read(there)
    at = f"/{there.key}/decide"
    look = desk.send(f"/{there.key}/submissions", decision="pay_part", piece=[one])
    assert "1 submission is handed in from here and paid a part" in look.text
    worked = desk.send(at, decision="pay_part", piece=[one], percent="40", again="1")
    assert "It gets 40 %, which is 0.80 GBP; with fees that is 1.12 GBP." in worked.text
    assert 'value="40"' in worked.text
    wrong = desk.send(at, decision="pay_part", piece=[one], percent="140", message="Half.")
    assert "pays 8 to 99 percent of a reward as a part; got 140." in wrong.text
    assert "Half." in wrong.text
    assert {each.status for each in stand_in.submissions} == {"ACTIVE"}
    done = desk.send(at, decision="pay_part", piece=[one], percent="40", message="Half.")
    assert "1 submission paid in part." in done.text
    assert stand_in.submission(one).paid == 80
    assert "Pay a part (40 %): done" in desk.page(f"/{there.key}/submissions")

    headers = {"authorization": f"Bearer {desk.token('ruth')}"}
    ruling = {"decision": "pay_part", "submissions": [two], "percent": 50}
    address = f"/api/v1/studies/birds/recruiting/{there.key}/decisions"
    assert desk.client.post(address, headers=headers, json=ruling).json()["done"] == 1
    desk.read(there)
    assert "1.80 GBP" not in desk.page()
    assert "2.52 GBP paid so far" in desk.page()


def test_the_median_is_told_with_its_interval(
    desk: RecruitingDesk, stand_in: StandIn, there: Recruitment
) -> None:
    desk.finished(there, 7)
    for number, known in enumerate(stand_in.submissions):
        if known.completed is not None:
            known.started = known.completed - (8 + number) * 60
    desk.read(there)
    assert re.search(r"The median of 7 people took [^(]+\([^)]+ to [^)]+, 95 %\)", desk.page())
