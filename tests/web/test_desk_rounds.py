"""Rounds of writing at the desk: what their pages say first, and what is decided there."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from palaver.core.audit import SERVER
from palaver.core.evaluation.rounds import RoundTerms, WrittenExample
from palaver.evaluation.rounds.example_decisions import give_verdict
from palaver.storage.evaluation.models import list_models
from palaver.storage.evaluation.rounds import find_round
from palaver.storage.evaluation.tasks import find_task
from support.held_rounds import HeldRound
from support.task_desks import TaskDesk, open_task_desk
from support.written_rounds import NOW, Sent

ROUNDS = "/desk/tasks/nli/rounds"
ROUND = f"{ROUNDS}/1"
LATE = Sent("The train was late.", "entailed", "neutral")
RIGHT = Sent("A signal failed.", "entailed", "entailed")
EARLY = Sent("The train was early.", "contradictory", "entailed")


@pytest.fixture
def found(tmp_path: Path) -> Iterator[TaskDesk]:
    with open_task_desk(tmp_path) as opened:
        yield opened


@pytest.fixture
def held(found: TaskDesk) -> HeldRound:
    """Two writers, of whom one fooled the model twice and the other once."""
    goals = {"entailed": None, "contradictory": None}
    made = HeldRound(found.desk.deployment.evaluation, terms=RoundTerms(goals=goals, per_context=2))
    one, other = made.visit("ann"), made.visit("ben")
    made.session(one, RIGHT, LATE, goal="entailed", tag="trains")
    made.session(one, EARLY, goal="contradictory", tag="trains")
    made.session(other, Sent("Nobody slept.", "contradictory", "neutral"), goal="contradictory")
    return made


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def judge(held: HeldRound, *verdicts: str) -> list[WrittenExample]:
    """Settle the examples that fooled the model, in the order in which they were written."""
    fooling = [each for each in held.examples() if each.is_fooling]
    for each, verdict in zip(fooling, verdicts, strict=False):
        held.store.write_now(
            lambda c, e=each, v=verdict: give_verdict(c, held.round, e.uid, v, by=SERVER, now=NOW)
        )
    return fooling


def seen(found: TaskDesk, path: str) -> str:
    answer = found.desk.client.get(path)
    assert answer.status_code == 200, answer.text
    return words(answer.text)


def test_a_task_without_rounds_says_how_to_begin(found: TaskDesk) -> None:
    page = seen(found, ROUNDS)
    assert "No rounds yet" in page
    assert "palaver init my-rounds --template loop" in page
    assert found.desk.client.get(ROUND).status_code == 404
    assert found.desk.client.get(f"{ROUNDS}/one").status_code == 404


def test_a_built_in_model_is_added_by_being_named(found: TaskDesk, held: HeldRound) -> None:
    row = held.store.read_now(lambda c: find_task(c, "nli"))
    models = held.store.read_now(lambda c: list_models(c, row.id))
    assert [(each.name, each.kind, each.version) for each in models] == [("overlap", "overlap", 1)]


def test_a_round_says_what_waits_and_then_the_rate(found: TaskDesk, held: HeldRound) -> None:
    assert "3 of 4 tries fooled the model and were kept; 0 verified so far, 3 to be judged" in seen(
        found, ROUND
    )
    judge(held, "correct", "correct", "incorrect")

    page = seen(found, ROUND)

    assert "3 of 4 tries fooled the model and were kept; 2 verified: 50.0 % [" in page
    assert "4 tries by 2 writers: 2 verified , 1 refused, 0 waiting to be judged ." in page
    assert "Next: there are texts left to write about" in page
    assert "entailed 1 of 2 1 kept" in page
    assert "50.0 %" in seen(found, ROUNDS)


def test_examples_are_filtered_by_what_became_of_them(found: TaskDesk, held: HeldRound) -> None:
    judge(held, "correct", "incorrect")
    every = seen(found, f"{ROUND}/examples")
    assert "4 examples" in every
    for state in ("found wrong", "verified", "waits", "the model was right"):
        assert state in every

    verified = seen(found, f"{ROUND}/examples?state=verified")
    assert "1 of 4 examples" in verified
    assert "The train was late." in verified
    assert "Nobody slept." not in verified
    assert "Nobody slept." in seen(found, f"{ROUND}/examples?q=slept")
    assert "No matching examples" in seen(found, f"{ROUND}/examples?q=zebra")
    assert found.desk.client.get(f"{ROUND}/examples?state=fine").status_code == 404


def test_an_owners_verdict_settles_an_example(found: TaskDesk, held: HeldRound) -> None:
    example = judge(held)[0]
    path = f"{ROUND}/examples/{example.uid}"
    page = seen(found, path)
    assert "Nobody has judged it yet." in page
    assert "Why it is right it says so" in page

    done = found.desk.post(f"{path}/verdict", on=path, verdict="flagged", why="A copy.")

    assert done.headers["location"] == f"{path}?done=verdict"
    assert held.examples()[1].standing == "flagged"
    assert "A copy." in seen(found, path)
    found.desk.post(f"{path}/verdict", on=path, verdict="", why="")
    assert held.examples()[1].standing == "waiting"
    wrong = found.desk.post(f"{path}/verdict", on=path, verdict="perhaps", why="")
    assert wrong.status_code == 422
    assert "A verdict is one of correct, incorrect, flagged" in words(wrong.text)


def test_a_round_is_stopped_resumed_and_closed(found: TaskDesk, held: HeldRound) -> None:
    def state() -> str:
        return held.store.read_now(lambda c: find_round(c, held.round.task_id, 1)).state

    found.desk.post(f"{ROUND}/stop", on=ROUND)
    assert state() == "stopped"
    assert "nobody more is seated" in seen(found, ROUND)
    found.desk.post(f"{ROUND}/resume", on=ROUND)
    assert state() == "open"

    judge(held, "correct", "correct")
    close = seen(found, f"{ROUND}/close")
    assert "Leave out 1 example that waits for judgements." in close
    assert "nli-r1-" in close
    refused = found.desk.post(f"{ROUND}/close", on=f"{ROUND}/close")
    assert refused.status_code == 422
    found.desk.post(f"{ROUND}/close", on=f"{ROUND}/close", anyway="yes")
    assert state() == "closed"
    page = seen(found, ROUND)
    assert "Its data sets nli-r1-" in page
    assert "palaver round open" in page
    again = found.desk.post(f"{ROUND}/stop", on=ROUND)
    assert "Open the next one" in words(again.text)


def test_files_name_nobody(found: TaskDesk, held: HeldRound) -> None:
    [writer, *_] = {each.writer for each in held.examples()}
    lines = found.desk.client.get(f"{ROUND}/files/palaver")
    assert len(lines.text.splitlines()) == 5
    assert writer not in lines.text
    assert len(found.desk.client.get(f"{ROUND}/files/dynabench").json()) == 4
    assert found.desk.client.get(f"{ROUND}/files/other").status_code == 404


@pytest.mark.parametrize(("name", "role"), [("vera", "viewer"), ("ruth", "reviewer")])
def test_who_may_read_examples_and_who_may_decide(tmp_path: Path, name: str, role: str) -> None:
    with open_task_desk(tmp_path, name=name) as found:
        held = HeldRound(found.desk.deployment.evaluation)
        token = found.desk.csrf("/desk/settings")
        held.session(held.visit("ann"), LATE)
        client = found.desk.client
        assert client.get(ROUND).status_code == 200
        reads = 200 if role == "reviewer" else 403
        assert client.get(f"{ROUND}/examples").status_code == reads
        assert client.get(f"{ROUND}/files/palaver").status_code == reads
        assert client.get(f"{ROUND}/close").status_code == 403

        def act(name: str) -> int:
            sent = client.post(f"{ROUND}/{name}", data={"csrf": token}, follow_redirects=False)
            return int(sent.status_code)

        assert act("stop") == (303 if role == "reviewer" else 403)
        assert (act("next"), act("close")) == (403, 403)


def test_strangers_read_the_numbers_of_a_public_task_alone(
    found: TaskDesk, held: HeldRound
) -> None:
    judge(held, "correct", "correct", "incorrect")
    stranger = TestClient(found.desk.client.app)
    assert stranger.get("/tasks/nli/data").status_code == 404
    held.store.write_now(lambda c: c.exec_driver_sql("UPDATE tasks SET public = TRUE"))

    page = words(stranger.get("/tasks/nli/data").text)

    assert "3 of 4 tries fooled a model and were kept; 2 verified: 50.0 % (" in page
    assert "overlap" not in page
    assert "The train was late." not in page
