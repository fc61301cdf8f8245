"""Excluding a rater and making links: the same through every door, refused in the same words."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from palaver.core.studies.raters import ExclusionNote
from palaver.crowds.links import read_link
from palaver.storage.judging.exclusions import exclusion_notes
from palaver.studies.run.participation import MOST_LINKS
from support.doors import Doors, Refused, open_doors
from support.reviewing import STUDY, Judging

Exclude = Callable[..., None]
MakeLinks = Callable[[Doors, int], list[str]]


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[Doors]:
    folder = tmp_path / "studies" / "judged"
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    with open_doors(tmp_path, studies=True) as opened:
        judging = Judging(opened.desk.store, opened.desk.deployment.studies["judged"].id)
        judging.say("quality", judging.dialogue(), "sim:spam", 5)
        yield opened


def exclude_by_api(doors: Doors, rater: str, *, excluded: bool, reason: str = "") -> None:
    body = {"excluded": excluded, "reason": reason}
    doors.ask("POST", f"/studies/judged/raters/{rater}/exclusion", body)


def exclude_by_desk(doors: Doors, rater: str, *, excluded: bool, reason: str = "") -> None:
    page = "/desk/studies/judged/raters"
    doors.send(page, on=page, rater=rater, excluded="yes" if excluded else "no", reason=reason)


excluding = pytest.mark.parametrize("exclude", [exclude_by_api, exclude_by_desk])


def notes(doors: Doors) -> list[ExclusionNote]:
    return doors.desk.store.read_now(exclusion_notes)


@excluding
def test_a_rater_is_excluded_and_taken_back_in(doors: Doors, exclude: Exclude) -> None:
    exclude(doors, "sim:spam", excluded=True, reason=" Too fast ")
    exclude(doors, "sim:spam", excluded=False)
    told = [(note.excluded, note.account, note.reason) for note in notes(doors)]
    assert told == [(True, "olga", "Too fast"), (False, "olga", "")]


@excluding
def test_what_cannot_be_excluded(doors: Doors, exclude: Exclude) -> None:
    with pytest.raises(Refused) as nobody:
        exclude(doors, "sim:nobody", excluded=True)
    assert str(nobody.value) == "Nobody called 'sim:nobody' has judged in the study 'judged'."
    with pytest.raises(Refused) as wordy:
        exclude(doors, "sim:spam", excluded=True, reason="x" * 501)
    assert str(wordy.value) == "A reason has at most 500 characters; got 501."
    assert notes(doors) == []


def links_by_command(doors: Doors, count: int) -> list[str]:
    study = str(doors.folder / "studies" / "judged")
    address = ("--base", "http://testserver/")
    return doors.command("link", study, "-n", str(count), *address).splitlines()


def links_by_api(doors: Doors, count: int) -> list[str]:
    found: list[str] = doors.ask("POST", "/studies/judged/links", {"count": count})["links"]
    return found


def links_by_desk(doors: Doors, count: int) -> list[str]:
    page = "/desk/studies/judged/links"
    answer = doors.desk.post(page, on=page, count=str(count))
    if answer.status_code != 200:
        doors.send(page, on=page, count=str(count))
    shown = re.search(r"<textarea[^>]*>(.*?)</textarea>", answer.text, re.DOTALL)
    assert shown is not None
    return unescape(shown.group(1)).split()


linking = pytest.mark.parametrize("make", [links_by_command, links_by_api, links_by_desk])


@linking
def test_links_let_different_people_in(doors: Doors, make: MakeLinks) -> None:
    people = set()
    for link in make(doors, 3):
        assert link.startswith("http://testserver/s/judged?link=")
        token = parse_qs(urlsplit(link).query)["link"][0]
        secret = doors.desk.deployment.secret
        people.add(read_link(secret, token, study="judged", hours=1).person)
    assert len(people) == 3


@linking
@pytest.mark.parametrize("count", [0, MOST_LINKS + 1])
def test_as_many_links_as_nobody_makes_at_once(doors: Doors, make: MakeLinks, count: int) -> None:
    with pytest.raises(Refused) as refused:
        make(doors, count)
    assert str(refused.value) == f"1 to 10,000 links can be made at once; got {count:,}."
