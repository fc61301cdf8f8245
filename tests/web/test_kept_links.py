"""Links with names and panels at the desk and over the API: who may, what is refused, what is sent."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.cases import every_case
from support.desks import Desk, open_desk

LINKS = "/desk/studies/pilot-2/links"
API = "/api/v1/studies/pilot-2"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk that nobody has signed in to."""
    with open_desk(tmp_path) as opened:
        yield opened


def signed_in(desk: Desk, name: str = "ruth") -> Desk:
    assert desk.sign_in(name).status_code == 303
    return desk


def make(desk: Desk, names: str, hours: str = "72") -> int:
    found = desk.post(f"{LINKS}/named", on=LINKS, names=names, hours=hours)
    return int(found.status_code)


def bearer(desk: Desk, name: str) -> dict[str, str]:
    return {"authorization": f"Bearer {desk.token(name)}"}


def test_a_pasted_list_makes_links_that_are_listed_drawn_printed_and_revoked(desk: Desk) -> None:
    signed_in(desk)
    assert "Links with names" in desk.client.get(LINKS).text
    assert make(desk, "Anna\n\n  Ben <b>&amp; Co</b> \n") == 303
    page = desk.client.get(LINKS).text
    assert "Ben &lt;b&gt;" in page
    assert page.count("not used yet") == 2
    assert len(set(re.findall(r"\?link=[\w.-]+", page))) == 2

    drawn = desk.client.get(f"{LINKS}/1/code.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert b"<svg" in drawn.content
    sheet = desk.client.get(f"{LINKS}/sheet").text
    assert sheet.count('class="qr"') == 2
    assert "Anna" in sheet

    assert desk.post(f"{LINKS}/1/revoke", on=LINKS).status_code == 303
    page = desk.client.get(LINKS).text
    assert page.count("not used yet") == 1
    assert desk.client.get(f"{LINKS}/1/code.svg").status_code == 404
    assert desk.client.get(f"{LINKS}/sheet").text.count('class="qr"') == 1
    trail = desk.store.read_now(
        lambda c: c.exec_driver_sql("SELECT act FROM audit_entries ORDER BY id").all()
    )
    assert [act for (act,) in trail if act.startswith("links.")] == ["links.make", "links.revoke"]


def test_what_cannot_be_a_list_of_names_is_refused_and_kept_in_the_form(desk: Desk) -> None:
    signed_in(desk)
    with every_case() as case:
        for names, hours, words in (
            ("", "72", "1 to 500 names"),
            ("x\n" * 501, "72", "1 to 500 names"),
            ("x" * 81, "72", "one line of 1 to 80"),
            ("a\x07b", "72", "one line of 1 to 80"),
            ("Anna", "0", "more than 0"),
            ("Anna", "-1", "more than 0"),
            ("Anna", "1e9", "more than 0"),
            ("Anna", "nan", "more than 0"),
            ("Anna", "soon", "must be a number"),
        ):
            with case(f"{names[:9]!r} for {hours} hours"):
                sent = desk.post(f"{LINKS}/named", on=LINKS, names=names, hours=hours)
                assert sent.status_code == 422
                assert words in sent.text
                assert names[:80].strip("\n") in sent.text
                assert stored(desk) == []


def stored(desk: Desk) -> list[tuple[str, float | None]]:
    """Names of links, and when each was revoked."""
    rows = desk.store.read_now(lambda c: c.exec_driver_sql("SELECT name, revoked FROM links").all())
    return [(name, revoked) for name, revoked in rows]


def test_links_are_for_reviewers(desk: Desk) -> None:
    signed_in(desk)
    make(desk, "Anna")
    paths = (LINKS, f"{LINKS}/sheet", f"{LINKS}/1/code.svg")
    for path in paths:
        assert desk.client.get(path).status_code == 200, path
    desk.client.cookies.clear()
    for path in paths:
        assert desk.client.get(path, follow_redirects=False).status_code == 303, path
    signed_in(desk, "vera")
    for path in paths:
        assert desk.client.get(path).status_code == 403, path


def test_nothing_is_changed_without_the_token_of_the_form_or_the_role(desk: Desk) -> None:
    signed_in(desk)
    make(desk, "Anna")
    paths = (f"{LINKS}/named", f"{LINKS}/1/revoke", "/desk/studies/pilot-2/credits/retry")
    forged = {"csrf": "0" * 64, "names": "Eve", "hours": "72"}
    for path in paths:
        sent = desk.client.post(path, data=forged, follow_redirects=False)
        assert sent.status_code == 403, path
    desk.client.cookies.clear()
    signed_in(desk, "vera")
    for path in paths:
        sent = desk.post(path, on="/desk/settings", names="Eve", hours="72")
        assert sent.status_code == 403, path
    assert stored(desk) == [("Anna", None)]


def test_a_link_that_is_not_there(desk: Desk) -> None:
    signed_in(desk)
    for link in ("99", "nobody", "0", "1%00", "..%2F1"):
        assert desk.client.get(f"{LINKS}/{link}/code.svg").status_code in (400, 404), link
        assert desk.post(f"{LINKS}/{link}/revoke", on=LINKS).status_code in (400, 404), link


def test_the_same_over_the_api(desk: Desk) -> None:
    head = bearer(desk, "ruth")
    given = {"names": ["Anna", "Ben"], "hours": 1.5}
    made = desk.client.post(f"{API}/named-links", json=given, headers=head)
    assert made.status_code == 201
    first, second = made.json()["links"]
    assert (first["name"], second["name"], first["state"]) == ("Anna", "Ben", "open")
    assert first["expires"] - first["made"] == 1.5 * 3600
    assert "person" not in first
    gone = desk.client.post(f"{API}/named-links/{first['id']}/revocation", headers=head)
    assert (gone.json()["state"], gone.json()["address"]) == ("revoked", "")
    listed = desk.client.get(f"{API}/named-links", headers=head).json()["links"]
    assert [link["name"] for link in listed] == ["Ben", "Anna"]
    assert desk.client.get(f"{API}/credits", headers=head).json()["credits"] == []


def test_the_api_asks_for_the_role(desk: Desk) -> None:
    viewer, reviewer = bearer(desk, "vera"), bearer(desk, "ruth")
    given = {"names": ["Anna"]}
    assert desk.client.get(f"{API}/named-links").status_code == 401
    for path, method in (
        (f"{API}/named-links", "GET"),
        (f"{API}/named-links", "POST"),
        (f"{API}/named-links/1/revocation", "POST"),
        (f"{API}/credits", "GET"),
        (f"{API}/credits/retry", "POST"),
    ):
        body = given if method == "POST" else None
        assert desk.client.request(method, path, json=body, headers=viewer).status_code == 403
    for wrong in ({}, {"names": "Anna"}, {"names": []}, {"names": [1]}, {"names": ["a"], "x": 1}):
        sent = desk.client.post(f"{API}/named-links", json=wrong, headers=reviewer)
        assert sent.status_code == 422, wrong
    missing = desk.client.post(f"{API}/named-links/7/revocation", headers=reviewer)
    assert missing.status_code == 404
