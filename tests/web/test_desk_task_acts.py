"""What researchers change at the pages of the evaluation server."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from palaver.core.evaluation.models import Model
from palaver.core.evaluation.tasks import StoredTask, terms_digest
from palaver.storage.evaluation.models import find_model
from palaver.storage.evaluation.submitters import accept_terms, find_submitter, list_submitters
from palaver.storage.evaluation.tasks import find_task
from support.task_desks import TaskDesk, open_task_desk

SETTINGS = "/desk/tasks/nli/settings"


@pytest.fixture
def found(tmp_path: Path) -> Iterator[TaskDesk]:
    with open_task_desk(tmp_path) as opened:
        opened.bench.dataset("dev", 5)
        opened.bench.model("later", "http://127.0.0.1:9/")
        yield opened


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def model(found: TaskDesk) -> Model:
    return found.desk.store.read_now(lambda c: find_model(c, found.bench.row.id, "later"))


def task(found: TaskDesk) -> StoredTask:
    return found.desk.store.read_now(lambda c: find_task(c, "nli"))


def policy(**changed: str) -> dict[str, str]:
    given = {"public": "no", "terms": "", "most_submissions": "3", "submission_hours": "24"}
    return {**given, **changed}


def test_a_run_is_cancelled_and_tried_again(found: TaskDesk) -> None:
    path = found.path("later", "dev")
    answer = found.desk.post(f"{path}/cancel", on=path)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{path}?done=cancelled"
    assert found.run("later", "dev").state == "cancelled"
    assert "The run is cancelled. Its answers are kept." in words(
        found.desk.client.get(answer.headers["location"]).text
    )
    again = found.desk.post(f"{path}/cancel", on=path)
    assert again.status_code == 422
    assert "there is nothing to cancel" in words(again.text)
    assert found.desk.post(f"{path}/retry", on=path).status_code == 303
    assert found.run("later", "dev").state == "waiting"


def test_a_form_without_its_token_changes_nothing(found: TaskDesk) -> None:
    path = found.path("later", "dev")
    assert found.desk.client.post(f"{path}/cancel").status_code == 403
    assert (
        found.desk.client.post(f"{SETTINGS}/policy", data=policy(public="yes")).status_code == 403
    )
    assert found.run("later", "dev").state == "waiting"
    assert not task(found).public


def test_a_model_is_published_hidden_retired_and_brought_back(found: TaskDesk) -> None:
    path = f"/desk/tasks/nli/models/{model(found).key}"

    def act(name: str) -> Model:
        assert found.desk.post(f"{path}/{name}", on=path).status_code == 303
        return model(found)

    assert (act("anonymous").published, model(found).anonymous) == (True, True)
    assert (act("publish").published, model(found).anonymous) == (True, False)
    assert not act("unpublish").published
    assert act("retire").retired is not None
    assert "retired" in words(found.desk.client.get("/desk/tasks/nli").text)
    # What it missed while it was away is planned when it comes back.
    found.bench.dataset("new", 4)
    assert ("later", "new") not in found.bench.runs()
    assert act("restore").retired is None
    assert found.bench.states()["later", "new"] == "waiting"
    assert found.desk.post(f"{path}/explode", on=path).status_code == 404


def test_the_owner_decides_who_may_see_a_task_and_how_much_may_be_submitted(
    found: TaskDesk,
) -> None:
    given = policy(public="yes", terms="Be fair.\r\n", most_submissions="7", submission_hours="1.5")
    assert found.desk.post(f"{SETTINGS}/policy", on=SETTINGS, **given).status_code == 303
    row = task(found)
    assert (row.public, row.terms) == (True, "Be fair.")
    assert (row.most_submissions, row.submission_hours) == (7, 1.5)
    page = found.desk.client.get(f"{SETTINGS}?done=policy").text
    assert "The settings are saved." in page
    assert 'href="/tasks/nli"' in page


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"most_submissions": "many"}, "Submissions are a whole number from 0 to 1,000,000"),
        ({"most_submissions": "99999999999"}, "Submissions are a whole number"),
        ({"submission_hours": "0"}, "Hours are a number above 0"),
        ({"submission_hours": "nan"}, "Hours are a number above 0"),
        ({"terms": "x" * 100_001}, "Terms have at most 100,000 characters"),
    ],
)
def test_a_wrong_policy_is_refused_and_kept_in_the_form(
    found: TaskDesk, changed: dict[str, str], said: str
) -> None:
    answer = found.desk.post(f"{SETTINGS}/policy", on=SETTINGS, **policy(public="yes", **changed))
    assert answer.status_code == 422
    assert said in words(answer.text)
    assert re.search(r'value="yes" checked', answer.text)
    assert not task(found).public


def test_a_team_gets_a_token_once_and_loses_it(found: TaskDesk) -> None:
    def sent(act: str, **fields: str) -> str:
        answer = found.desk.post(f"{SETTINGS}/teams{act}", on=SETTINGS, **fields)
        assert answer.status_code in (200, 303), answer.text
        return str(answer.text)

    def token(page: str) -> str:
        shown = re.search(r'class="secret">(ps_[^<]+)<', page)
        assert shown is not None
        return shown.group(1)

    def holder(secret: str) -> str | None:
        team = found.desk.store.read_now(lambda c: find_submitter(c, secret))
        return None if team is None else team.team

    first = token(sent("", team=" Team  A ", affiliation="Here", link="https://example.org"))
    assert holder(first) == "Team A"
    assert first not in found.desk.client.get(SETTINGS).text
    teams = found.desk.store.read_now(lambda c: list_submitters(c, found.bench.row.id))
    second = token(sent("/renew", id=str(teams[0].id)))
    assert (holder(first), holder(second)) == (None, "Team A")
    sent("/revoke", id=str(teams[0].id))
    assert holder(second) is None
    assert "revoked" in words(found.desk.client.get(SETTINGS).text)


def test_what_a_team_accepted_is_shown(found: TaskDesk) -> None:
    found.desk.post(f"{SETTINGS}/policy", on=SETTINGS, **policy(terms="One."))
    found.desk.post(f"{SETTINGS}/teams", on=SETTINGS, team="A")
    teams = found.desk.store.read_now(lambda c: list_submitters(c, found.bench.row.id))
    assert "A not accepted yet 0 of 3" in words(found.desk.client.get(SETTINGS).text)
    found.desk.store.write_now(
        lambda c: accept_terms(c, teams[0].id, digest=terms_digest("One."), now=1.0)
    )
    assert "A accepted 0 of 3" in words(found.desk.client.get(SETTINGS).text)
    found.desk.post(f"{SETTINGS}/policy", on=SETTINGS, **policy(terms="Two."))
    assert "A accepted in an earlier wording" in words(found.desk.client.get(SETTINGS).text)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"team": "  "}, "A team needs a name."),
        ({"team": "B", "link": "javascript:alert(1)"}, "A link begins with https://"),
    ],
)
def test_a_wrong_team_is_refused(found: TaskDesk, fields: dict[str, str], said: str) -> None:
    answer = found.desk.post(f"{SETTINGS}/teams", on=SETTINGS, **fields)
    assert answer.status_code == 422
    assert said in words(answer.text)
    assert found.desk.store.read_now(lambda c: list_submitters(c, found.bench.row.id)) == []


def test_a_second_team_of_one_name_is_refused(found: TaskDesk) -> None:
    found.desk.post(f"{SETTINGS}/teams", on=SETTINGS, team="A")
    answer = found.desk.post(f"{SETTINGS}/teams", on=SETTINGS, team="A")
    assert answer.status_code == 422
    assert "already has a token for this task" in words(answer.text)


def test_a_team_of_another_task_is_not_touched(found: TaskDesk) -> None:
    answer = found.desk.post(f"{SETTINGS}/teams/revoke", on=SETTINGS, id="12345")
    assert answer.status_code == 404
