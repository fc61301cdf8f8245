"""`palaver serve` on a home without a study: it scans, evaluates, and goes on after a crash."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from palaver.core.evaluation.runs import TaskStatus
from palaver.evaluation.runs.results import task_status
from palaver.storage import Store
from palaver.storage.evaluation.predictions import read_predictions
from palaver.storage.evaluation.tasks import find_task
from support.endpoints import serving
from support.runs import records
from support.serving import start_server

OWN_TASK = """
name: mine
title: Mine
input:
  - {name: text, type: string}
  - {name: label, type: multiclass, labels: ["yes", "no"]}
output:
  - label
perf_metric: accuracy
"""


def write_lines(file: Path, rows: list[dict[str, Any]]) -> None:
    """Rows as JSON lines."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def palaver(*arguments: str) -> None:
    """A command, run to its end."""
    subprocess.run(
        [sys.executable, "-m", "palaver", *arguments], check=True, stdout=subprocess.DEVNULL
    )


def status(url: str, task: str) -> TaskStatus:
    """How far the runs of a task are."""
    store = Store(url)
    try:
        return store.read_now(lambda c: task_status(c, find_task(c, task)))
    finally:
        store.close()


def states(url: str) -> dict[tuple[str, str], str]:
    """The state of every run of the task nli."""
    return {(each.model, each.dataset): each.state for each in status(url, "nli").runs}


def stored_uids(url: str) -> list[str]:
    """The items whose answers are stored, of the first two runs."""
    store = Store(url)
    try:
        return store.read_now(
            lambda c: [each.uid for run in (1, 2) for each in read_predictions(c, run)]
        )
    finally:
        store.close()


def wait_for(found: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline, "it did not come about in a minute"
        time.sleep(0.2)


def test_a_home_is_scanned_evaluated_and_taken_up_again_after_a_crash(tmp_path: Path) -> None:
    home = tmp_path / "home"
    url = f"sqlite:///{home / 'palaver.db'}"
    items = records(40)
    write_lines(home / "sets/nli/dev.jsonl", items)
    variants = [{**each, "uid": f"{each['uid']}_x", "input_id": each["uid"]} for each in items]
    write_lines(home / "sets/nli/fairness-dev.jsonl", variants)
    write_lines(home / "sets/nli/broken.jsonl", [{**items[0], "label": "perhaps"}])
    write_lines(home / "sets/mine/own.jsonl", [{"uid": "1", "text": "t", "label": "yes"}])
    (home / "mine.yaml").write_text(OWN_TASK, encoding="utf-8")
    (home / "palaver.yaml").write_text("datasets: sets\ntasks: [mine.yaml]\n", encoding="utf-8")
    with serving() as endpoint:
        endpoint.left = 30
        options = ("--kind", "http", "--url", endpoint.url, "--option", "concurrency=2")
        palaver("model", "add", "nli", "stub", *options, "--later", "--home", str(home))
        server = start_server(home, home=home)
        try:
            wait_for(lambda: bool(stored_uids(url)))
            server.kill()
            stored = stored_uids(url)
            endpoint.left = None
            server = start_server(home, home=home)
            both = {("stub", "dev"): "done", ("stub", "fairness-dev"): "done"}
            wait_for(lambda: states(url) == both)
            # What is added while it serves is evaluated by the server, too.
            write_lines(tmp_path / "more.jsonl", records(5, start=100))
            added = ("dataset", "add", "nli", "more", str(tmp_path / "more.jsonl"))
            palaver(*added, "--later", "--home", str(home))
            wait_for(lambda: states(url).get(("stub", "more")) == "done")
        finally:
            server.stop()
        told = (
            (home / "serve.log").read_text() if (home / "serve.log").exists() else server.output()
        )
    assert [each.dataset for each in status(url, "mine").runs] == []
    assert "broken.jsonl" in told
    assert "perhaps" in told
    # What was stored at the crash was not asked again.
    assert stored
    assert {endpoint.asked[uid] for uid in stored} == {1}


def test_wrong_settings_are_told_and_stop_nothing_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "palaver.yaml").write_text("objekts: here\n", encoding="utf-8")
    server = start_server(home, home=home)
    try:
        wait_for(lambda: "evaluation_not_started" in server.output())
        assert "objekts" in server.output()
        assert server.process.poll() is None
    finally:
        server.stop()
