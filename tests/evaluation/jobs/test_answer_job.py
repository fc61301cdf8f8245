"""What a run keeps and measures while it is answered: memory, images, uploads, a lost lease."""

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import LeaseLostError
from palaver.core.evaluation.runs import Job, Prediction
from palaver.evaluation.datasets import add_dataset
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.answer_job import AT_ONCE, Keeper
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.models.uploads import add_predictions
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.storage.evaluation.jobs import cancel_jobs, claim
from support.endpoints import LABELS, Question, serving
from support.runs import NOW, Bench

HANDLER = """
import time

class Handler:
    def answer(self, question):
        time.sleep(0.05)
        return {"id": question["uid"], "label": "neutral"}
"""


def test_memory_is_sampled_where_it_can_be_measured(local_bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "handler.py").write_text(HANDLER, encoding="utf-8")
    local_bench.dataset("dev", 5)
    add_model(
        local_bench.home,
        local_bench.row,
        local_bench.task,
        name="own",
        kind="handler",
        options={"handler": "handler:Handler", "process": True},
        folder=folder,
        now=NOW,
    )
    local_bench.work()
    run = local_bench.runs()["own", "dev"]
    assert run.state == "done"
    assert len(run.memory) >= 2
    assert all(0.005 < each < 2 for each in run.memory)
    assert run.start_seconds > 0
    assert run.busy_seconds >= 5 * 0.05


def test_a_model_is_sent_the_bytes_of_an_image(local_home: EvaluationHome, tmp_path: Path) -> None:
    seen: list[Question] = []

    def answers(question: Question) -> Any:
        seen.append(question)
        return {"id": question["uid"], "answer": "a cat"}

    row = local_home.store.write_now(lambda c: ensure_task(c, "vqa", now=NOW))
    task = stored_task(row)
    (tmp_path / "cat.png").write_bytes(b"\x89PNG cat")
    item = {"uid": "q1", "image": "cat.png", "question": "What is it?", "answer": ["a cat"]}
    file = tmp_path / "images.jsonl"
    file.write_text(json.dumps(item) + "\n", encoding="utf-8")
    add_dataset(local_home, row, task, name="images", source=str(file), now=NOW)
    with serving(answers) as endpoint:
        options = {"url": endpoint.url}
        add_model(local_home, row, task, name="m", kind="http", options=options, now=NOW)
        bench = Bench(local_home, tmp_path)
        bench.row = row
        bench.work()
    assert bench.states() == {("m", "images"): "done"}
    assert base64.b64decode(seen[0]["image"]) == b"\x89PNG cat"


def test_uploaded_predictions_are_taken_from_their_file(local_bench: Bench, tmp_path: Path) -> None:
    local_bench.dataset("dev", 6)
    file = tmp_path / "answers.jsonl"
    lines = [json.dumps({"uid": f"u{n}", "label": LABELS[n % 3]}) for n in range(6)]
    file.write_text("\n".join(lines), encoding="utf-8")
    add_predictions(
        local_bench.home,
        local_bench.row,
        local_bench.task,
        name="file",
        files={"dev": file},
        now=NOW,
    )
    local_bench.work()
    assert local_bench.states() == {("file", "dev"): "done"}
    assert local_bench.scores("file", "dev")["accuracy"].value == 1


def claimed(bench: Bench) -> Job:
    bench.dataset("dev", 3)
    bench.model("stub", "http://127.0.0.1:9/")
    job = bench.home.store.write_now(lambda c: claim(c, "me", kinds=["answer"], now=NOW))
    assert job is not None
    return job


def answer(position: int, *, problem: str | None = None) -> Prediction:
    label = None if problem else {"label": "neutral"}
    return Prediction(
        position=position, uid=f"u{position}", answer=label, problem=problem, seconds=0.1
    )


def test_answers_and_counters_are_stored_together(bench: Bench) -> None:
    job = claimed(bench)

    async def work() -> None:
        keeper = Keeper(bench.home, job, busy=lambda: 0.5)
        await keeper.take([answer(n) for n in range(AT_ONCE)])
        await keeper.take([answer(AT_ONCE, problem="no label")])
        await keeper.flush()

    asyncio.run(work())
    run = bench.runs()["stub", "dev"]
    assert (run.answered, run.refused) == (AT_ONCE, 1)
    # So many commits, so often the seconds were asked for.
    assert run.busy_seconds in (0.5 * n for n in (2, 3))
    kept = bench.predictions("stub", "dev")
    assert [each.position for each in kept] == list(range(AT_ONCE + 1))
    assert kept[-1].problem == "no label"


def test_nothing_is_stored_for_a_job_that_was_cancelled(bench: Bench) -> None:
    job = claimed(bench)
    bench.home.store.write_now(lambda c: cancel_jobs(c, job.run_id, now=NOW))

    async def work() -> None:
        keeper = Keeper(bench.home, job, busy=lambda: 0.0)
        await keeper.take([answer(0)])
        with pytest.raises(LeaseLostError):
            await keeper.flush()
        with pytest.raises(LeaseLostError):
            await keeper.take([answer(1)])
        await keeper.close()

    asyncio.run(work())
    assert bench.predictions("stub", "dev") == []
    assert bench.runs()["stub", "dev"].answered == 0
