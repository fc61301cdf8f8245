"""Teams submit models on the public pages: tokens, terms, files, and what came of them."""

import gzip
import html
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from palaver.client import Client
from palaver.storage.evaluation.models import find_model, list_models
from palaver.storage.evaluation.runs import runs_of_versions, set_run
from palaver.storage.evaluation.submitters import (
    add_submitter,
    list_submitters,
    revoke_submitter,
)
from support.desks import open_desk
from support.public_boards import PublicBoard, home_folder
from support.seeding import NOW

SETS = {"snli-test": 12, "hans": 9}
TERMS = "Train on *nothing* from the test sets."


@dataclass
class Submitting:
    """A task that takes submissions, a team's secret, and a browser."""

    board: PublicBoard
    client: TestClient
    secret: str

    def csrf(self) -> str:
        found = re.search(r'name="csrf" value="([0-9a-f]+)"', self.page())
        assert found is not None
        return found.group(1)

    def page(self) -> str:
        return self.client.get("/tasks/nli/submit").text

    def post(self, path: str, **fields: str) -> Any:
        data = {"csrf": self.csrf(), **fields}
        return self.client.post(f"/tasks/nli{path}", data=data, follow_redirects=False)

    def enter(self) -> None:
        assert self.post("/team", token=self.secret).status_code == 303

    def accept(self, **fields: str) -> Any:
        """Accept the terms that the page shows."""
        digest = re.search(r'name="terms" value="([0-9a-f]+)"', self.page())
        assert digest is not None
        return self.post("/terms", **{"terms": digest.group(1), "accept": "yes", **fields})

    def submit(self, files: dict[str, bytes], **fields: str) -> Any:
        """Send the form as a browser does: with a nameless file where none was chosen."""
        data = {"csrf": self.csrf(), "name": "my-model", "kind": "http", "url": ""}
        parts: list[Any] = [
            (f"file:{name}", (f"{name}.jsonl", content)) for name, content in files.items()
        ]
        parts += [(f"file:{name}", ("", b"")) for name in self.board.sets if name not in files]
        return self.client.post(
            "/tasks/nli/submit", data={**data, **fields}, files=parts, follow_redirects=False
        )

    def answers(self, name: str) -> bytes:
        lines = [
            json.dumps({"uid": f"{name}-{n}", "label": gold})
            for n, gold in enumerate(self.board.gold[name])
        ]
        return "\n".join(lines).encode()

    @property
    def files(self) -> dict[str, bytes]:
        return {name: self.answers(name) for name in self.board.sets}

    def models(self) -> list[str]:
        found = self.board.home.store.read_now(lambda c: list_models(c, self.board.row.id))
        return [each.name for each in found]


@contextmanager
def _opened(parent: Path) -> Iterator[Submitting]:
    folder = home_folder(parent)
    with open_desk(folder, studies=False) as desk:
        desk.deployment.folder = folder
        board = PublicBoard(desk.deployment.evaluation, sets=dict(SETS))
        team = desk.store.write_now(
            lambda c: add_submitter(c, task_id=board.row.id, team="Polar Night Labs", now=NOW)
        )
        yield Submitting(board, desk.client, team.token)


@pytest.fixture
def submitting(tmp_path: Path) -> Iterator[Submitting]:
    """A task of its own, for a test that submits or decides something."""
    with _opened(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def _opened_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Submitting]:
    with _opened(tmp_path_factory.mktemp("refusing")) as opened:
        yield opened


@pytest.fixture
def refusing(_opened_once: Submitting) -> Submitting:
    """One task for all tests in which everything is refused; nothing is ever stored in it."""
    _opened_once.client.cookies.clear()
    assert _opened_once.models() == []
    return _opened_once


def test_the_page_tells_strangers_what_is_expected(submitting: Submitting) -> None:
    submitting.board.policy(terms=TERMS)
    page = submitting.page()
    assert "3 submissions in 24 hours" in page
    assert "&#34;hypothesis&#34;: &#34;" in page
    assert "one of: entailed, neutral, contradictory" in page
    assert "<em>nothing</em>" in page
    assert "Submit the model" not in page


def test_a_wrong_token_opens_nothing(refusing: Submitting) -> None:
    for token in ("ps_" + "x" * 43, "", "pv_whatever"):
        refused = refusing.post("/team", token=token)
        assert refused.status_code == 403
        assert "This is not a valid token for this task" in refused.text
    sent = refusing.submit(refusing.files)
    assert sent.status_code == 403
    assert refusing.models() == []


def test_predictions_are_submitted_and_followed(submitting: Submitting) -> None:
    submitting.board.policy(terms=TERMS)
    submitting.enter()
    assert submitting.accept().status_code == 303
    assert "<strong>3</strong> of 3 submissions" in submitting.page()
    sent = submitting.submit(submitting.files, about="By **us**", tags="small, quick ,")
    assert sent.status_code == 303, sent.text
    assert sent.headers["location"] == "/tasks/nli/submissions"
    page = submitting.client.get("/tasks/nli/submissions").text
    assert "my-model" in page
    # Predictions are scored while the team waits for the page.
    assert "Waiting for its turn" not in page
    live = submitting.client.get("/tasks/nli/submissions.json").json()["submissions"]
    assert [run["state"] for run in live[0]["runs"]] == ["done", "done"]
    assert "unpublished" in page
    assert "2 of 3 submissions" in page
    store, row = submitting.board.home.store, submitting.board.row
    model = store.read_now(lambda c: find_model(c, row.id, "my-model"))
    assert model.tags == ("small", "quick")
    assert not model.published
    team = store.read_now(lambda c: list_submitters(c, row.id))[0]
    assert team.accepted_digest is not None
    assert "has accepted the terms" in submitting.page()


def test_a_failed_run_says_why_to_its_team_alone(submitting: Submitting) -> None:
    submitting.enter()
    submitting.submit(submitting.files)
    store, row = submitting.board.home.store, submitting.board.row

    def fail(connection: Any) -> None:
        model = find_model(connection, row.id, "my-model")
        sets = [1, 2, 3, 4, 5, 6]
        run = runs_of_versions(connection, [model.version_id], sets)[0]
        set_run(connection, run.id, state="failed", reason="the model hung up")

    store.write_now(fail)
    answer = submitting.client.get("/tasks/nli/submissions.json").json()
    runs = answer["submissions"][0]["runs"]
    assert [each["reason"] for each in runs] == ["the model hung up", ""]
    assert runs[0]["words"] == "Failed"
    page = submitting.client.get("/tasks/nli/submissions").text
    assert "the model hung up" in page
    assert "3 of 3 submissions" in page
    stranger = TestClient(submitting.client.app)
    assert stranger.get("/tasks/nli/submissions.json").status_code == 403
    assert "hung up" not in stranger.get("/tasks/nli").text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace(b"snli-test-3", b"snli-test-4"), "was already answered in line"),
        (lambda text: text.replace(b"snli-test-3", b"stray"), "the data set has no item"),
        (lambda text: b"\n".join(text.split(b"\n")[:-1]), "no answer to"),
        (lambda text: re.sub(rb'"label": "\w+"', b'"label": "maybe"', text), "expected one of"),
        (lambda text: text[:-5], "snli-test"),
        (lambda text: b"<html>oops</html>", "snli-test"),
    ],
)
def test_a_file_that_will_not_do_is_named_and_nothing_is_stored(
    refusing: Submitting, change: Any, reason: str
) -> None:
    refusing.enter()
    files = {**refusing.files, "snli-test": change(refusing.answers("snli-test"))}
    sent = refusing.submit(files, about="Kept words")
    assert sent.status_code == 422
    assert reason in sent.text
    assert "predictions for snli-test" in sent.text
    assert "Kept words" in sent.text
    assert refusing.models() == []


@pytest.mark.parametrize("twist", [gzip.compress, lambda text: b"\xef\xbb\xbf" + text])
def test_gzip_and_a_mark_at_the_start_are_read(submitting: Submitting, twist: Any) -> None:
    submitting.enter()
    files = {name: twist(content) for name, content in submitting.files.items()}
    assert submitting.submit(files).status_code == 303


def test_what_is_neither_or_both_is_refused(refusing: Submitting) -> None:
    refusing.enter()
    assert "Nothing was submitted" in refusing.submit({}).text
    both = refusing.submit(refusing.files, url="https://example.org/ask")
    assert "Give predictions or an endpoint, not both" in both.text
    half = refusing.submit({"hans": refusing.answers("hans")})
    assert "Predictions are missing for snli-test" in half.text
    named = refusing.submit(refusing.files, name="My Model")
    assert "takes lower-case letters" in named.text
    assert refusing.models() == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"url": "http://127.0.0.1:9/ask"}, "is not on a public address"),
        ({"url": "https://example.org", "kind": "python"}, "endpoint of kind"),
        ({"url": "https://93.184.215.14/ask", "options": "{"}, "not valid JSON"),
        ({"url": "https://93.184.215.14/ask", "options": "[1]"}, "must be a JSON object"),
        ({"url": "https://93.184.215.14/ask", "options": '{"x": "${HOME}"}'}, "cannot name"),
    ],
)
def test_an_endpoint_that_will_not_do_is_refused(
    refusing: Submitting, fields: dict[str, str], reason: str
) -> None:
    refusing.enter()
    sent = refusing.submit({}, **fields)
    assert sent.status_code == 422
    assert reason in sent.text
    assert refusing.models() == []


def test_terms_must_be_accepted_as_they_stand(submitting: Submitting) -> None:
    submitting.board.policy(terms=TERMS)
    submitting.enter()
    assert "Submit the model" not in submitting.page()
    assert "Accept the terms" in submitting.submit(submitting.files).text
    assert "Tick the box" in submitting.accept(accept="no").text
    assert "have changed: their digest is now" in submitting.accept(terms="0" * 16).text
    assert submitting.models() == []
    assert submitting.accept().status_code == 303
    submitting.board.policy(terms=f"{TERMS} Nothing at all.")
    assert "Nothing at all" in submitting.page()
    assert "Accept the terms" in submitting.submit(submitting.files).text
    assert submitting.models() == []


def test_limits_hold_and_are_told(submitting: Submitting) -> None:
    submitting.board.policy(most_submissions=1)
    submitting.enter()
    assert submitting.submit(submitting.files).status_code == 303
    page = submitting.page()
    assert "All 1 submissions in 24 hours are used" in page
    refused = submitting.submit(submitting.files, name="another")
    assert refused.status_code == 422
    assert "1 of 1 submissions in 24 hours are used" in refused.text


def test_a_team_publishes_hides_and_withdraws_its_own_models(submitting: Submitting) -> None:
    submitting.enter()
    submitting.submit(submitting.files)
    stranger = TestClient(submitting.client.app)
    store, row = submitting.board.home.store, submitting.board.row
    key = store.read_now(lambda c: find_model(c, row.id, "my-model")).key
    assert "my-model" not in stranger.get("/tasks/nli").text
    submitting.post(f"/submissions/{key}/publish")
    board = stranger.get("/tasks/nli").text
    assert "my-model" in board
    assert "Polar Night Labs" in board
    submitting.post(f"/submissions/{key}/publish", anonymous="yes")
    assert "Polar Night Labs" not in stranger.get("/tasks/nli").text
    submitting.post(f"/submissions/{key}/hide")
    assert "my-model" not in stranger.get("/tasks/nli").text
    submitting.post(f"/submissions/{key}/withdraw")
    assert stranger.get("/tasks/nli").text.count("data-model=") == 0
    assert "withdrawn" in submitting.client.get("/tasks/nli/submissions").text


def test_another_teams_model_cannot_be_touched(submitting: Submitting) -> None:
    key = submitting.board.model("theirs", 0.5, published=False)
    submitting.enter()
    assert submitting.post(f"/submissions/{key}/publish").status_code == 404
    taken = submitting.submit(submitting.files, name="theirs")
    assert "The name &#39;theirs&#39; is taken" in taken.text


def test_a_revoked_token_is_worth_nothing_at_once(submitting: Submitting) -> None:
    submitting.enter()
    store = submitting.board.home.store
    store.write_now(lambda c: revoke_submitter(c, 1, now=NOW))
    assert "Submit the model" not in submitting.page()
    assert submitting.submit(submitting.files).status_code == 403
    assert (
        submitting.client.get("/tasks/nli/submissions", follow_redirects=False).headers["location"]
        == "/tasks/nli/submit"
    )


def test_a_team_that_accepted_reads_what_is_asked(submitting: Submitting) -> None:
    path = "/tasks/nli/questions/hans"
    assert submitting.client.get(path).status_code == 403
    submitting.board.policy(terms=TERMS)
    submitting.enter()
    assert "Accept the terms" in submitting.client.get(path).text
    submitting.accept()
    lines = [json.loads(line) for line in submitting.client.get(path).text.splitlines()]
    assert len(lines) == SETS["hans"]
    assert set(lines[0]) == {"uid", "context", "hypothesis"}
    assert submitting.client.get("/tasks/nli/questions/vault").status_code == 404


def test_a_large_file_is_taken(submitting: Submitting) -> None:
    submitting.enter()
    padded = {name: text + b"\n" * 300_000 for name, text in submitting.files.items()}
    assert submitting.submit(padded).status_code == 303


def test_what_the_page_tells_programs_to_do_works(submitting: Submitting) -> None:
    told = html.unescape(submitting.page())
    key = {"authorization": f"Bearer {submitting.secret}"}
    questions = re.search(r"http://testserver(/api/v1/submissions/questions/hans) ", told)
    answers = re.search(r"http://testserver(/api/v1/submissions/predictions)\n", told)
    listed = re.search(r"http://testserver(/api/v1/submissions)<", told)
    assert questions is not None
    assert answers is not None
    assert listed is not None
    client = TestClient(submitting.client.app)
    assert len(client.get(questions[1], headers=key).text.splitlines()) == SETS["hans"]
    files = [(name, (f"{name}.jsonl", content)) for name, content in submitting.files.items()]
    sent = client.post(answers[1], data={"name": "by-curl"}, files=files, headers=key)
    assert sent.status_code == 201, sent.text
    assert client.get(listed[1], headers=key).json()["submissions"][0]["name"] == "by-curl"
    for method in re.findall(r"client\.(\w+)\(", told):
        assert hasattr(Client, method)


def test_a_forged_form_is_refused_and_a_token_is_forgotten(refusing: Submitting) -> None:
    refusing.enter()
    forged = refusing.submit(refusing.files, csrf="0")
    assert "came from elsewhere" in forged.text
    assert refusing.models() == []
    refusing.post("/team/leave")
    assert "Use this token" in refusing.page()
