"""The client against a server that really serves, evaluates and refuses."""

import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from palaver.client import Client, ClientError, Run, WaitError
from palaver.client.connection import Connection
from palaver.core.errors import InputError
from palaver.core.raw_answers import RawAnswer
from palaver.storage import Store
from palaver.storage.people.accounts import create_account, create_token
from support.desks import PASSWORD, hashed
from support.endpoints import Endpoint, serving
from support.runs import NOW, records
from support.serving import start_server


@dataclass
class Served:
    """A server's address and an owner's token."""

    url: str
    token: str
    folder: Path
    endpoint: Endpoint

    @property
    def owner(self) -> Client:
        """The owner's client."""
        return Client(self.url, self.token)

    def file(self, name: str, rows: list[dict[str, object]]) -> Path:
        """Rows as a file."""
        path = self.folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    home = folder / "home"
    home.mkdir()
    (home / "palaver.yaml").write_text("private_endpoints: true\nupload_megabytes: 2\n")
    store = Store(f"sqlite:///{home / 'palaver.db'}")
    account = store.write_now(
        lambda c: create_account(
            c, name="olga", role="owner", password_hash=hashed(PASSWORD), one_time=False, now=NOW
        )
    )
    token = store.write_now(
        lambda c: create_token(c, account_id=account.id, name="t", role="owner", now=NOW)
    ).secret
    store.close()
    server = start_server(home, home=home)
    try:
        with serving() as endpoint:
            Client(server.base, token).use_builtin("nli")
            yield Served(server.base, token, folder, endpoint)
    finally:
        server.stop()


def test_from_a_data_set_to_a_board(served: Served) -> None:
    client = served.owner
    added = client.add_dataset("nli", "dev", served.file("dev.jsonl", records(12)), about="Ours")
    assert (added.items, added.version, added.is_new) == (12, 1, True)
    assert not client.add_dataset("nli", "dev", served.folder / "dev.jsonl").is_new
    model = client.add_model("nli", "mod", "http", {"url": served.endpoint.url}, tags=["x"])
    seen: list[int] = []
    (run,) = client.wait(
        model.runs,
        timeout=60,
        every=0.1,
        progress=lambda runs: seen.append(sum(each.answered for each in runs)),
    )
    assert (run.state, run.is_over, run.answered) == ("done", True, 12)
    assert run.performance is not None
    assert run.performance.value is not None
    assert seen[-1] == 12
    assert [each.uid for each in client.predictions(run.key)] == [f"u{n}" for n in range(12)]
    scores = {each.metric: each for each in client.scores(run.key)}
    assert scores["accuracy"].parts["perf_by_tag"][0]["tag"] == "even"
    assert scores["accuracy"].value == run.performance.value
    assert client.change_model("nli", "mod", published=True).standing == "published"
    board = client.board("nli", metrics={"accuracy": 3}, datasets={"dev": 1})
    assert [each.name for each in board.models] == ["mod"]
    assert board.metrics[0].weight == 3.0
    cell = board.models[0].scores["dev"]["accuracy"]
    assert cell.interval is not None
    assert cell.n == 12
    assert [each.metric for each in client.score_table("nli", metric="accuracy")] == ["accuracy"]
    (again,) = client.rescore("nli", "micro_f1")
    assert again.value == pytest.approx(run.performance.value)
    assert client.evaluate("nli", model="mod")[0].key == run.key
    assert [each.key for each in client.runs("nli", state="done")] == [run.key]
    assert client.run(run.key).failures == ()
    fork = client.fork("nli", "Mine", metric_weights={"accuracy": 1.0})
    assert [each.key for each in client.saved("nli")] == [fork.key]
    assert client.model("nli", "mod").tags == ("x",)


def test_what_a_model_sent_is_told_where_it_is_refused(served: Served) -> None:
    client = served.owner
    task = {**client.task("nli").definition, "name": "refusing"}
    client.add_task(task)
    client.add_dataset("refusing", "dev", served.file("refused.jsonl", records(2)))
    with serving(lambda question: {"id": question["uid"], "label": "perhaps"}) as endpoint:
        model = client.add_model("refusing", "mod", "http", {"url": endpoint.url})
        (run,) = client.wait(model.runs, timeout=60, every=0.1)
    assert (run.state, run.refused, run.performance) == ("failed", 2, None)
    first = next(iter(client.predictions(run.key)))
    assert "perhaps" in str(first.problem)
    assert first.raw == RawAnswer('{"id":"u0","label":"perhaps"}', 29)


def test_tasks_perturbations_and_tables(served: Served) -> None:
    client = served.owner
    assert client.task("nli").targets == ("label",)
    assert "nli" in [each.name for each in client.tasks()]
    definition = {**client.task("nli").definition, "name": "mine"}
    assert client.add_task(definition).state == "new"
    assert client.add_task(json.dumps(definition).encode()).state == "same"
    assert client.set_policy("mine", public=True, most_submissions=5).most_submissions == 5
    assert [each.name for each in Client(served.url).tasks()] == ["mine"]
    client.add_dataset("mine", "dev", served.file("mine.jsonl", records(4)), access="standard")
    done = client.perturb("mine", "dev", "robustness", only=["casing"], seed=2)
    assert done.originals == 4
    assert done.registered is not None
    assert [each.parent for each in client.datasets("mine")] == [None, "dev"]
    assert client.variants("mine", records(2), "robustness", only=["casing"])[0]["input_id"] == "u0"
    table = [{"model": "a", "f1": 60, "mem": 4}, {"model": "b", "f1": 70, "mem": 8}]
    found = client.dynascore(table, directions={"mem": -1}, offsets={"mem": 16})
    assert list(found.scores) == ["b", "a"]
    assert found.pairs == 1


def test_a_team_submits(served: Served) -> None:
    owner = served.owner
    owner.use_builtin("sentiment")
    rows = [
        {"uid": f"s{n}", "statement": f"Text {n}.", "label": "positive", "tags": []}
        for n in range(3)
    ]
    owner.add_dataset("sentiment", "small", served.file("small.jsonl", rows))
    owner.set_policy("sentiment", terms="Be fair.", most_submissions=1)
    team = Client(served.url, owner.add_team("sentiment", "Gold").token)
    sheet = team.team()
    with pytest.raises(ClientError, match="Accept the terms") as refused:
        team.submit_predictions("ours", {"small": b"{}"})
    assert (refused.value.status, refused.value.code) == (403, "forbidden")
    assert team.accept_terms(sheet.terms_digest).accepted
    asked = team.questions("small")
    answers = [{"uid": each["uid"], "label": "positive"} for each in asked]
    content = "\n".join(json.dumps(each) for each in answers).encode()
    added = team.submit_predictions("ours", {"small": content}, about="By hand")
    assert (added.published, len(added.runs)) == (False, 1)
    with pytest.raises(ClientError, match="1 of 1 submissions") as used:
        team.submit_predictions("more", {"small": content})
    assert used.value.status == 429
    assert used.value.retry_after is not None
    assert 86_000 < used.value.retry_after <= 86_400
    assert [each.name for each in team.submissions()] == ["ours"]
    assert team.publish("ours", anonymous=True).anonymous
    assert team.withdraw("ours").state == "withdrawn"
    assert team.submission("ours").version == 1
    with pytest.raises(ClientError, match="endpoint of kind"):
        team.submit_endpoint("live", "command", {"command": "id"})


def test_predictions_are_streamed_from_files(served: Served) -> None:
    client = served.owner
    definition = {**client.task("nli").definition, "name": "stream"}
    client.add_task(definition)
    rows = records(5)
    client.add_dataset("stream", "dev", served.file("stream.jsonl", rows))
    answers = [{"uid": each["uid"], "label": each["label"]} for each in rows]
    file = served.file("answers.jsonl", list(answers))
    added = client.upload_predictions("stream", "ours", {"dev": file}, tags=["a", "b"])
    (run,) = client.wait(added.runs, timeout=60, every=0.1)
    assert run.performance is not None
    assert run.performance.value == 1.0
    assert client.models("stream")[0].tags == ("a", "b")


def test_what_the_server_says_is_what_is_raised(served: Served) -> None:
    client = served.owner
    with pytest.raises(ClientError, match=r"No task 'nil' is stored here\. Near: 'nli'") as missing:
        client.task("nil")
    assert (missing.value.status, missing.value.code) == (404, "not_found")
    with pytest.raises(ClientError, match="Send a valid token"):
        Client(served.url, "pv_wrong").models("nli")
    bad = served.file("bad.jsonl", [{**records(1)[0], "label": "perhaps"}])
    with pytest.raises(ClientError, match=r"bad.jsonl:1: .*perhaps"):
        client.add_dataset("nli", "bad", bad)
    with pytest.raises(ClientError, match="larger than 2 MiB") as large:
        client.add_dataset("nli", "bad", served.file("large.jsonl", records(20_000)))
    assert large.value.status == 413
    with pytest.raises(InputError, match=r"There is no file .*none.jsonl"):
        client.add_dataset("nli", "bad", served.folder / "none.jsonl")
    with pytest.raises(InputError, match="http://host:port"):
        Client("ftp://example.org")


def test_waiting_ends_in_time_and_the_run_goes_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = served.owner
    run = Run(
        key="r_1",
        task="nli",
        model="m",
        model_version=1,
        dataset="d",
        dataset_version=1,
        state="waiting",
        reason="",
        items=1,
        answered=0,
        refused=0,
        start_seconds=0.0,
        busy_seconds=0.0,
        created=0.0,
        started=None,
        finished=None,
        metric="accuracy",
        performance=None,
    )
    monkeypatch.setattr(client, "run", lambda key: run)
    with pytest.raises(WaitError, match="1 of 1 runs are not over yet"):
        client.wait([run], timeout=0, every=0)


def _answering(answers: list[bytes]) -> tuple[str, list[bytes], threading.Thread]:
    """A server that answers each connection with the next bytes and hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))
    heard: list[bytes] = []

    def serve() -> None:
        with listening:
            for answer in answers:
                connection, _ = listening.accept()
                with connection:
                    heard.append(connection.recv(65536))
                    connection.sendall(answer)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}", heard, thread


OK = b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"a": "b"}\n'
BUSY = b"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n"


def test_what_only_reads_is_tried_again_and_what_changes_is_not() -> None:
    url, heard, thread = _answering([b"", BUSY, OK[:45], OK, b""])
    pauses: list[float] = []
    connection = Connection(url, "t", timeout=5, retries=3, sleep=pauses.append)
    assert connection.json("GET", "/x") == {"a": "b"}
    assert pauses == [0.5, 7.0, 2.0]
    assert heard[0].startswith(b"GET /api/v1/x HTTP/1.1")
    assert b"Authorization: Bearer t" in heard[0]
    with pytest.raises(ClientError, match="cannot be reached") as lost:
        connection.json("POST", "/x")
    assert lost.value.status == 0
    thread.join(timeout=60)
    assert len(heard) == 5


def test_a_server_that_is_none_of_ours_is_told_apart() -> None:
    page = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"
    url, _, thread = _answering([page])
    with pytest.raises(ClientError, match="Is a Palaver server there"):
        Client(url).tasks()
    thread.join(timeout=60)
