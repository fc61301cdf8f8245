"""Submissions over HTTP: a team with a token, its terms, its allowance, its models."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from palaver.core.clock import VirtualClock
from support.endpoints import Endpoint, serving
from support.evaluation_desk import EvaluationDesk, open_evaluation_desk
from support.runs import records


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[EvaluationDesk]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "palaver.yaml").write_text("private_endpoints: true\n")
    with open_evaluation_desk(tmp_path) as opened:
        opened.bench.dataset("dev", 4)
        yield opened


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as found:
        yield found


def answers(count: int = 4, wrong: int = 0) -> bytes:
    rows = [
        {"uid": each["uid"], "label": "neutral" if n < wrong else each["label"]}
        for n, each in enumerate(records(count))
    ]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def form(name: str, **files: bytes) -> dict[str, Any]:
    return {
        "data": {"name": name, "about": "Ours", "tag": ["a", "b"]},
        "files": {dataset: (f"{dataset}.jsonl", content) for dataset, content in files.items()},
    }


def test_from_the_terms_to_a_published_model(desk: EvaluationDesk) -> None:
    desk.policy(terms="Be fair.", public=True)
    team = desk.team()
    sheet = team.get("/submissions/team")
    assert (sheet["team"], sheet["task"], sheet["accepted"]) == ("Team A", "nli", False)
    refusal = team.send("POST", "/submissions/predictions", 403, **form("ours", dev=answers()))
    assert "Accept the terms" in refusal.json()["error"]["message"]
    team.get("/submissions/questions/dev", 403)
    accepted = team.post("/submissions/terms", {"digest": sheet["terms_digest"]})
    assert accepted["accepted"]
    asked = team.send("GET", "/submissions/questions/dev").text.splitlines()
    assert [json.loads(line) for line in asked] == [
        {key: each[key] for key in ("uid", "context", "hypothesis")} for each in records(4)
    ]
    made = team.send("POST", "/submissions/predictions", 201, **form("ours", dev=answers()))
    assert made.json()["notes"] == []
    desk.bench.work()
    (found,) = team.get("/submissions")["submissions"]
    assert (found["state"], found["published"], found["tags"]) == ("done", False, ["a", "b"])
    assert found["runs"][0]["value"] == 1.0
    stranger = desk.stranger()
    assert stranger.get("/tasks/nli/models/dynaboard")["count"] == 0
    team.post("/submissions/models/ours/publication", {"published": True})
    row = stranger.get("/tasks/nli/models/dynaboard")["data"][0]
    assert (row["model_name"], row["username"]) == ("ours", "Team A")
    team.post("/submissions/models/ours/publication", {"published": True, "anonymous": True})
    assert stranger.get("/tasks/nli/models/dynaboard")["data"][0]["username"] is None
    assert team.post("/submissions/models/ours/withdrawal")["state"] == "withdrawn"
    assert stranger.get("/tasks/nli/models/dynaboard")["count"] == 0


def test_an_allowance_that_is_used_up_says_when_the_next_is_free(desk: EvaluationDesk) -> None:
    desk.policy(most_submissions=1, submission_hours=2.0)
    team, other = desk.team(), desk.team("Team B")
    team.send("POST", "/submissions/predictions", 201, **form("one", dev=answers()))
    clock = desk.desk.deployment.clock
    assert isinstance(clock, VirtualClock)
    refusal = team.send("POST", "/submissions/predictions", 429, **form("two", dev=answers()))
    assert refusal.headers["retry-after"] == "7200"
    assert refusal.json()["error"]["code"] == "used_up"
    assert "1 of 1 submissions in 2 hours are used" in refusal.json()["error"]["message"]
    assert team.get("/submissions/team")["allowance"]["left"] == 0
    other.send("POST", "/submissions/predictions", 201, **form("two", dev=answers()))


def test_an_endpoint_is_submitted_and_asked(desk: EvaluationDesk, endpoint: Endpoint) -> None:
    team = desk.team()
    wanted = {"name": "live", "kind": "http", "options": {"url": endpoint.url}}
    team.post("/submissions/endpoint", wanted, 201)
    desk.bench.work()
    assert team.get("/submissions/models/live")["runs"][0]["state"] == "done"
    assert sum(endpoint.asked.values()) == 4
    command = {"name": "x", "kind": "command", "options": {"command": "id"}}
    assert "endpoint of kind" in team.refused("/submissions/endpoint", command)


def test_teams_see_their_own_models_and_nobody_else_s(desk: EvaluationDesk) -> None:
    one, other = desk.team(), desk.team("Team B")
    one.send("POST", "/submissions/predictions", 201, **form("ours", dev=answers()))
    assert other.get("/submissions") == {"submissions": []}
    other.get("/submissions/models/ours", 404)
    other.post("/submissions/models/ours/withdrawal", status=404)
    taken = other.send(
        "POST", "/submissions/predictions", 403, **form("ours", dev=answers(wrong=1))
    )
    assert "is taken" in taken.json()["error"]["message"]
    # A team's token opens nothing of the desk, and an account's token submits nothing.
    one.get("/tasks/nli/datasets", 401)
    one.get("/runs", 401)
    desk.caller("olga").get("/submissions", 401)


def test_a_file_that_is_wrong_is_told_by_its_own_name(desk: EvaluationDesk) -> None:
    team = desk.team()
    bad = form("ours", dev=answers(3) + b'{"uid": "u3", "label": "perhaps"}\n')
    told = team.send("POST", "/submissions/predictions", 422, **bad).json()["error"]["message"]
    assert "predictions for dev:4" in told
    assert "/tmp" not in told
    unknown = team.send("POST", "/submissions/predictions", 422, **form("ours", deb=answers()))
    assert "There is no data set 'deb' to answer. Near: 'dev'" in unknown.json()["error"]["message"]
    team.send("POST", "/submissions/predictions", 422, **form("Not A Name", dev=answers()))
    team.send("POST", "/submissions/predictions", 422, content=answers())
    assert team.get("/submissions/team")["allowance"]["used"] == 0


def test_hidden_data_sets_are_not_there_for_teams(desk: EvaluationDesk) -> None:
    desk.bench.dataset("secret", 2, access="hidden")
    desk.bench.dataset("extra", 2, access="standard")
    team = desk.team()
    assert team.get("/submissions/team")["datasets"] == ["dev"]
    for name in ("secret", "extra"):
        message = team.get(f"/submissions/questions/{name}", 404)["error"]["message"]
        assert message.endswith("Data sets: dev.")


def test_owners_make_renew_and_revoke_tokens(desk: EvaluationDesk) -> None:
    olga = desk.caller("olga")
    made = olga.post("/tasks/nli/teams", {"team": "Gold", "affiliation": "Uni"}, 201)
    assert made["token"].startswith("ps_")
    assert "already" in olga.refused("/tasks/nli/teams", {"team": "Gold"})
    (listed,) = olga.get("/tasks/nli/teams")["teams"]
    assert listed["affiliation"] == "Uni"
    assert "token" not in listed
    path = f"/tasks/nli/teams/{made['id']}"
    newer = olga.post(f"{path}/renew")["token"]
    assert newer != made["token"]

    def status(token: str) -> int:
        headers = {"authorization": f"Bearer {token}"}
        found = desk.desk.client.get("/api/v1/submissions/team", headers=headers)
        return int(found.status_code)

    assert (status(made["token"]), status(newer)) == (401, 200)
    assert olga.post(f"{path}/revoke")["revoked"] is not None
    assert status(newer) == 401
    olga.post("/tasks/nli/teams/999/renew", status=404)
