"""A new study made at the desk: written, registered, paused, and served from the next request on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import AuditFilter
from palaver.storage.audit.entries import all_entries
from palaver.studies.file.reader import load_studies
from palaver.studies.file.starter import templates
from palaver.studies.run.life import read_life
from support.cases import every_case
from support.desks import Desk, open_desk
from support.rehearsing import contents

PAGE = "/desk/new-study"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path) as desk:
        desk.deployment.studies_folder = tmp_path / "studies"
        desk.sign_in("ruth")
        yield desk


def make(desk: Desk, **given: str) -> Any:
    form = {"template": "compare", "name": "fresh", "title": "A fresh study", **given}
    return desk.post(PAGE, on=PAGE, **form)


def test_a_study_is_made_and_served_and_begins_paused(desk: Desk, tmp_path: Path) -> None:
    answer = make(desk, title='A "fresh" study: part 1')
    assert answer.headers["location"] == "/desk/studies/fresh/edit"
    assert 'title: "A \\"fresh\\" study: part 1"' in (
        tmp_path / "studies" / "fresh" / "study.yaml"
    ).read_text(encoding="utf-8")
    study = desk.deployment.studies["fresh"]
    assert study.definition.title == 'A "fresh" study: part 1'
    life = desk.store.read_now(lambda c: read_life(c, study.id, study.definition, now=0.0))
    assert (life.state, life.account) == ("paused", "ruth")
    assert desk.client.get("/desk/studies/fresh").status_code == 200
    assert desk.client.get("/desk/studies/fresh/edit").status_code == 200
    # The next start finds it where the others are.
    assert [each.name for each in load_studies(tmp_path / "studies")] == ["fresh", "pilot-2"]


def test_nobody_arrives_before_it_is_resumed(desk: Desk) -> None:
    make(desk)
    page = "/desk/studies/fresh/links"
    link = desk.post(page, on=page, count="1", **{"as": "text"}).text.strip()
    desk.client.cookies.clear()
    arrived = desk.client.get(link)
    assert "This study is taking a break" in arrived.text


def test_every_kind_of_study_is_made_and_can_be_rehearsed(desk: Desk) -> None:
    with every_case() as case:
        for template in (name for name, each in templates().items() if each.then == "serve"):
            with case(template):
                made = make(desk, template=template, name=f"fresh-{template}")
                assert made.status_code == 303, made.text
                page = f"{made.headers['location'].removesuffix('/edit')}/rehearsal"
                before = contents(desk.store)
                answer = desk.post(page, on=page)
                assert answer.status_code == 303, answer.text
                shown = desk.client.get(answer.headers["location"])
                assert shown.status_code == 200
                assert "Rehearsal:" in shown.text
                assert contents(desk.store).keys() == before.keys()


def test_two_studies_of_one_template_name_each_other(desk: Desk) -> None:
    assert make(desk, template="loop").headers["location"] == "/desk/studies/fresh-write/edit"
    checking = desk.deployment.studies["fresh-validate"].definition
    assert checking.stages[0].source == "fresh-write"  # type: ignore[union-attr]


WRONG: list[tuple[dict[str, str], str]] = [
    ({"name": "../up"}, "The name takes lower-case letters"),
    ({"name": "Fresh"}, "The name takes lower-case letters"),
    ({"name": ""}, "The name takes lower-case letters"),
    ({"name": "a/b"}, "The name takes lower-case letters"),
    ({"name": "x" * 65}, "The name takes lower-case letters"),
    ({"name": "pilot-2"}, "There is a study &#39;pilot-2&#39; already"),
    ({"title": ""}, "A title has 1 to 200 characters"),
    ({"title": "x" * 201}, "A title has 1 to 200 characters"),
    ({"title": "one\ntwo: {}"}, "A title has 1 to 200 characters"),
    ({"template": "nothing"}, "No template &#39;nothing&#39;"),
    ({"template": "advice"}, "because models are asked first"),
    ({"template": "../../etc"}, "No template"),
]


def test_what_is_wrong_makes_nothing(desk: Desk, tmp_path: Path) -> None:
    before = contents(desk.store)
    with every_case() as case:
        for given, told in WRONG:
            with case(str(given)[:60]):
                answer = make(desk, **given)
                assert answer.status_code == 422
                assert told in answer.text
                assert [path.name for path in (tmp_path / "studies").iterdir()] == ["pilot-2"]
                assert contents(desk.store) == before


def test_a_folder_that_is_there_already_stays_as_it_is(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "studies" / "fresh").mkdir()
    assert "There is a study" in make(desk).text
    assert list((tmp_path / "studies" / "fresh").iterdir()) == []


def test_where_one_study_is_served_the_page_says_what_to_do(desk: Desk) -> None:
    desk.deployment.studies_folder = None
    assert "palaver serve FOLDER" in desk.client.get(PAGE).text
    token = desk.csrf("/desk/studies/pilot-2/edit")
    form = {"csrf": token, "template": "compare", "name": "fresh", "title": "Fresh"}
    assert desk.client.post(PAGE, data=form).status_code == 422


def test_who_may_make_one(desk: Desk) -> None:
    desk.client.cookies.clear()
    desk.sign_in("vera")
    assert desk.client.get(PAGE).status_code == 403
    assert desk.client.post(PAGE, data={"csrf": desk.csrf("/desk")}).status_code == 403
    assert "New study" not in desk.client.get("/desk").text


def test_it_is_on_record(desk: Desk) -> None:
    make(desk)
    found = desk.store.read_now(lambda c: list(all_entries(c, AuditFilter())))
    acts = {entry.act: entry for entry in found}
    assert acts["study.make"].account == "ruth"
    assert acts["study.make"].detail == {"template": "compare"}
    assert acts["study.pause"].subject == "fresh"
