"""What changes a task comes to the same through every door, and is refused in the same words."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from palaver.evaluation.tasks.stored import MOST_HOURS, MOST_SUBMISSIONS, MOST_TERMS
from palaver.storage.evaluation.tasks import find_task
from support.doors import Doors, Refused
from support.endpoints import serving

SETTINGS = "/desk/tasks/nli/settings"
TASK_FILE = """\
name: mood
title: Which mood
input:
  - {name: text, type: string}
  - {name: label, type: multiclass, labels: [good, bad]}
output: [label]
perf_metric: accuracy
"""

SetPolicy = Callable[[Doors, dict[str, Any]], None]


def by_command(doors: Doors, wanted: dict[str, Any]) -> None:
    words = ["--public" if wanted["public"] else "--private"]
    terms = doors.folder / "terms.md"
    terms.write_text(wanted["terms"], encoding="utf-8", newline="")
    words += ["--terms", str(terms)]
    words += ["--submissions", str(wanted["most_submissions"])]
    words += ["--hours", str(wanted["submission_hours"])]
    doors.command("task", "set", "nli", *words)


def by_api(doors: Doors, wanted: dict[str, Any]) -> None:
    doors.ask("PATCH", "/tasks/nli/policy", wanted)


def by_desk(doors: Doors, wanted: dict[str, Any]) -> None:
    typed = {key: str(value) for key, value in wanted.items()}
    typed["public"] = "yes" if wanted["public"] else "no"
    doors.send(f"{SETTINGS}/policy", on=SETTINGS, **typed)


every_door = pytest.mark.parametrize("set_policy", [by_command, by_api, by_desk])


def policy(doors: Doors) -> dict[str, Any]:
    row = doors.desk.store.read_now(lambda c: find_task(c, "nli"))
    return {
        "public": row.public,
        "terms": row.terms,
        "most_submissions": row.most_submissions,
        "submission_hours": row.submission_hours,
    }


def wanted(**changed: Any) -> dict[str, Any]:
    return {
        "public": True,
        "terms": "Be fair.",
        "most_submissions": 7,
        "submission_hours": 1.5,
        **changed,
    }


@every_door
@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"most_submissions": 0, "submission_hours": 0.01, "terms": ""},
        {
            "most_submissions": MOST_SUBMISSIONS,
            "submission_hours": float(MOST_HOURS),
            "terms": "x" * MOST_TERMS,
        },
    ],
)
def test_every_door_stores_the_same_policy(
    doors: Doors, set_policy: SetPolicy, limits: dict[str, Any]
) -> None:
    set_policy(doors, wanted(**limits))
    assert policy(doors) == wanted(**limits)


@every_door
def test_terms_read_the_same_whatever_door_they_came_through(
    doors: Doors, set_policy: SetPolicy
) -> None:
    set_policy(doors, wanted(terms="Be fair.\r\nAnd quick.\r\n"))
    assert policy(doors)["terms"] == "Be fair.\nAnd quick."


@every_door
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"most_submissions": MOST_SUBMISSIONS + 1},
            "Submissions are a whole number from 0 to 1,000,000; got '1000001'.",
        ),
        (
            {"most_submissions": -1},
            "Submissions are a whole number from 0 to 1,000,000; got '-1'.",
        ),
        (
            {"submission_hours": 0.0},
            "Hours are a number above 0, at most 1,000,000; got '0.0'.",
        ),
        (
            {"submission_hours": 1_000_000.5},
            "Hours are a number above 0, at most 1,000,000; got '1000000.5'.",
        ),
        (
            {"terms": "x" * (MOST_TERMS + 1)},
            "Terms have at most 100,000 characters; got 100,001.",
        ),
    ],
)
def test_every_door_refuses_what_is_beyond_a_limit_in_the_same_words(
    doors: Doors, set_policy: SetPolicy, wrong: dict[str, Any], said: str
) -> None:
    before = policy(doors)
    with pytest.raises(Refused) as refused:
        set_policy(doors, wanted(**wrong))
    assert str(refused.value) == said
    assert policy(doors) == before


def test_the_desk_saves_whatever_another_door_has_stored(doors: Doors) -> None:
    stored = wanted(
        most_submissions=MOST_SUBMISSIONS, submission_hours=0.012345678, terms="x" * MOST_TERMS
    )
    by_api(doors, stored)
    page = doors.desk.client.get(SETTINGS).text
    shown = {
        name: re.search(rf'name="{name}"[^>]* value="([^"]*)"', page)
        for name in ("most_submissions", "submission_hours")
    }
    typed = {name: found.group(1) for name, found in shown.items() if found}
    assert f'maxlength="{MOST_TERMS}"' in page
    assert f'max="{MOST_SUBMISSIONS}"' in page
    doors.send(f"{SETTINGS}/policy", on=SETTINGS, public="yes", terms=stored["terms"], **typed)
    assert policy(doors) == stored


def add_by_command(doors: Doors, text: str) -> dict[str, Any]:
    file = doors.folder / "task.yaml"
    file.write_text(text, encoding="utf-8")
    told = doors.document("task", "add", str(file))
    return {"state": told["state"], "changed": told["changed"]}


def add_by_api(doors: Doors, text: str) -> dict[str, Any]:
    answer = doors.api.client.request(
        "POST", "/api/v1/tasks", headers=doors.api.headers, content=text.encode()
    )
    told = answer.json()
    if answer.status_code >= 400:
        raise Refused(told["error"]["message"])
    assert answer.status_code == (201 if told["state"] == "new" else 200)
    return {"state": told["state"], "changed": told["changed"]}


AddTask = Callable[[Doors, str], dict[str, Any]]


@pytest.mark.parametrize("add", [add_by_command, add_by_api])
def test_a_task_is_added_and_worded_anew_until_models_were_evaluated(
    doors: Doors, add: AddTask, tmp_path: Path
) -> None:
    assert add(doors, TASK_FILE)["state"] == "new"
    assert add(doors, TASK_FILE) == {"state": "same", "changed": []}
    reworded = TASK_FILE.replace("Which mood", "The mood")
    assert add(doors, reworded) == {"state": "changed", "changed": ["title"]}
    data = tmp_path / "dev.jsonl"
    data.write_text('{"uid": "1", "text": "Fine.", "label": "good"}\n', encoding="utf-8")
    with serving() as endpoint:
        doors.command("dataset", "add", "mood", "dev", str(data))
        doors.command("model", "add", "mood", "m", "--url", endpoint.url, "--later")
    with pytest.raises(
        Refused, match="Task 'mood' has been evaluated, so perf_metric can no longer change"
    ):
        add(doors, TASK_FILE.replace("accuracy", "macro_f1"))


def test_a_built_in_task_is_stored_once(doors: Doors) -> None:
    assert doors.ask("PUT", "/tasks/qa/builtin", None)["state"] == "new"
    assert doors.ask("PUT", "/tasks/qa/builtin", None)["state"] == "same"
    with pytest.raises(Refused, match=r"No task 'qq' is built in\. Near: 'qa'"):
        doors.ask("PUT", "/tasks/qq/builtin", None)
    with pytest.raises(Refused, match=r"No task 'qq' is stored here or built in\. Near: 'qa'"):
        doors.command("task", "set", "qq", "--public")
