"""What is decided about a model is the same through every door, and is refused in the same words."""

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest

from palaver.core.evaluation.models import Model
from palaver.evaluation.models.decisions import (
    MOST_ABOUT,
    MOST_LINK,
    MOST_TAG,
    MOST_TAGS,
    retire_model,
)
from palaver.evaluation.models.views import find_task_model, task_models
from palaver.evaluation.submissions import add_team, submit_predictions
from support.doors import Doors, Refused, checked
from support.runs import NOW, records

Act = Callable[[Doors, str, str], None]
Tell = Callable[[Doors, dict[str, Any]], None]

COMMANDS = {
    "publish": ["publish"],
    "anonymous": ["publish", "--anonymous"],
    "unpublish": ["unpublish"],
    "retire": ["retire"],
    "restore": ["restore"],
}
PATCHES = {
    "publish": {"published": True},
    "anonymous": {"published": True, "anonymous": True},
    "unpublish": {"published": False},
    "retire": {"retired": True},
    "restore": {"retired": False},
}


def by_command(doors: Doors, act: str, name: str) -> None:
    verb, *options = COMMANDS[act]
    doors.command("model", verb, "nli", name, *options)


def by_api(doors: Doors, act: str, name: str) -> None:
    doors.ask("PATCH", f"/tasks/nli/models/{name}", PATCHES[act])


def by_desk(doors: Doors, act: str, name: str) -> None:
    doors.send(f"/desk/tasks/nli/models/{name}/{act}", on="/desk/sign-in")


def by_team(doors: Doors, act: str, name: str) -> None:
    """With the token of the team."""
    if act == "retire":
        doors.ask_as_team("POST", f"/submissions/models/{name}/withdrawal")
    else:
        doors.ask_as_team("POST", f"/submissions/models/{name}/publication", json=PATCHES[act])


def by_page(doors: Doors, act: str, name: str) -> None:
    """On the page of the team."""
    words = {"unpublish": "hide", "retire": "withdraw"}
    fields = {"anonymous": "yes"} if act == "anonymous" else {}
    doors.send_as_team(f"/submissions/{name}/{words.get(act, 'publish')}", **fields)


of_owners = pytest.mark.parametrize("act", [by_command, by_api, by_desk])
of_teams = pytest.mark.parametrize("act", [by_team, by_page])
every_door = pytest.mark.parametrize("act", [by_command, by_api, by_desk, by_team, by_page])


@pytest.fixture
def ours(doors: Doors) -> Model:
    """A model of Team A, unpublished, with a run that waits."""
    doors.bench.dataset("dev", 4)
    team = doors.desk.store.write_now(
        lambda c: add_team(c, doors.bench.row, team="Team A", now=NOW)
    )
    doors.token = team.token
    file = doors.folder / "ours.jsonl"
    file.write_bytes(answers())
    home, row, task = doors.bench.home, doors.bench.row, doors.bench.task
    submit_predictions(home, team, row, task, name="ours", files={"dev": file}, now=NOW)
    return model(doors)


@every_door
def test_who_publishes_shows_the_team_unless_that_is_said(
    doors: Doors, ours: Model, act: Act
) -> None:
    assert ours.standing == "unpublished"
    for wanted, standing in [
        ("anonymous", "anonymous"),
        ("publish", "published"),
        ("anonymous", "anonymous"),
        ("unpublish", "unpublished"),
        ("publish", "published"),
    ]:
        act(doors, wanted, ours.key)
        assert (wanted, model(doors).standing) == (wanted, standing)


@every_door
def test_a_model_that_is_retired_keeps_its_first_date(doors: Doors, ours: Model, act: Act) -> None:
    act(doors, "retire", ours.key)
    assert model(doors).standing == "retired"
    doors.command("model", "restore", "nli", "ours")
    doors.desk.store.write_now(lambda c: retire_model(c, doors.bench.row, "ours", now=NOW - 5.0))
    act(doors, "retire", ours.key)
    assert model(doors).retired == NOW - 5.0


@of_owners
def test_a_model_that_is_restored_is_evaluated_on_what_it_missed(doors: Doors, act: Act) -> None:
    doors.bench.dataset("dev", 4)
    doors.bench.model("mod", "http://127.0.0.1:9/")
    key = model(doors, "mod").key
    act(doors, "restore", key)
    assert doors.bench.states() == {("mod", "dev"): "waiting"}
    act(doors, "retire", key)
    doors.bench.dataset("late", 4)
    assert ("mod", "late") not in doors.bench.states()
    act(doors, "restore", key)
    assert doors.bench.states() == {("mod", "dev"): "waiting", ("mod", "late"): "waiting"}
    assert (model(doors, "mod").retired, model(doors, "mod").runs) == (None, {"waiting": 2})


@of_owners
@pytest.mark.usefixtures("ours")
def test_a_model_that_is_not_there_is_named_with_what_is_near(doors: Doors, act: Act) -> None:
    for wanted in COMMANDS:
        with pytest.raises(Refused, match=r"No model 'ouse' is stored here\. Near: 'ours'"):
            act(doors, wanted, "ouse")


@of_teams
@pytest.mark.usefixtures("ours")
def test_a_team_decides_about_its_own_models_alone(doors: Doors, act: Act) -> None:
    doors.bench.model("theirs", "http://127.0.0.1:9/")
    for wanted in ("publish", "anonymous", "unpublish", "retire"):
        with pytest.raises(Refused, match="Your team has no model 'theirs' here"):
            act(doors, wanted, "theirs")
    assert model(doors, "theirs").standing == "unpublished"


def tell_by_command(doors: Doors, told: dict[str, Any]) -> None:
    file = doors.folder / "new.jsonl"
    file.write_bytes(answers())
    words = ["--predictions", f"dev={file}", "--later"]
    words += [word for tag in told.get("tags", ()) for word in ("--tag", tag)]
    words += [
        word for name in ("about", "link") if name in told for word in (f"--{name}", told[name])
    ]
    doors.command("model", "add", "nli", "new", *words)


def tell_by_api(doors: Doors, told: dict[str, Any]) -> None:
    caller = doors.api
    path = "/api/v1/tasks/nli/models/new/predictions"
    checked(caller.client.post(path, headers=caller.headers, **form(told)))


def tell_by_change(doors: Doors, told: dict[str, Any]) -> None:
    doors.bench.model("new", "http://127.0.0.1:9/")
    doors.ask("PATCH", "/tasks/nli/models/new", told)


def tell_by_team(doors: Doors, told: dict[str, Any]) -> None:
    doors.ask_as_team("POST", "/submissions/predictions", **form(told, name="new"))


def tell_by_page(doors: Doors, told: dict[str, Any]) -> None:
    typed = {**told, "tags": ", ".join(told.get("tags", ()))}
    files = {"file:dev": ("dev.jsonl", answers())}
    doors.send_as_team("/submit", files=files, name="new", kind="http", url="", **typed)


every_telling = pytest.mark.parametrize(
    "tell", [tell_by_command, tell_by_api, tell_by_change, tell_by_team, tell_by_page]
)


@every_telling
@pytest.mark.usefixtures("ours")
def test_what_is_told_about_a_model_is_stored(doors: Doors, tell: Tell) -> None:
    told = {
        "about": "a" * MOST_ABOUT,
        "link": "https://x.org/".ljust(MOST_LINK, "x"),
        "tags": ["t" * MOST_TAG, "small"],
    }
    tell(doors, told)
    found = model(doors, "new")
    assert {"about": found.about, "link": found.link, "tags": list(found.tags)} == told


@every_telling
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"link": "javascript:alert(1)"},
            "A link begins with https:// or http://; got 'javascript:alert(1)'.",
        ),
        (
            {"link": "https://x.org/".ljust(MOST_LINK + 1, "x")},
            f"A link has at most {MOST_LINK} characters; got {MOST_LINK + 1}.",
        ),
        (
            {"about": "a" * (MOST_ABOUT + 1)},
            f"'about' has at most {MOST_ABOUT:,} characters; got {MOST_ABOUT + 1:,}. Put "
            "the rest behind the link.",
        ),
        (
            {"tags": [f"t{n}" for n in range(MOST_TAGS + 1)]},
            f"A model has at most {MOST_TAGS} tags; got {MOST_TAGS + 1}.",
        ),
        (
            {"tags": ["t" * (MOST_TAG + 1)]},
            f"A tag has 1 to {MOST_TAG} characters; got '{'t' * (MOST_TAG + 1)}'.",
        ),
    ],
)
@pytest.mark.usefixtures("ours")
def test_what_cannot_be_told_is_refused_in_the_same_words(
    doors: Doors, tell: Tell, wrong: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refused) as refused:
        tell(doors, wrong)
    assert str(refused.value) == said
    found = doors.desk.store.read_now(lambda c: task_models(c, doors.bench.row))
    assert [(each.about, each.link, each.tags) for each in found if each.name == "new"] in (
        [],
        [("", "", ())],
    )


def test_keys_are_hidden_in_the_same_way_wherever_options_are_shown(
    doors: Doors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "k")
    doors.bench.dataset("dev", 4)
    doors.bench.model(
        "mod",
        "http://ann:s3cr3t@127.0.0.1:9/",
        headers={"X-Api-Key": "s3cr3t", "Authorization": "Bearer ${KEY}", "X-Kind": "nli"},
        secret="s3cr3t",
    )
    shown = doors.ask("GET", "/tasks/nli/models/mod")["options"]
    assert shown["url"] == "http://…@127.0.0.1:9/"
    assert shown["secret"] == "…"
    assert shown["headers"] == {
        "X-Api-Key": "…",
        "Authorization": "Bearer ${KEY}",
        "X-Kind": "nli",
    }
    assert doors.document("model", "show", "nli", "mod")["options"] == shown
    page = doors.desk.client.get("/desk/tasks/nli/models/mod").text
    found = re.search(r"<summary>How it is reached</summary>.*?<pre[^>]*>(.*?)</pre>", page, re.S)
    assert found is not None
    assert json.loads(unescape(found.group(1))) == shown
    added = doors.document("model", "add", "nli", "mod", "--url", "http://127.0.0.1:9/",
                           "--kind", "http", "--option", "secret=s3cr3t", "--later")  # fmt: skip
    assert added["options"]["secret"] == "…"


def model(doors: Doors, name: str = "ours") -> Model:
    return doors.desk.store.read_now(lambda c: find_task_model(c, doors.bench.row, name))


def answers() -> bytes:
    rows = [{"uid": each["uid"], "label": each["label"]} for each in records(4)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def form(told: dict[str, Any], **words: str) -> dict[str, Any]:
    data = {key: value for key, value in told.items() if key != "tags"}
    return {
        "data": {**data, "tag": list(told.get("tags", ())), **words},
        "files": {"dev": ("dev.jsonl", answers())},
    }
