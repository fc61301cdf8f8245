"""kill -9 while models are asked: what was answered is not asked again, and the scores are the same."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palaver.evaluation.home import open_evaluation
from palaver.storage.evaluation.jobs import failures_of
from support.chains import verified
from support.databases import Postgres
from support.endpoints import serving
from support.lengths import short_and_long
from support.runs import Bench

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

IN_FLIGHT = 20
# How many answers a process gets at most before it is killed, and how many of them it has stored.
GIVEN, STORED = 200, 150
EVALUATE = "from palaver.cli.evaluation.evaluate_command import command; command()"

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new database of the kind that was asked for."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'home' / 'palaver.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.new_database()


@contextmanager
def evaluating(
    bench: Bench, database: str, environment: dict[str, str]
) -> Iterator["subprocess.Popen[str]"]:
    """`palaver evaluate` in a process of its own; killed at the end of the block at the latest."""
    env = {**os.environ, **environment}
    env.pop("PALAVER_DATABASE_URL", None)
    if database.startswith("postgresql"):
        env["PALAVER_DATABASE_URL"] = database
    process = subprocess.Popen(
        [sys.executable, "-c", EVALUATE, "nli", "--home", str(bench.home.folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=env,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(timeout=60)
        if process.stdout is not None:
            process.stdout.close()


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.02)


@pytest.mark.parametrize("database", DATABASES, indirect=True)
@short_and_long("kills", 1, 6)
def test_killed_workers_ask_nothing_twice_and_change_no_score(
    tmp_path: Path, database: str, environment: dict[str, str], kills: int
) -> None:
    items = (kills + 1) * GIVEN
    with (
        serving(delay=0.05) as endpoint,
        serving() as undisturbed,
        open_evaluation(tmp_path / "home", database) as home,
    ):
        bench = Bench(home, tmp_path)
        bench.dataset("dev", items)
        bench.model("killed", endpoint.url, concurrency=IN_FLIGHT)
        killed = ("killed", "dev")
        stored: set[str] = set()
        for _ in range(kills):
            before, asked = stored, endpoint.asked.copy()
            endpoint.left = GIVEN
            with evaluating(bench, database, environment) as process:
                wait_for(lambda: len(bench.predictions(*killed)) >= len(before) + STORED, "answers")  # noqa: B023
                process.kill()
                process.wait(timeout=60)
            verified(database)
            assert all(endpoint.asked[uid] == asked[uid] for uid in before)
            stored = {each.uid for each in bench.predictions(*killed)}
            assert bench.runs()[killed].answered == len(stored)
        assert len(stored) < items
        asked = endpoint.asked.copy()
        endpoint.left = None
        with evaluating(bench, database, environment) as process:
            output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output
        run = bench.runs()[killed]
        assert (run.state, run.answered, run.refused) == ("done", items, 0)
        assert all(endpoint.asked[uid] == asked[uid] for uid in stored)
        # Asked again: what was in flight, or not stored yet, when a process died.
        again = sum(count - 1 for count in endpoint.asked.values())
        assert set(endpoint.asked) == {f"u{n}" for n in range(items)}
        assert again <= kills * (GIVEN - STORED + IN_FLIGHT)
        job = bench.jobs(*killed)[0]
        reasons = home.store.read_now(lambda c: failures_of(c, [job.id]))
        assert len(reasons) == kills
        assert all("has ended" in each.reason for each in reasons)
        bench.model("undisturbed", undisturbed.url)
        bench.work()
        mine, theirs = bench.scores(*killed), bench.scores("undisturbed", "dev")
        for metric in ("accuracy", "macro_f1"):
            known = [
                (each.value, each.low, each.high, each.n) for each in (mine[metric], theirs[metric])
            ]
            assert known[0] == known[1]
        assert verified(database).kinds["audit"] >= 2


@pytest.mark.postgres
def test_two_processes_share_the_jobs_and_one_takes_over_from_the_other(
    tmp_path: Path, postgres: Postgres, environment: dict[str, str]
) -> None:
    database = postgres.new_database()
    with serving() as endpoint, open_evaluation(tmp_path / "home", database) as home:
        bench = Bench(home, tmp_path)
        bench.dataset("dev", 300)
        for n in range(6):
            bench.model(f"m{n}", endpoint.url, concurrency=4)
        endpoint.left = 200
        with (
            evaluating(bench, database, environment) as first,
            evaluating(bench, database, environment) as second,
        ):
            wait_for(lambda: len(_holders(bench)) == 2, "both have jobs")
            wait_for(lambda: _stored(bench) == 200, "what was answered is stored")
            first.kill()
            first.wait(timeout=60)
            endpoint.left = None
            output, _ = second.communicate(timeout=120)
        assert second.returncode == 0, output
        assert set(bench.states().values()) == {"done"}
        for n in range(6):
            assert len(bench.predictions(f"m{n}", "dev")) == 300
        again = sum(count - 6 for count in endpoint.asked.values())
        # Asked again: what the first had in flight, four calls for each of its four jobs.
        assert 0 <= again <= 4 * 4


def _stored(bench: Bench) -> int:
    """How many answers are stored, of all models."""
    return sum(len(bench.predictions(*names)) for names in bench.runs())


def _holders(bench: Bench) -> set[str | None]:
    """Who holds jobs now."""
    running = [job for names in bench.runs() for job in bench.jobs(*names)]
    return {job.holder for job in running if job.state == "running"}


UPLOAD = """
import sys, time
from pathlib import Path
from palaver.evaluation.home import open_evaluation
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.tasks import find_task, stored_task

with open_evaluation(Path(sys.argv[1]), sys.argv[2]) as home:
    row = home.store.read_now(lambda c: find_task(c, "nli"))
    for n in range(int(sys.argv[4]), 100_000):
        content = Path(sys.argv[3]).read_bytes()
        add_predictions(
            home, row, stored_task(row), name=f"m{n}", files={"dev": content}, now=time.time()
        )
        print(n, flush=True)
"""


@pytest.mark.parametrize("database", DATABASES, indirect=True)
@short_and_long("kills", 1, 40)
def test_an_upload_and_its_scores_are_both_there_or_neither(
    tmp_path: Path, database: str, environment: dict[str, str], kills: int
) -> None:
    file = tmp_path / "answers.jsonl"
    with open_evaluation(tmp_path / "home", database) as home:
        bench = Bench(home, tmp_path)
        bench.dataset("dev", 50)
        lines = (f'{{"uid": "u{n}", "label": "neutral"}}\n' for n in range(50))
        file.write_text("".join(lines), encoding="utf-8")
        told: list[int] = []
        for kill in range(kills):
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    UPLOAD,
                    str(bench.home.folder),
                    database,
                    str(file),
                    str(told[-1] + 2 if told else 0),
                ],
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, **environment},
            )
            assert process.stdout is not None
            # Killed in the middle of the next upload, at another place each time.
            told += [int(process.stdout.readline()) for _ in range(2 + kill % 3)]
            time.sleep(0.002 * (kill % 7))
            process.kill()
            process.wait(timeout=60)
            process.stdout.close()
        runs = bench.runs()
        assert {f"m{n}" for n in told} <= {model for model, _ in runs}
        assert {(run.state, run.answered) for run in runs.values()} == {("done", 50)}
        for model, dataset in runs:
            assert bench.scores(model, dataset)["accuracy"].value == 17 / 50
        bench.work()
        verified(database)
