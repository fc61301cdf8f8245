"""The address of a form, opened as a page: a tab that a browser restores, a copied address."""

from pathlib import Path

from palaver.crowds.links import new_person, sign_link
from support.desks import open_desk


def test_a_participant_comes_back_to_where_they_are(tmp_path: Path) -> None:
    with open_desk(tmp_path) as desk:
        token = sign_link(desk.deployment.secret, study="pilot-2", person=new_person())
        arrived = desk.client.get(f"/s/pilot-2?link={token}")
        visit = arrived.url.path

        for form in ("consent", "start"):
            sent = desk.client.get(f"{visit}/{form}", follow_redirects=False)
            assert (sent.status_code, sent.headers["location"]) == (303, visit)
        assert desk.client.get(f"{visit}/consent").text == desk.client.get(visit).text


def test_a_researcher_is_told_what_the_address_is(tmp_path: Path) -> None:
    with open_desk(tmp_path) as desk:
        desk.sign_in("olga")
        page = desk.client.get("/desk/settings/password")
        assert page.status_code == 405
        assert "There is nothing at this address" in page.text
        assert "Only a form can be sent to this address." in page.text
        assert desk.client.put("/desk/settings").status_code == 405
