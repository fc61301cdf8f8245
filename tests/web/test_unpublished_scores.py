"""What a model scored is nobody's business before it is published: every public address is tried."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from starlette.routing import Route
from starlette.testclient import TestClient

from palaver.core.evaluation.boards import RankedModel
from palaver.core.evaluation.submissions import TeamToken
from palaver.evaluation.dynaboards import read_board
from palaver.evaluation.submissions import add_team
from palaver.web.tasks.routes import routes
from support.desks import Desk, open_desk
from support.public_boards import PublicBoard, home_folder
from support.seeding import NOW

OPENAPI = "/api/v1/openapi.json"


@dataclass
class Secret:
    """A public task with published models, and one that its team has not published."""

    desk: Desk
    board: PublicBoard
    team: TeamToken
    model: RankedModel
    snapshot: str

    def stranger(self) -> TestClient:
        return TestClient(self.desk.client.app, base_url="http://testserver")

    def traces(self) -> set[str]:
        """Its name, its key, and its numbers with all digits that no other model has."""
        own = self.desk.store.read_now(lambda c: read_board(c, self.board.row, self.board.task))
        others = {
            value for each in own.models if each.key != self.model.key for value in _all(each)
        }
        long = {repr(value) for value in _all(self.model) - others if len(repr(value)) > 10}
        assert len(long) >= 5
        return {self.model.name, self.model.key, *long}

    def addresses(self) -> list[str]:
        """Every public address below /tasks and of the API that can be read."""
        paths = [each.path for each in routes if isinstance(each, Route) and "GET" in each.methods]
        document = self.desk.client.get(OPENAPI)
        assert document.status_code == 200, document.text
        told = document.json()["paths"]
        paths += [path for path, methods in told.items() if "get" in methods]
        return [address for path in dict.fromkeys(paths) for address in self._filled(path)]

    def _filled(self, path: str) -> Iterator[str]:
        formats = ("csv", "tex", "json") if "{format}" in path else ("",)
        weights = "ordered_metric_weights=4|1|1|1|1&ordered_scoring_dataset_weights=5|5|5&limit=50"
        for format_ in formats:
            for key in (self.model.key, self.snapshot):
                known = {
                    "task": "nli",
                    "key": key,
                    "model": self.model.key,
                    "name": self.model.name,
                    "format": format_,
                    "dataset": "snli-test",
                    "run": "r_x",
                }
                filled = re.sub(r"{(\w+)(:\w+)?}", partial(_value, known), path)
                yield f"{filled}?{weights}" if filled.endswith("dynaboard") else filled


def _value(known: dict[str, str], found: re.Match[str]) -> str:
    return known.get(found[1], "x")


def _all(model: RankedModel) -> set[float]:
    """Every number of a model."""
    cells = [one for each in model.scores.values() for one in each.values()]
    measured = [model.dynascore, *model.averages.values(), *cells]
    ends = [end for each in measured for end in each.interval or ()]
    return {each for each in [*(one.value for one in measured), *ends] if each is not None}


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secret]:
    folder: Path = home_folder(tmp_path_factory.mktemp("secret"))
    with open_desk(folder, studies=False) as desk:
        desk.deployment.folder = folder
        board = PublicBoard(desk.deployment.evaluation)
        board.fill()
        team = desk.store.write_now(lambda c: add_team(c, board.row, team="Owls", now=NOW))
        key = board.model("secret-sauce", 0.83, published=False, submitter_id=team.id)
        own = desk.store.read_now(lambda c: read_board(c, board.row, board.task))
        model = next(each for each in own.models if each.key == key)
        desk.sign_in("ruth")
        page = desk.client.get("/tasks/nli").text
        found = re.search(r'name="csrf" value="([^"]+)"', page)
        assert found
        saved = desk.client.post(
            "/tasks/nli/snapshots", data={"csrf": found[1], "name": "Now"}, follow_redirects=False
        )
        snapshot = saved.headers["location"].rpartition("/")[2]
        yield Secret(desk, board, team, model, snapshot)


def test_no_public_address_tells_a_score_of_an_unpublished_model(secret: Secret) -> None:
    stranger, answered, traces = secret.stranger(), 0, secret.traces()
    for address in secret.addresses():
        if address.startswith("/api") and "{" in address:
            continue
        answer = stranger.get(address)
        answered += answer.status_code == 200
        for trace in traces:
            # What an address names may be repeated to whoever asked for it.
            assert trace in address or trace not in answer.text, (address, trace)
    assert answered >= 12


def test_neither_its_rank_nor_more_than_that_it_exists(secret: Secret) -> None:
    stranger = secret.stranger()
    board = stranger.get("/tasks/nli/board.json").json()
    assert [each["rank"] for each in board["models"]] == list(range(1, len(board["models"]) + 1))
    assert board["unpublished"] == 1
    assert "1 unpublished model is not shown" in stranger.get("/tasks/nli").text
    assert stranger.get(f"/tasks/nli/models/{secret.model.key}").status_code == 404
    frozen = stranger.get(f"/tasks/nli/snapshots/{secret.snapshot}.json").json()
    assert len(frozen["models"]) == len(board["models"])


def test_its_team_and_members_see_it(secret: Secret) -> None:
    team = secret.stranger()
    team.cookies.set("palaver_team", secret.team.token)
    for client in (team, secret.desk.client):
        assert "secret-sauce" in client.get("/tasks/nli").text
        assert client.get(f"/tasks/nli/models/{secret.model.key}").status_code == 200
        names = [each["name"] for each in client.get("/tasks/nli/board.json").json()["models"]]
        assert "secret-sauce" in names


def test_a_private_board_leaves_teams_their_pages(secret: Secret) -> None:
    secret.board.policy(public=False)
    try:
        _check_private(secret)
    finally:
        secret.board.policy(public=True)


def _check_private(secret: Secret) -> None:
    stranger = secret.stranger()
    for path in ("/submit", "/data", "/questions/snli-test", "/submissions"):
        there, nowhere = (stranger.get(f"/tasks/{name}{path}") for name in ("nli", "no-such-task"))
        assert (there.status_code, nowhere.status_code) == (404, 404)
        assert "token" in there.text
        assert re.sub(r"(tasks(/|%2F))nli", r"\1no-such-task", there.text) == nowhere.text
    found = re.search(r'name="csrf" value="([^"]+)"', stranger.get("/tasks/nli/submit").text)
    assert found
    form = {"csrf": found[1], "token": "ps_wrong"}
    assert stranger.post("/tasks/nli/team", data=form).status_code == 404
    form["token"] = secret.team.token
    assert stranger.post("/tasks/no-such-task/team", data=form).status_code == 404
    entered = stranger.post("/tasks/nli/team", data=form, follow_redirects=True)
    assert entered.status_code == 200
    assert "Submit a model" in entered.text
    assert stranger.get("/tasks/nli/data").status_code == 200
    assert stranger.get("/tasks/nli/questions/snli-test").status_code == 200
    assert stranger.get("/tasks/nli/submissions").status_code == 200
    assert stranger.get(f"/tasks/nli/models/{secret.model.key}").status_code == 200
    # The board and what else is on it stay closed.
    for path in ("", "/board.json", "/board.csv", f"/snapshots/{secret.snapshot}"):
        assert stranger.get(f"/tasks/nli{path}").status_code == 404
    other = next(iter(_other_keys(secret)))
    assert stranger.get(f"/tasks/nli/models/{other}").status_code == 404


def _other_keys(secret: Secret) -> list[str]:
    own = secret.desk.store.read_now(
        lambda c: read_board(c, secret.board.row, secret.board.task, draws=0)
    )
    return [each.key for each in own.models if each.key != secret.model.key]
