"""A study's file edited at the desk: checked, compared, tried out, saved; and a text is never lost."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.studies.run.versions import read_versions
from support.desks import Desk, open_desk
from support.rehearsing import contents

PAGE = "/desk/studies/pilot-2/edit"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as desk:
        desk.sign_in("ruth")
        yield desk


def file_of(desk: Desk) -> Path:
    return desk.deployment.studies["pilot-2"].definition.file


def text_in(page: str) -> str:
    """What stands in the text area of a page."""
    found = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.S)
    assert found is not None
    return html.unescape(found[1])


def base_in(page: str) -> str:
    found = re.search(r'name="base" value="(\d+)"', page)
    assert found is not None
    return found[1]


def test_the_page_shows_the_file_as_it_is_served(desk: Desk) -> None:
    page = desk.client.get(PAGE).text
    assert text_in(page) == file_of(desk).read_text(encoding="utf-8")
    assert base_in(page) == "1"


def test_a_check_names_every_mistake_with_its_place_and_stores_nothing(desk: Desk) -> None:
    before, text = contents(desk.store), file_of(desk).read_text(encoding="utf-8")
    wrong = text.replace("title: Pilot 2", "titel: Pilot 2").replace("turns:", "turnz:")
    answer = desk.post(PAGE, on=PAGE, act="check", base="1", text=wrong)
    assert answer.status_code == 200
    assert re.search(r"\d problems", answer.text)
    assert re.search(r'data-line="1" data-column="1"[^>]*data-severity="wrong"', answer.text)
    assert "Unknown key &#39;titel&#39;" in answer.text
    assert text_in(answer.text) == wrong
    assert contents(desk.store) == before
    assert file_of(desk).read_text(encoding="utf-8") == text


def test_what_changes_is_shown_in_words_and_line_by_line(desk: Desk) -> None:
    text = file_of(desk).read_text(encoding="utf-8").replace("needed: 60", "needed: 80")
    answer = desk.post(PAGE, on=PAGE, act="changes", base="1", text=text)
    assert answer.status_code == 200
    assert "needed: 60 → 80" in answer.text
    assert re.search(r"<del>-.*needed: 60", answer.text)
    assert read_versions_of(desk) == [1]


def read_versions_of(desk: Desk) -> list[int]:
    study_id = desk.deployment.studies["pilot-2"].id
    found = desk.store.read_now(lambda c: read_versions(c, study_id))
    return [version.number for version in found.versions]


def test_saving_serves_it_at_once_and_writes_the_file(desk: Desk) -> None:
    text = file_of(desk).read_text(encoding="utf-8").replace("title: Pilot 2", "title: Pilot 2b")
    # As browsers send it.
    sent = text.replace("\n", "\r\n")
    answer = desk.post(PAGE, on=PAGE, act="save", base="1", note="A better title", text=sent)
    assert answer.status_code == 200
    assert "as version 2" in answer.text
    assert desk.deployment.studies["pilot-2"].definition.title == "Pilot 2b"
    assert file_of(desk).read_text(encoding="utf-8") == text
    study_id = desk.deployment.studies["pilot-2"].id
    found = desk.store.read_now(lambda c: read_versions(c, study_id)).versions[-1]
    assert (found.account, found.via, found.note) == ("ruth", "desk", "A better title")


def test_the_second_of_two_is_told_what_changed_and_keeps_their_text(desk: Desk) -> None:
    text = file_of(desk).read_text(encoding="utf-8")
    first = text.replace("needed: 60", "needed: 80")
    second = text.replace("title: Pilot 2", "title: Second")
    desk.post(PAGE, on=PAGE, act="save", base="1", text=first)
    answer = desk.post(PAGE, on=PAGE, act="save", base="1", text=second)
    assert answer.status_code == 409
    assert "Somebody else changed this study meanwhile" in answer.text
    assert "needed: 60 → 80" in answer.text
    assert text_in(answer.text) == second
    assert file_of(desk).read_text(encoding="utf-8") == first
    # Told so, whoever saves again means it.
    assert base_in(answer.text) == "2"
    again = desk.post(PAGE, on=PAGE, act="save", base="2", text=second)
    assert "as version 3" in again.text
    assert file_of(desk).read_text(encoding="utf-8") == second


@pytest.mark.parametrize("act", ["save", "rehearse"])
def test_what_is_wrong_is_neither_saved_nor_tried(desk: Desk, act: str) -> None:
    answer = desk.post(PAGE, on=PAGE, act=act, base="1", text="title: [")
    assert answer.status_code == 422
    assert "1 problem" in answer.text
    assert text_in(answer.text) == "title: ["
    assert read_versions_of(desk) == [1]


def test_what_would_spoil_data_is_refused_in_words(desk: Desk) -> None:
    visit = desk.study.visit("somebody", state=None)
    desk.study.dialogue(visit, "Hello", "I see.")
    text = file_of(desk).read_text(encoding="utf-8").replace("chatty]", "terse2]")
    text = text.replace("  chatty:", "  terse2:")
    answer = desk.post(PAGE, on=PAGE, act="check", base="1", text=text)
    assert "This would spoil what was collected" in answer.text
    assert "In order." not in answer.text


def test_a_text_is_tried_out_unsaved(desk: Desk) -> None:
    before, text = contents(desk.store), file_of(desk).read_text(encoding="utf-8")
    draft = text.replace("We keep what you write.", "We keep every word.")
    answer = desk.post(PAGE, on=PAGE, act="rehearse", base="1", text=draft)
    assert answer.status_code == 303
    address = answer.headers["location"]
    assert "We keep every word." in desk.client.get(address).text
    assert file_of(desk).read_text(encoding="utf-8") == text
    assert contents(desk.store) == before
    assert desk.post(f"{address}/rehearsal/end", on=address).headers["location"] == PAGE


def test_line_ends_of_the_file_stay(desk: Desk) -> None:
    text = file_of(desk).read_text(encoding="utf-8")
    desk.post(PAGE, on=PAGE, act="save", base="1", text=text.replace("60", "61"))
    assert b"\r" not in file_of(desk).read_bytes()


def test_a_base_that_is_no_version_changes_nothing_by_itself(desk: Desk) -> None:
    text = file_of(desk).read_text(encoding="utf-8")
    for number, base in enumerate(("0", "999")):
        sent = text.replace("needed: 60", f"needed: {70 + number}")
        answer = desk.post(PAGE, on=PAGE, act="save", base=base, text=sent)
        assert answer.status_code in (409, 422), base
        assert file_of(desk).read_text(encoding="utf-8") == text
    # What is no number at all is as if nothing were said.
    for number, base in enumerate(("", "-1", "x", "9" * 40)):
        sent = text.replace("needed: 60", f"needed: {70 + number}")
        assert desk.post(PAGE, on=PAGE, act="save", base=base, text=sent).status_code == 200, base
        assert file_of(desk).read_text(encoding="utf-8") == sent


def test_who_may_edit(desk: Desk) -> None:
    desk.client.cookies.clear()
    assert desk.client.get(PAGE, follow_redirects=False).status_code == 303
    desk.sign_in("vera")
    assert desk.client.get(PAGE).status_code == 403
    token = desk.csrf("/desk")
    answer = desk.client.post(PAGE, data={"csrf": token, "act": "save", "text": "title: x"})
    assert answer.status_code == 403
    assert read_versions_of(desk) == [1]
