"""Teams submit: terms, allowance, names, kinds; counted and recorded with the model."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.submissions import Team
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.submissions import (
    AllowanceError,
    accept_terms,
    allowance,
    check_address,
    check_endpoint,
    own_submission,
    own_submissions,
    publish_submission,
    submit_endpoint,
    submit_predictions,
    withdraw_submission,
)
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.submitters import (
    add_submitter,
    find_submitter,
    find_submitter_by_id,
    find_team,
    renew_token,
    revoke_submitter,
)
from palaver.storage.evaluation.tasks import find_task, set_task_policy
from support.databases import new_sqlite
from support.endpoints import serving
from support.runs import NOW, Bench, records

HOUR = 3600.0


@pytest.fixture
def bench(tmp_path: Path, database_url: str) -> Iterator[Bench]:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "palaver.yaml").write_text("private_endpoints: true\n")
    with open_evaluation(tmp_path / "home", database_url) as home:
        found = Bench(home, tmp_path)
        found.dataset("dev", 4)
        yield found


def join(bench: Bench, team: str = "A") -> Team:
    return bench.home.store.write_now(
        lambda c: add_submitter(c, task_id=bench.row.id, team=team, now=NOW)
    )


def decide(bench: Bench, **values: Any) -> None:
    bench.home.store.write_now(lambda c: set_task_policy(c, bench.row.id, **values))
    bench.row = bench.home.store.read_now(lambda c: find_task(c, "nli"))


def predict(
    bench: Bench, team: Team, name: str, *, now: float = NOW, count: int = 4, wrong: int = 0
) -> Any:
    file = bench.folder / f"{name}.jsonl"
    rows = [
        {"uid": each["uid"], "label": "neutral" if n < wrong else each["label"]}
        for n, each in enumerate(records(count))
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return submit_predictions(
        bench.home, team, bench.row, bench.task, name=name, files={"dev": file}, now=now
    )


def ask(bench: Bench, team: Team, name: str, url: str, *, now: float = NOW) -> Any:
    options = {"url": url, "retries": 0}
    return submit_endpoint(
        bench.home, team, bench.row, bench.task, name=name, kind="http", options=options, now=now
    )


def left(bench: Bench, team: Team, now: float = NOW) -> int:
    return bench.home.store.read_now(lambda c: allowance(c, team, bench.row, now=now)).left


def test_predictions_are_evaluated_and_unpublished_until_the_team_publishes(bench: Bench) -> None:
    team = join(bench)
    added = predict(bench, team, "ours")
    assert (added.submitter_id, added.published, len(added.runs)) == (
        team.id,
        False,
        1,
    )
    bench.work()
    store = bench.home.store
    (found,) = store.read_now(lambda c: own_submissions(c, team, bench.row))
    assert found.state == "done"
    assert found.runs[0].value == 1.0
    assert store.write_now(
        lambda c: publish_submission(c, team, bench.row, "ours", anonymous=True)
    ).published
    assert (
        store.write_now(lambda c: withdraw_submission(c, team, bench.row, "ours", now=NOW)).retired
        == NOW
    )
    again = store.read_now(lambda c: own_submission(c, team, bench.row, "ours"))
    assert (again.state, again.anonymous) == ("withdrawn", True)
    assert predict(bench, team, "ours", wrong=1).retired is None


def test_a_team_must_have_accepted_the_terms_as_they_stand(bench: Bench) -> None:
    decide(bench, terms="Be fair.")
    team = join(bench)
    with pytest.raises(AccessError, match="Accept the terms of 'nli' first"):
        predict(bench, team, "ours")
    store, digest = bench.home.store, terms_digest("Be fair.")
    store.write_now(lambda c: accept_terms(c, team, bench.row, digest=digest, now=NOW))
    accepted = store.read_now(lambda c: find_submitter_by_id(c, team.id))
    assert accepted is not None
    assert (accepted.accepted_digest, accepted.accepted_at) == (digest, NOW)
    predict(bench, accepted, "ours")
    decide(bench, terms="Be very fair.")
    with pytest.raises(AccessError, match="may have changed"):
        predict(bench, accepted, "ours", wrong=1)
    with pytest.raises(InputError, match="have changed: their digest is now"):
        store.write_now(lambda c: accept_terms(c, accepted, bench.row, digest=digest, now=NOW))


def test_so_many_submissions_in_so_many_hours(bench: Bench) -> None:
    decide(bench, most_submissions=2, submission_hours=24.0)
    team = join(bench)
    predict(bench, team, "one")
    predict(bench, team, "two", now=NOW + HOUR)
    with pytest.raises(AllowanceError, match=r"2 of 2 submissions .* in 22 h 0 min") as refused:
        predict(bench, team, "three", now=NOW + 2 * HOUR)
    assert refused.value.retry_after == 22 * HOUR
    # Another team has its own, and the first one is free again after a day.
    predict(bench, join(bench, "B"), "three", now=NOW + 2 * HOUR)
    predict(bench, team, "four", now=NOW + 24 * HOUR + 1)
    decide(bench, most_submissions=0)
    with pytest.raises(AllowanceError, match="not taking submissions now"):
        predict(bench, team, "five", now=NOW + 90 * HOUR)


def test_what_changes_nothing_uses_up_nothing(bench: Bench) -> None:
    decide(bench, most_submissions=2)
    team = join(bench)
    for _ in range(3):
        predict(bench, team, "ours")
    assert left(bench, team) == 1
    with pytest.raises(InputError, match="no answer to 'u3'"):
        predict(bench, team, "short", count=3)
    assert left(bench, team) == 1


def test_a_run_that_fails_uses_up_nothing_and_goes_on_when_submitted_again(bench: Bench) -> None:
    decide(bench, most_submissions=1)
    team = join(bench)
    with serving(lambda question: {"id": question["uid"], "label": "what"}) as endpoint:
        ask(bench, team, "ours", endpoint.url)
        assert left(bench, team) == 0
        bench.work()
        store = bench.home.store
        found = store.read_now(lambda c: own_submission(c, team, bench.row, "ours"))
        assert found.state == "failed"
        # What an endpoint sent is for the desk; its team is told what kind of failure it was.
        assert found.runs[0].reason == (
            "All of the first 3 answers were refused, so the other item was not asked."
        )
        assert left(bench, team) == 1
        endpoint.answers = lambda question: {"id": question["uid"], "label": "neutral"}
        again = ask(bench, team, "ours", endpoint.url, now=NOW + 60)
        assert (again.is_new, len(again.runs)) == (False, 1)
        bench.work()
    assert bench.states() == {("ours", "dev"): "done"}
    # The failed attempt and the good one are one submission.
    assert left(bench, team, NOW + 120) == 0


def test_a_name_belongs_to_whoever_used_it_first(bench: Bench) -> None:
    first, second = join(bench), join(bench, "B")
    predict(bench, first, "ours")
    with pytest.raises(AccessError, match="The name 'ours' is taken"):
        predict(bench, second, "ours", wrong=2)
    with serving() as endpoint:
        bench.model("house", endpoint.url)
    with pytest.raises(AccessError, match="The name 'house' is taken"):
        predict(bench, first, "house")
    with pytest.raises(InputError, match="Your team has no model 'ours'"):
        bench.home.store.write_now(lambda c: publish_submission(c, second, bench.row, "ours"))
    models = {each: run for each, run in bench.states().items() if each[0] == "ours"}
    assert len(models) == 1


def test_a_name_that_is_taken_in_between_is_refused_and_nothing_is_recorded(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = join(bench), join(bench, "B")
    predict(bench, first, "ours")
    # The look before the transaction saw no such model.
    monkeypatch.setattr(
        "palaver.evaluation.submissions.submission._is_known", lambda *arguments: False
    )
    with pytest.raises(AccessError, match="is taken"):
        predict(bench, second, "ours", wrong=1)
    store = bench.home.store
    (found,) = store.read_now(lambda c: own_submissions(c, first, bench.row))
    assert found.version == 1
    assert left(bench, second) == 3


def test_a_token_is_for_one_task(bench: Bench) -> None:
    team = replace(join(bench), task_id=bench.row.id + 1)
    with pytest.raises(AccessError, match="for another task"):
        predict(bench, team, "ours")


def test_hidden_data_sets_are_not_told_of(bench: Bench) -> None:
    bench.dataset("secret-set", 2, access="hidden")
    bench.variants("dev", "fairness", 2)
    team, file = join(bench), bench.folder / "x.jsonl"
    file.write_text("{}\n")
    with pytest.raises(InputError) as refused:
        submit_predictions(
            bench.home,
            team,
            bench.row,
            bench.task,
            name="ours",
            files={"secret-sat": file},
            now=NOW,
        )
    assert "Data sets: dev and fairness-dev" in str(refused.value)
    assert "secret-set" not in str(refused.value)
    added = predict(bench, team, "ours")
    assert (added.notes, added.outlook.covered) == ((), ("dev",))
    assert "there are no predictions for fairness-dev: hand it in, too" in added.outlook.remarks[0]
    found = bench.home.store.read_now(lambda c: own_submission(c, team, bench.row, "ours"))
    assert [run.dataset for run in found.runs] == ["dev"]


@pytest.mark.parametrize(
    ("kind", "options", "why"),
    [
        ("handler", {"handler": "a:b"}, "predictions or an endpoint of kind"),
        ("checkpoint", {"checkpoint": "/srv/model"}, "predictions or an endpoint of kind"),
        ("predictions", {}, "predictions or an endpoint of kind"),
        ("http", {}, "needs 'url'"),
        ("http", {"url": "ftp://example.org/"}, "http or https"),
        ("http", {"url": "http://[::1"}, "is not an address"),
        ("http", {"url": "http://127.0.0.1/"}, "not on a public address"),
        ("http", {"url": "http://[::ffff:10.0.0.1]/"}, "not on a public address"),
        ("http", {"url": "http://100.64.0.1/"}, "not on a public address"),
        ("http", {"url": "http://0.0.0.0/"}, "not on a public address"),
        ("torchserve", {"url": "http://localhost:8080"}, "not on a public address"),
        ("openai", {"base_url": "http://169.254.169.254/v1"}, "not on a public address"),
        ("openai", {"base_url": "https://8.8.8.8", "url": "http://10.0.0.1"}, "not on a public"),
        ("openai", {"base_url": "https://8.8.8.8", "api_key_env": "HOME"}, "names a variable"),
        ("http", {"url": "https://8.8.8.8/${HOME}"}, "is refused"),
        ("http", {"url": "https://8.8.8.8/", "request": {"a": ["${HOME}"]}}, "is refused"),
        ("http", {"url": "https://nothing.invalid/"}, "cannot be found"),
    ],
)
def test_an_endpoint_of_a_stranger_is_looked_at(
    kind: str, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        check_endpoint(kind, options)


def test_public_addresses_are_taken_and_private_ones_where_that_is_allowed() -> None:
    check_address("https://8.8.8.8/predict")
    check_endpoint("openai", {"base_url": "https://8.8.8.8", "api_key_env": None})
    check_address("http://127.0.0.1:8080/", private=True)
    check_endpoint("http", {"url": "http://[::1]/${KEY}"}, private=True, variables=True)


def test_an_address_is_looked_at_again_when_the_model_is_asked(bench: Bench) -> None:
    team = join(bench)
    with serving() as endpoint:
        ask(bench, team, "ours", endpoint.url)
        # By the time it is asked, private addresses are not allowed any more.
        strict = bench.home.settings.model_copy(update={"private_endpoints": False})
        bench.home = replace(bench.home, settings=strict)
        bench.work()
    run = bench.runs()["ours", "dev"]
    assert run.state == "failed"
    assert "is not on a public address" in run.reason
    assert endpoint.asked == {}


def test_a_stranger_does_not_hold_up_others(bench: Bench) -> None:
    team = join(bench)
    with pytest.raises(InputError, match="'timeout' of a submission must be at most 600"):
        submit_endpoint(
            bench.home,
            team,
            bench.row,
            bench.task,
            name="slow",
            kind="askbatch",
            options={"url": "http://127.0.0.1:9/", "timeout": 3600},
            now=NOW,
        )


def test_tokens_are_revoked_and_renewed(bench: Bench) -> None:
    store = bench.home.store
    made = store.write_now(lambda c: add_submitter(c, task_id=bench.row.id, team="A", now=NOW))
    assert "ps_" not in repr(made)

    def speaks_for(secret: str) -> str | None:
        found = store.read_now(lambda c: find_submitter(c, secret))
        return None if found is None else found.team

    assert speaks_for(made.token) == "A"
    assert store.write_now(lambda c: revoke_submitter(c, made.id, now=NOW))
    assert not store.write_now(lambda c: revoke_submitter(c, made.id, now=NOW))
    assert speaks_for(made.token) is None

    def renew(connection: Connection) -> str:
        return renew_token(connection, find_team(connection, bench.row.id, "A").id).token

    newer = store.write_now(renew)
    assert speaks_for(newer) == "A"
    assert speaks_for(made.token) is None
    with pytest.raises(InputError, match="already has a token for this task"):
        store.write_now(lambda c: add_submitter(c, task_id=bench.row.id, team="A", now=NOW))


def test_a_home_says_whether_private_endpoints_are_taken(tmp_path: Path) -> None:
    with open_evaluation(tmp_path, new_sqlite(tmp_path / "palaver.db")) as home:
        assert isinstance(home, EvaluationHome)
        assert not home.settings.private_endpoints
        assert home.settings.upload_megabytes == 1024


def test_a_newer_version_gives_no_submission_back(bench: Bench) -> None:
    """Else a team would see one score after another and never run out."""
    bench.dataset("test", 4)
    decide(bench, most_submissions=2)
    team = join(bench)
    with serving() as endpoint:
        ask(bench, team, "ours", endpoint.url)
        ask(bench, team, "ours", f"{endpoint.url}?newer")
    states = [each.state for each in bench.home.store.read_now(list_runs)]
    assert states == ["cancelled", "cancelled", "waiting", "waiting"]
    assert left(bench, team) == 0


def test_a_newer_data_set_does_not_make_a_submission_fail(bench: Bench) -> None:
    team = join(bench)
    with serving() as endpoint:
        ask(bench, team, "ours", endpoint.url)
        bench.dataset("dev", 5)
        store = bench.home.store
        (found,) = store.read_now(lambda c: own_submissions(c, team, bench.row))
        assert [run.items for run in found.runs] == [5]
        assert found.state == "running"
        assert left(bench, team) == 2
