"""The audit trail as owners read it: at the desk, through the API, as files."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chains import verified
from support.desks import PASSWORD, Desk, open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as opened:
        yield opened


def entries(desk: Desk, **query: str) -> list[dict[str, object]]:
    """The trail, as the API gives it to an owner."""
    headers = {"authorization": f"Bearer {desk.token('olga')}"}
    answer = desk.client.get("/api/v1/audit", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, object]] = answer.json()["entries"]
    return found


def test_sign_ins_and_failures_are_there_and_what_was_typed_for_a_name_is_not(desk: Desk) -> None:
    desk.sign_in("olga", "wrong password")
    desk.sign_in(PASSWORD, "olga")  # the password in the wrong field
    desk.sign_in("olga")

    found = [(each["act"], each["account"], each["subject"]) for each in entries(desk)]

    assert found[-3:] == [
        ("sign-in.fail", "", "olga"),
        ("sign-in.fail", "", "unknown name"),
        ("sign-in.pass", "olga", "olga"),
    ]
    assert PASSWORD not in json.dumps(entries(desk))


def test_exports_links_and_exclusions_say_who_did_them(desk: Desk) -> None:
    study = desk.study
    ann = study.visit("ann")
    (_, first), (_, second) = (study.dialogue(ann, "hi", "ho", system=s) for s in ("a", "b"))
    study.preference(first, second, "first", rater="r1")
    desk.sign_in("ruth")
    desk.client.get("/desk/exports/pilot-2?format=csv&mask=1")
    links = "/desk/studies/pilot-2/links"
    desk.post(links, on=links, count="3")
    raters = "/desk/studies/pilot-2/raters"
    desk.post(raters, on=raters, rater="r1", excluded="yes", reason="asleep")

    found = entries(desk, account="ruth")

    assert [each["act"] for each in found] == [
        "sign-in.pass",
        "export.make",
        "links.make",
        "exclusion.change",
    ]
    assert all(each["study"] == "pilot-2" for each in found[1:])
    assert found[1]["detail"]["masked"] is True  # type: ignore[index]
    assert found[2]["detail"] == {"links": 3}
    assert (found[3]["subject"], found[3]["detail"]) == (
        "r1",
        {"excluded": True, "reason": "asleep"},
    )
    assert verified(desk.store.url).kinds["audit"] == len(entries(desk))


def test_owners_read_the_trail_and_filter_it(desk: Desk) -> None:
    desk.sign_in("olga", "wrong")
    desk.sign_in("olga")

    page = desk.client.get("/desk/audit")
    failed = desk.client.get("/desk/audit?act=sign-in.fail")
    none = desk.client.get("/desk/audit?since=2099-01-01")
    wrong = desk.client.get("/desk/audit?since=tomorrow")

    assert page.text.count("<tr>") > failed.text.count("<tr>") == 2
    assert "Nothing matches these filters" in none.text
    assert wrong.status_code == 422
    assert "takes a day such as" in wrong.text


def test_files_hold_the_same_and_no_formula(desk: Desk) -> None:
    desk.sign_in("olga")
    desk.post("/desk/settings/tokens", on="/desk/settings", name="=1+1", role="owner", days="1")

    lines = desk.client.get("/desk/audit/file?format=jsonl").text.splitlines()
    table = desk.client.get("/desk/audit/file?format=csv").text

    assert [json.loads(line)["act"] for line in lines] == [e["act"] for e in entries(desk)]
    assert len(table.splitlines()) == len(lines) + 1


@pytest.mark.parametrize("name", ["ruth", "vera"])
def test_nobody_else_reads_it(desk: Desk, name: str) -> None:
    desk.sign_in(name)
    headers = {"authorization": f"Bearer {desk.token(name)}"}

    assert desk.client.get("/desk/audit").status_code == 403
    assert desk.client.get("/desk/audit/file").status_code == 403
    assert desk.client.get("/api/v1/audit", headers=headers).status_code == 403
    assert "/desk/audit" not in desk.client.get("/desk").text
