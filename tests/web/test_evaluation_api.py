"""The evaluation server over HTTP: the same functions as the commands, for programs."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.endpoints import Endpoint, serving
from support.evaluation_desk import EvaluationDesk, open_evaluation_desk
from support.runs import records

TASK_FILE = """\
name: mood
title: Which mood
input:
  - {name: text, type: string}
  - {name: label, type: multiclass, labels: [good, bad]}
output: [label]
perf_metric: accuracy
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[EvaluationDesk]:
    with open_evaluation_desk(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EvaluationDesk]:
    """One desk for all tests in which nothing is stored: what they send is refused, or only read."""
    with open_evaluation_desk(tmp_path_factory.mktemp("untouched")) as opened:
        yield opened


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as found:
        yield found


def lines(found: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in found).encode()


def predictions(count: int) -> bytes:
    return lines([{"uid": each["uid"], "label": each["label"]} for each in records(count)])


@pytest.fixture
def evaluated(desk: EvaluationDesk, endpoint: Endpoint) -> EvaluationDesk:
    """Two models on two data sets, one of which has variants."""
    return evaluate(desk, endpoint)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EvaluationDesk]:
    """The same, evaluated once for all tests that read and change nothing."""
    with open_evaluation_desk(tmp_path_factory.mktemp("finished")) as desk, serving() as endpoint:
        yield evaluate(desk, endpoint)


def evaluate(desk: EvaluationDesk, endpoint: Endpoint) -> EvaluationDesk:
    desk.bench.dataset("dev", 12)
    desk.bench.dataset("test", 9)
    desk.bench.variants("dev", "fairness", 6)
    desk.bench.model("mod", endpoint.url)
    desk.bench.model("other", endpoint.url, batch=1, timeout=5)
    desk.bench.work()
    return desk


# Tasks


def test_a_task_is_sent_as_yaml_or_json_and_shown_as_dynabench_clients_read_it(
    desk: EvaluationDesk,
) -> None:
    ruth = desk.caller("ruth")
    first = ruth.send("POST", "/tasks", 201, content=TASK_FILE).json()
    assert (first["task_code"], first["state"]) == ("mood", "new")
    assert ruth.send("POST", "/tasks", 200, content=TASK_FILE).json()["state"] == "same"
    shown = desk.caller("vera").get("/tasks/mood")
    again = {**shown["definition"], "about": "Said in one word."}
    assert ruth.post("/tasks", again)["changed"] == ["about"]
    assert shown["name"] == "Which mood"
    assert shown["ordered_metrics"][0] == {
        "name": "accuracy",
        "field_name": "perf",
        "default_weight": 4.0,
        "unit": "%",
        "pretty_name": "Accuracy",
        "utility_direction": 1,
        "offset": 0.0,
    }
    assert shown["example_answer"]["label"] in ("good", "bad")
    assert desk.caller("vera").get(f"/tasks/{shown['id']}")["task_code"] == "mood"


def test_a_task_file_that_is_wrong_is_answered_with_its_lines(untouched: EvaluationDesk) -> None:
    answer = untouched.caller("ruth").send(
        "POST", "/tasks", 422, content=TASK_FILE + "metricz: []\n"
    )
    assert "task:8:1: Unknown key 'metricz'" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "line", ["function: own:score\n", "metrics: ['os:system']\n", "metrics: [{metric: 'a:b'}]\n"]
)
def test_a_token_does_not_let_python_in(untouched: EvaluationDesk, line: str) -> None:
    answer = untouched.caller("olga").send("POST", "/tasks", 422, content=TASK_FILE + line)
    assert "can only be added on the server itself" in answer.json()["error"]["message"]


def test_what_is_public_is_read_without_a_token_and_nothing_else(desk: EvaluationDesk) -> None:
    stranger, olga = desk.stranger(), desk.caller("olga")
    desk.bench.dataset("dev", 3)
    assert stranger.get("/tasks") == {"tasks": []}
    for path in ("", "/board", "/saved", "/models/dynaboard", "/tags"):
        stranger.get(f"/tasks/nli{path}", 401)
        stranger.get(f"/tasks/nothing{path}", 401)
    policy = olga.patch("/tasks/nli/policy", {"public": True, "terms": "Be fair."})
    assert (policy["public"], len(policy["terms_digest"])) == (True, 16)
    assert [each["task_code"] for each in stranger.get("/tasks")["tasks"]] == ["nli"]
    for path in ("", "/board", "/saved", "/models/dynaboard", "/tags"):
        assert stranger.get(f"/tasks/nli{path}") is not None
    for path in ("/datasets", "/datasets/dev", "/models", "/status", "/scores", "/teams"):
        stranger.get(f"/tasks/nli{path}", 401)
    stranger.get("/runs", 401)


def test_roles_decide_who_changes_what(desk: EvaluationDesk) -> None:
    vera, ruth = desk.caller("vera"), desk.caller("ruth")
    vera.post("/tasks/nli/evaluate", {}, 403)
    vera.send("POST", "/tasks/nli/datasets/dev", 403, content=lines(records(3)))
    ruth.patch("/tasks/nli/policy", {"public": True}, 403)
    ruth.post("/tasks/nli/teams", {"team": "A"}, 403)
    assert ruth.post("/tasks/nli/evaluate", {}) == {"runs": []}


# Data sets


def test_a_data_set_is_sent_as_a_body_or_a_form_and_versioned(desk: EvaluationDesk) -> None:
    ruth = desk.caller("ruth")
    body = lines(records(6))
    first = ruth.send("POST", "/tasks/nli/datasets/dev", 201, content=body).json()
    assert (first["items"], first["version"], first["new"]) == (6, 1, True)
    again = ruth.send(
        "POST", "/tasks/nli/datasets/dev", 200, files={"file": ("dev.jsonl", body)}
    ).json()
    assert again["new"] is False
    path = "/tasks/nli/datasets/dev?access=standard&about=Mine&filename=later.jsonl"
    newer = ruth.send("POST", path, 201, content=lines(records(7))).json()
    assert (newer["version"], newer["access"]) == (2, "standard")
    sheet = desk.caller("vera").get("/tasks/nli/datasets/dev")
    assert [each["items"] for each in sheet["versions"]] == [6, 7]
    assert (sheet["source"], sheet["about"]) == ("later.jsonl", "Mine")
    assert sheet["labels"]["label"] == {"entailed": 3, "neutral": 2, "contradictory": 2}
    assert sheet["sample"][0]["label"] == "entailed"


def test_the_keys_of_a_file_are_mapped_as_on_the_command_line(desk: EvaluationDesk) -> None:
    found = [{"n": 1, "premise": "It rains.", "claim": "It is wet.", "gold": "yes"}]
    path = (
        "/tasks/nli/datasets/mapped?map=uid=n&map=context=premise&map=hypothesis=claim"
        "&map=label=gold&value=label.yes=entailed"
    )
    desk.caller("ruth").send("POST", path, 201, content=lines(found))
    sheet = desk.caller("vera").get("/tasks/nli/datasets/mapped")
    assert sheet["labels"] == {"label": {"entailed": 1}}


def test_what_is_wrong_with_a_file_is_told_by_line_and_not_by_place(
    untouched: EvaluationDesk,
) -> None:
    ruth = untouched.caller("ruth")
    bad = lines([*records(2), {**records(3)[2], "label": "perhaps"}])
    path = "/tasks/nli/datasets/dev?filename=mine.jsonl"
    message = ruth.send("POST", path, 422, content=bad).json()["error"]["message"]
    assert message.startswith("mine.jsonl:3: ")
    assert "perhaps" in message
    assert "/tmp" not in message
    ruth.send("POST", "/tasks/nli/datasets/dev", 422, content=b"")
    ruth.send("POST", "/tasks/nli/datasets/dev", 422, files={"a": b"1", "b": b"2"})
    assert untouched.caller("vera").get("/tasks/nli/datasets") == {"datasets": []}


def test_a_file_that_is_too_large_is_refused_before_and_while_it_comes(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "palaver.yaml").write_text("upload_megabytes: 1\n")
    with open_evaluation_desk(tmp_path) as desk:
        ruth = desk.caller("ruth")
        body = lines(records(9000))
        assert len(body) > 1 << 20
        answer = ruth.send("POST", "/tasks/nli/datasets/dev", 413, content=body)
        assert "larger than 1 MiB" in answer.json()["error"]["message"]
        blocks = (body[at : at + 65536] for at in range(0, len(body), 65536))
        ruth.send("POST", "/tasks/nli/datasets/dev", 413, content=blocks)
        ruth.send("POST", "/tasks/nli/datasets/dev", 201, content=lines(records(4000)))


def test_a_data_set_is_fetched_from_an_address(desk: EvaluationDesk) -> None:
    body = lines(records(4))

    class File(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), File)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        wanted = {"url": f"http://127.0.0.1:{server.server_port}/dev.jsonl"}
        path = "/tasks/nli/datasets/dev/fetch"
        assert "not on a public address" in desk.caller("ruth").refused(path, wanted)
        assert desk.caller("olga").post(path, wanted, 201)["items"] == 4
        for url in ("file:///etc/passwd", "/etc/passwd", "s3://bucket/x"):
            assert "http or https" in desk.caller("olga").refused(path, {"url": url})
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_data_set_that_begins_to_count_is_evaluated(
    desk: EvaluationDesk, endpoint: Endpoint
) -> None:
    ruth = desk.caller("ruth")
    desk.bench.model("mod", endpoint.url)
    ruth.send("POST", "/tasks/nli/datasets/dev?access=hidden", 201, content=lines(records(3)))
    planned = len(ruth.get("/runs")["runs"])
    ruth.patch("/tasks/nli/datasets/dev", {"access": "scoring", "about": "Ours"})
    assert len(ruth.get("/runs")["runs"]) >= max(1, planned)
    assert ruth.get("/tasks/nli/datasets")["datasets"][0]["about"] == "Ours"


# Models and runs


def test_an_endpoint_is_added_and_its_keys_are_not_shown(
    desk: EvaluationDesk, endpoint: Endpoint
) -> None:
    desk.bench.dataset("dev", 3)
    olga = desk.caller("olga")
    wanted = {
        "name": "mod",
        "kind": "http",
        "options": {
            "url": endpoint.url.replace("http://", "http://ann:secret@"),
            "headers": {"X-Api-Key": "abc", "Authorization": "${NLI_KEY}", "X-Kind": "nli"},
        },
        "tags": ["small"],
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NLI_KEY", "k")
        made = olga.post("/tasks/nli/models", wanted, 201)
        assert olga.post("/tasks/nli/models", wanted, 200)["is_new"] is False
    assert len(made["runs"]) == 1
    shown = olga.get("/tasks/nli/models/mod")
    assert shown["options"]["headers"] == {
        "X-Api-Key": "…",
        "Authorization": "${NLI_KEY}",
        "X-Kind": "nli",
    }
    assert "secret" not in json.dumps(shown)
    assert (shown["standing"], shown["tags"], shown["runs"]) == (
        "unpublished",
        ["small"],
        {"waiting": 1},
    )


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("command", {"command": "cat /etc/passwd"}, "endpoint of kind"),
        ("handler", {"handler": "os:system"}, "endpoint of kind"),
        ("checkpoint", {"checkpoint": "/srv/model"}, "endpoint of kind"),
        ("http", {"url": "http://10.0.0.1/"}, "not on a public address"),
        ("http", {"url": "https://192.0.2.1/", "headers": {"K": "${HOME}"}}, "variables"),
        (
            "openai",
            {"base_url": "https://8.8.8.8", "api_key_env": "AWS_SECRET_ACCESS_KEY"},
            "names a variable",
        ),
        ("openai", {"base_url": "http://169.254.169.254", "model": "m"}, "public address"),
        ("http", {"method": "GET"}, "needs 'url'"),
    ],
)
def test_a_reviewer_cannot_reach_into_the_server(
    untouched: EvaluationDesk, kind: str, options: dict[str, Any], why: str
) -> None:
    wanted = {"name": "mod", "kind": kind, "options": options}
    assert why in untouched.caller("ruth").refused("/tasks/nli/models", wanted)


def test_predictions_are_sent_as_a_form_with_a_file_per_data_set(desk: EvaluationDesk) -> None:
    desk.bench.dataset("dev", 5)
    desk.bench.dataset("test", 4)
    ruth = desk.caller("ruth")
    path = "/tasks/nli/models/ours/predictions"
    files = {"dev": ("a.jsonl", predictions(5)), "test": ("b.jsonl", predictions(4))}
    made = ruth.send("POST", path, 201, files=files, data={"tag": ["x", "y"]}).json()
    assert len(made["runs"]) == 2
    assert ruth.send("POST", path, 200, files=files).json()["is_new"] is False
    desk.bench.work()
    run = next(each for each in ruth.get("/runs")["runs"] if each["dataset"] == "dev")
    assert (run["state"], run["performance"]["value"]) == ("done", 1.0)
    bad = {"dev": ("a.jsonl", predictions(4))}
    told = ruth.send("POST", path, 422, files=bad).json()["error"]["message"]
    assert told == "a.jsonl: 1 problem; nothing was stored.\n  a.jsonl: no answer to 'u4'."
    ruth.send("POST", "/tasks/nli/models/new/predictions", 422, files={"dev": predictions(5)})
    partial = {"files": {"dev": predictions(5)}, "data": {"partial": "true"}}
    ruth.send("POST", "/tasks/nli/models/new/predictions", 201, **partial)


def test_models_are_published_retired_and_brought_back(evaluated: EvaluationDesk) -> None:
    ruth = evaluated.caller("ruth")
    assert ruth.patch("/tasks/nli/models/mod", {"published": True})["standing"] == "published"
    told = {"anonymous": True, "about": "Ours", "tags": ["tiny", "fast"]}
    changed = ruth.patch("/tasks/nli/models/mod", told)
    assert (changed["standing"], changed["about"], changed["tags"]) == (
        "anonymous",
        "Ours",
        ["tiny", "fast"],
    )
    assert ruth.get("/tasks/nli/tags")["tags"] == [
        {"tag": "fast", "models": 1},
        {"tag": "tiny", "models": 1},
    ]
    assert ruth.patch("/tasks/nli/models/mod", {"retired": True})["standing"] == "retired"
    board = ruth.get("/tasks/nli/board")
    assert [each["name"] for each in board["models"]] == ["other"]
    assert ruth.patch("/tasks/nli/models/mod", {"retired": False})["retired"] is None
    ruth.patch("/tasks/nli/models/none", {"retired": False}, 404)


def test_runs_are_listed_by_page_and_looked_at(finished: EvaluationDesk) -> None:
    vera = finished.caller("vera")
    found, after = [], ""
    while True:
        page = vera.get(f"/runs?task=nli&limit=4{after}")
        found += page["runs"]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert len({each["key"] for each in found}) == len(found) == 6
    assert len(vera.get("/runs?state=done&state=failed&model=mod")["runs"]) == 3
    assert vera.get("/runs?state=waiting")["runs"] == []
    vera.get("/runs?state=lost", 422)
    key = next(each["key"] for each in found if (each["dataset"], each["model"]) == ("dev", "mod"))
    sheet = vera.get(f"/runs/{key}")
    assert (sheet["state"], sheet["failures"], sheet["refused_answers"]) == ("done", [], [])
    scores = {each["metric"]: each for each in vera.get(f"/runs/{key}/scores")["scores"]}
    assert scores["fairness"]["variants"] == "fairness-dev"
    assert [each["tag"] for each in scores["accuracy"]["parts"]["perf_by_tag"]] == ["even", "odd"]
    vera.get(f"/runs/{key}/predictions", 403)
    answers = finished.caller("ruth").send("GET", f"/runs/{key}/predictions")
    assert answers.headers["content-type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in answers.text.splitlines()]
    assert [each["uid"] for each in rows] == [f"u{n}" for n in range(12)]
    assert rows[0]["answer"]["label"] in ("entailed", "neutral", "contradictory")
    status = vera.get("/tasks/nli/status")
    assert status["counts"] == {"done": 6}


def test_a_run_is_cancelled_and_tried_again(desk: EvaluationDesk, endpoint: Endpoint) -> None:
    desk.bench.dataset("dev", 3)
    desk.bench.model("mod", endpoint.url)
    ruth = desk.caller("ruth")
    (run,) = ruth.get("/runs")["runs"]
    assert ruth.post(f"/runs/{run['key']}/cancel")["state"] == "cancelled"
    assert "nothing to cancel" in ruth.refused(f"/runs/{run['key']}/cancel")
    assert ruth.post(f"/runs/{run['key']}/retry")["state"] == "waiting"
    desk.bench.work()
    assert ruth.get(f"/runs/{run['key']}")["state"] == "done"
    ruth.post("/runs/r_none/cancel", status=404)


def test_why_a_run_failed_is_told_with_its_first_refused_answers(desk: EvaluationDesk) -> None:
    with serving(lambda question: {"id": question["uid"], "label": "maybe"}) as bad:
        desk.bench.dataset("dev", 3)
        desk.bench.model("mod", bad.url)
        desk.bench.work()
    (run,) = desk.caller("vera").get("/runs?state=failed")["runs"]
    sheet = desk.caller("vera").get(f"/runs/{run['key']}")
    assert "maybe" in sheet["reason"]
    assert [each["uid"] for each in sheet["refused_answers"]] == ["u0", "u1", "u2"]
    assert sheet["performance"] is None
    assert sheet["failures"][0]["attempt"] == 1


def test_what_is_due_is_planned_and_old_answers_are_scored_anew(
    evaluated: EvaluationDesk,
) -> None:
    ruth = evaluated.caller("ruth")
    planned = ruth.post("/tasks/nli/evaluate", {"model": "mod", "dataset": "dev"})["runs"]
    assert [each["state"] for each in planned] == ["done"]
    ruth.post("/tasks/nli/evaluate", {"model": "none"}, 404)
    found = ruth.post("/tasks/nli/rescore", {"metric": "micro_f1", "models": ["mod"]})["runs"]
    assert len(found) == 3
    assert all(-1 <= each["value"] <= 1 for each in found)
    rows = ruth.get("/tasks/nli/scores?metric=micro_f1&dataset=dev")["scores"]
    assert [(each["model"], each["n"]) for each in rows] == [("mod", 12)]
    assert "can only be added on the server" in ruth.refused(
        "/tasks/nli/rescore", {"metric": "os:system"}
    )
    assert "Near" in ruth.refused("/tasks/nli/rescore", {"metric": "macro_f2"})
    assert "No finished run" in ruth.refused(
        "/tasks/nli/rescore", {"metric": "macro_f1", "models": ["mud"]}
    )


# Boards


def test_the_board_has_intervals_and_takes_weights_by_name(finished: EvaluationDesk) -> None:
    vera = finished.caller("vera")
    board = vera.get("/tasks/nli/board?metric_weight=accuracy=2&dataset_weight=test=0")
    assert [each["weight"] for each in board["datasets"]] == [5.0, 0.0]
    assert board["metrics"][0]["weight"] == 2.0
    assert {each["name"] for each in board["models"]} == {"mod", "other"}
    cell = board["models"][0]["scores"]["dev"]["accuracy"]
    low, high = cell["interval"]
    assert low <= cell["value"] <= high
    assert cell["n"] == 12
    for query in ("metric_weight=nothing=1", "metric_weight=accuracy", "dataset_weight=dev=-1"):
        vera.get(f"/tasks/nli/board?{query}", 422)
    table = vera.send("GET", "/tasks/nli/board/csv?metric_weight=accuracy=2")
    assert table.headers["content-type"].startswith("text/csv")
    assert "Dynascore" in table.text.splitlines()[0]
    assert r"\begin{table}" in vera.send("GET", "/tasks/nli/board/tex").text
    vera.get("/tasks/nli/board/docx", 422)


def test_strangers_see_nothing_of_an_unpublished_model(evaluated: EvaluationDesk) -> None:
    evaluated.policy(public=True)
    evaluated.caller("ruth").patch("/tasks/nli/models/mod", {"published": True})
    board = evaluated.stranger().get("/tasks/nli/board")
    names = {each["name"] for each in board["models"]}
    assert "mod" in names
    assert '"other"' not in json.dumps(board)
    rows = evaluated.stranger().get("/tasks/nli/models/dynaboard")["data"]
    assert [each["model_name"] for each in rows] == ["mod"]
    assert (names, board["unpublished"]) == ({"mod"}, 1)
    seen = evaluated.caller("vera").get("/tasks/nli/models/dynaboard")["data"]
    assert {each["model_name"] for each in seen} == {"mod", None}
    tags = evaluated.stranger().get("/tasks/nli/models/topleaderboardtags?specific_tag=even")
    assert list(tags) == ["dev", "test"]
    assert tags["dev"]["count"] == 1
    assert tags["dev"]["data"][0]["tag"] == "even"
    assert tags["dev"]["data"][0]["n"] == 6


def test_the_dynaboard_takes_positional_weights_and_sorts(finished: EvaluationDesk) -> None:
    vera = finished.caller("vera")
    task = vera.get("/tasks/nli")
    metrics = [each["name"] for each in task["ordered_metrics"]]
    assert metrics[0] == "accuracy"
    assert [each["name"] for each in task["ordered_scoring_datasets"]] == ["dev", "test"]
    weights = "|".join(["4", *["1"] * (len(metrics) - 1)])
    path = f"/tasks/nli/models/dynaboard?ordered_metric_weights={weights}"
    found = vera.get(f"{path}&ordered_scoring_dataset_weights=1|1&sort_by=Accuracy&limit=1")
    assert (found["count"], len(found["data"])) == (2, 1)
    row = found["data"][0]
    assert list(row) == [
        *("model_id", "model_name", "uid", "username", "averaged_scores", "averaged_variances"),
        *("dynascore", "dynavariance", "datasets"),
    ]
    assert len(row["averaged_scores"]) == len(metrics)
    assert [each["name"] for each in row["datasets"]] == ["dev", "test"]
    assert vera.get("/tasks/nli/models/dynaboard?offset=2")["data"] == []
    for query in ("ordered_metric_weights=1", "sort_by=nothing", "sort_direction=up", "limit=-1"):
        vera.get(f"/tasks/nli/models/dynaboard?{query}", 422)


def test_forks_follow_the_scores_and_snapshots_do_not(evaluated: EvaluationDesk) -> None:
    ruth, stranger = evaluated.caller("ruth"), evaluated.stranger()
    for model in ("mod", "other"):
        ruth.patch(f"/tasks/nli/models/{model}", {"published": True})
    wanted = {"name": "Mine", "metric_weights": {"accuracy": 1}, "dataset_weights": {"test": 0}}
    fork = ruth.post("/tasks/nli/forks", wanted, 201)
    snapshot = ruth.post("/tasks/nli/snapshots", {**wanted, "name": "May"}, 201)
    assert (fork["kind"], fork["created_by"]) == ("fork", "ruth")
    assert "already" in ruth.refused("/tasks/nli/snapshots", wanted)
    assert [each["name"] for each in ruth.get("/tasks/nli/saved")["boards"]] == ["Mine", "May"]
    ruth.patch("/tasks/nli/models/mod", {"retired": True})
    assert len(ruth.get(f"/saved/{fork['key']}")["board"]["models"]) == 1
    frozen = ruth.get(f"/saved/{snapshot['key']}")["board"]
    assert len(frozen["models"]) == 2
    assert frozen["datasets"][1]["weight"] == 0.0
    stranger.get(f"/saved/{snapshot['key']}", 401)
    evaluated.policy(public=True)
    assert stranger.get(f"/saved/{snapshot['key']}")["name"] == "May"
    stranger.get("/saved/b_none", 401)
    ruth.get("/saved/b_none", 404)


# Perturbations, metrics, tables


def test_records_are_perturbed_and_nothing_is_stored(untouched: EvaluationDesk) -> None:
    vera = untouched.caller("vera")
    wanted = {"kind": "robustness", "only": ["casing"], "records": records(3)}
    found = vera.post("/tasks/nli/perturb", wanted)
    assert found == vera.post("/tasks/nli/perturb", wanted)
    assert found["perturbations"]["casing"]["variants"] == len(found["variants"]) == 3
    first = found["variants"][0]
    assert (first["input_id"], first["label"]) == ("u0", "entailed")
    assert vera.get("/tasks/nli/datasets")["datasets"] == []
    twice = {**wanted, "records": [*records(2), records(1)[0]]}
    assert "Record 3: the uid 'u0'" in vera.refused("/tasks/nli/perturb", twice)
    assert "only be added" in vera.refused("/tasks/nli/perturb", {**wanted, "only": ["os:system"]})
    names = {each["name"] for each in vera.get("/perturbations?kind=robustness")["perturbations"]}
    assert {"casing", "typos"} <= names


def test_a_stored_data_set_is_perturbed_and_its_variants_are_evaluated(
    desk: EvaluationDesk, endpoint: Endpoint
) -> None:
    desk.bench.dataset("dev", 6)
    desk.bench.model("mod", endpoint.url)
    ruth = desk.caller("ruth")
    path = "/tasks/nli/datasets/dev/perturb"
    done = ruth.post(path, {"kind": "robustness", "only": ["casing", "typos"], "seed": 3})
    assert done["originals"] == 6
    assert done["registered"]["dataset"] == "robustness-dev"
    assert len(done["registered"]["runs"]) == 1
    (variants,) = [e for e in ruth.get("/tasks/nli/datasets")["datasets"] if e["parent"]]
    assert (variants["parent"], variants["kind"]) == ("dev", "robustness")
    assert "itself a perturbed set" in ruth.refused(
        "/tasks/nli/datasets/robustness-dev/perturb", {"kind": "robustness"}
    )
    ruth.post("/tasks/nli/datasets/none/perturb", {"kind": "robustness"}, 404)


def test_metrics_are_listed_and_a_table_is_scored(untouched: EvaluationDesk) -> None:
    vera = untouched.caller("vera")
    names = [each["name"] for each in vera.get("/metrics")["metrics"]]
    assert "accuracy" in names
    assert vera.get("/metrics/macro_f1")["direction"] == "higher"
    assert "Near" in vera.get("/metrics/macro_f2", 404)["error"]["message"]
    # The hand fixture of the published function.
    rows = [(60, 10, 4, 90, 80), (70, 6, 8, 92, 70), (65, 8, 2, 95, 85)]
    keys = ("perf", "eps", "mem", "fair", "rob")
    table = [
        {"model": name, **dict(zip(keys, row, strict=True))}
        for name, row in zip("abc", rows, strict=True)
    ]
    given = {"table": table, "directions": {"mem": -1}, "offsets": {"mem": 16}}
    found = vera.post("/dynascore", given)
    assert found["scores"] == {"c": 57.34375, "b": 56.875, "a": 54.0625}
    assert found["pairs"] == 2
    for wrong in (
        {"table": [{"model": "a"}]},
        {"table": [{"model": "a", "x": "high"}]},
        {"table": [{"model": "a", "x": 1}, {"model": "a", "x": 2}]},
        {"table": [{"x": 1}]},
        {"table": [{"model": "a", "x": 1}], "weights": {"y": 1}},
    ):
        vera.refused("/dynascore", wrong)


# The page


def test_the_page_of_the_api_shows_every_operation_without_scripts(
    untouched: EvaluationDesk,
) -> None:
    page = untouched.desk.client.get("/api/v1/docs")
    assert page.headers["content-type"].startswith("text/html")
    document = untouched.desk.client.get("/api/v1/openapi.json").json()
    for path in document["paths"]:
        assert f">{path}</code>" in page.text
    for name, schema in document["components"]["schemas"].items():
        if "properties" in schema:
            assert f'id="shape-{name}"' in page.text
    assert "//cdn" not in page.text
    assert "http://testserver/api/v1/tasks/TASK/board" in page.text
