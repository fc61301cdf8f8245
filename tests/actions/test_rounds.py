"""Rounds come to the same through every door, and are refused in the same words."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from palaver.core.evaluation.rounds import Round, RoundTerms, WrittenExample
from palaver.evaluation.rounds.examples import read_examples
from support.doors import Doors, Refused, checked
from support.written import LABELS, by_writers, put_round, written

Act = Callable[..., Any]


def by_command(doors: Doors, act: str, **options: str) -> Any:
    words = [word for name, value in options.items() for word in (f"--{name}", value) if word]
    if act == "close":
        words.append("--later")
    return doors.document("round", act, "nli", *words)


def by_api(doors: Doors, act: str, **options: str) -> Any:
    body: dict[str, Any] = {}
    if "share" in options:
        name, _, share = options["share"].partition("=")
        body["shares"] = {name: float(share)}
    if "anyway" in options:
        body["anyway"] = True
    return doors.ask("POST", f"/tasks/nli/rounds/1/{act}", body)


def settle_by_command(doors: Doors, uid: str, verdict: str) -> Any:
    return doors.document("round", "verdict", "nli", uid, verdict, "--why", "So it is.")


def settle_by_api(doors: Doors, uid: str, verdict: str) -> Any:
    path = f"/tasks/nli/rounds/1/examples/{uid}/verdict"
    return doors.ask("POST", path, {"verdict": verdict, "why": "So it is."})


def examples_of(doors: Doors, round_: Round) -> tuple[WrittenExample, ...]:
    return doors.desk.store.read_now(lambda c: read_examples(c, round_))


every_door = pytest.mark.parametrize("act", [by_command, by_api])
every_verdict = pytest.mark.parametrize("settle", [settle_by_command, settle_by_api])


@every_door
def test_a_round_is_resumed_stopped_and_closed(doors: Doors, act: Act) -> None:
    doors.bench.model("bert", "http://127.0.0.1:9/")
    put_round(doors.bench.home, by_writers(2, 2))
    assert act(doors, "resume")["state"] == "open"
    assert act(doors, "stop")["state"] == "stopped"
    closed = act(doors, "close", share="test=1")
    assert closed["result"]["datasets"] == {"test": "nli-r1-test"}
    assert (closed["new"], len(closed["runs"]), closed["leader"]) == (True, 1, "bert")
    again = act(doors, "close")
    assert (again["new"], again["result"]) == (False, closed["result"])
    with pytest.raises(Refused, match="Round 1 of 'nli' is closed"):
        act(doors, "resume")


@every_door
def test_what_waits_keeps_a_round_from_closing(doors: Doors, act: Act) -> None:
    put_round(doors.bench.home, [written(0, standing="waiting")])
    with pytest.raises(Refused, match="1 example of round 1 of 'nli' waits for judgements"):
        act(doors, "close")
    assert act(doors, "close", anyway="")["result"]["left_out"] == {"waiting": 1}


@every_verdict
def test_an_owner_settles_an_example(doors: Doors, settle: Act) -> None:
    round_ = put_round(doors.bench.home, [written(0, standing="waiting")])
    (example,) = examples_of(doors, round_)
    settled = settle(doors, example.uid, "correct")
    assert (settled["uid"], settled["standing"]) == (example.uid, "correct")
    assert settled["votes"][-1]["reason"] == "So it is."


def test_commands_and_the_api_tell_the_same_of_a_round(doors: Doors) -> None:
    put_round(doors.bench.home, [*by_writers(3, 2), written(9, standing="waiting")])
    assert doors.document("round", "show", "nli") == doors.ask("GET", "/tasks/nli/rounds/1")
    assert doors.document("round", "list", "nli") == doors.ask("GET", "/tasks/nli/rounds")
    listed = doors.document("round", "examples", "nli", "--state", "verified")["examples"]
    asked = doors.ask("GET", "/tasks/nli/rounds/1/examples?state=verified&limit=3")
    assert (asked["n"], asked["examples"]) == (5, listed[:3])
    one = listed[0]["uid"]
    assert doors.ask("GET", f"/tasks/nli/rounds/1/examples/{one}") == listed[0]


def test_an_export_is_the_same_file_and_comes_in_through_either_door(doors: Doors) -> None:
    put_round(doors.bench.home, by_writers(2, 1), state="closed")
    file = doors.folder / "round.json"
    doors.command("round", "export", "nli", "-o", str(file), "--format", "dynabench")
    path = "/api/v1/tasks/nli/rounds/1/export?format=dynabench"
    sent = checked(doors.api.client.get(path, headers=doors.api.headers))
    assert sent.content == file.read_bytes()
    taken = doors.document("round", "import", "nli", str(file), "--study", "one")
    assert (taken["number"], taken["examples"], taken["writers"]) == (2, 3, 2)
    answer = checked(
        doors.api.client.post(
            "/api/v1/tasks/nli/rounds/import?study=two&filename=round.json",
            headers=doors.api.headers,
            content=sent.content,
        )
    )
    assert (answer.json()["number"], answer.json()["new"]) == (3, True)


def test_bonuses_name_people_as_their_panel_does_only_where_that_is_asked(doors: Doors) -> None:
    terms = RoundTerms(bonus={"verified": 0.5}, labels=LABELS)
    put_round(doors.bench.home, by_writers(2), terms=terms)
    # People who were imported are owed nothing.
    assert doors.ask("GET", "/tasks/nli/rounds/1/bonuses")["bonuses"] == []
    file = doors.folder / "bonuses.csv"
    doors.command("round", "bonuses", "nli", "--csv", str(file))
    assert file.read_text() == ("participant,panel_id,amount,currency,verified,fooling,judged\n")


def test_what_is_not_there_is_named(doors: Doors) -> None:
    put_round(doors.bench.home, by_writers(1))
    with pytest.raises(Refused, match="no round 7"):
        doors.command("round", "show", "nli", "--round", "7")
    with pytest.raises(Refused, match="no round 7"):
        doors.ask("GET", "/tasks/nli/rounds/7")
    with pytest.raises(Refused, match="No study 'writing' is served"):
        doors.ask("POST", "/tasks/nli/rounds", {"study": "writing"})
    with pytest.raises(Refused, match="A split is one of train, dev or test; got 'tset'"):
        doors.ask("POST", "/tasks/nli/rounds/1/close", {"shares": {"tset": 1}})
    with pytest.raises(Refused, match="A split is one of train, dev, test; got 'tset'"):
        doors.command("round", "close", "nli", "--share", "tset=1")


def test_a_broken_file_is_named_with_line_and_column_at_every_door(doors: Doors) -> None:
    file = doors.folder / "broken.jsonl"
    file.write_text(json.dumps({"dialogue": "d", "seq": 1, "values": {}}) + '\n{"a": \n')
    with pytest.raises(Refused, match=r"broken\.jsonl:2:7: not JSON"):
        doors.command("round", "import", "nli", str(file))
    answer = doors.api.client.post(
        "/api/v1/tasks/nli/rounds/import?filename=broken.jsonl",
        headers=doors.api.headers,
        content=b'{"palaver": "round"}\n{"a": \n',
    )
    assert answer.status_code == 422
    assert "broken.jsonl:2:7: not JSON" in answer.json()["error"]["message"]


def test_a_command_says_what_waits_and_of_which_data_sets_runs_are_due(doors: Doors) -> None:
    for name in ("bert", "elmo"):
        doors.bench.model(name, "http://127.0.0.1:9/")
    waits = written(40, writer="w9", standing="waiting")
    put_round(doors.bench.home, [*by_writers(4, 4, 4, 4, 4), waits])

    said = doors.command("round", "show", "nli")
    assert "1 example waits to be judged; what waits counts as not verified." in said
    said = doors.command("round", "close", "nli", "--anyway", "--later")
    assert "4 runs due: nli-r1-dev and nli-r1-test" in said


def test_a_command_writes_what_a_model_said_as_shares(doors: Doors) -> None:
    said = {"label": "neutral", "prob": {"entailed": 0.125, "neutral": 0.875}}
    round_ = put_round(doors.bench.home, [written(0, answer=said)])
    (example,) = examples_of(doors, round_)
    shown = doors.command("round", "examples", "nli", "--uid", example.uid)
    assert "label neutral, prob entailed 12.5 % · neutral 87.5 %" in shown


def test_shares_that_do_not_make_a_whole_close_nothing(doors: Doors) -> None:
    put_round(doors.bench.home, by_writers(2, 2))
    with pytest.raises(Refused, match="must add up to 1; these add up to 2"):
        doors.command("round", "close", "nli", "--share", "train=2")
    with pytest.raises(Refused, match=r"must add up to 1; these add up to 0\.5"):
        doors.ask("POST", "/tasks/nli/rounds/1/close", {"shares": {"train": 0.5}})
    assert doors.document("round", "show", "nli")["state"] == "stopped"
