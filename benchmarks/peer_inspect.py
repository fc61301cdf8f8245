"""Inspect on a file of questions, asked through its `openai-api` provider.

Runs in the environment of `make bench-peers`, where Palaver is not installed.

Run: python -m benchmarks.peer_inspect '{"url": URL, "file": FILE, "folder": FOLDER, "in_flight": N}'
"""

import json
import time
from pathlib import Path

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import exact
from inspect_ai.solver import generate

from benchmarks.peer_telling import asked, tell


def main() -> None:
    """Evaluate, and tell what it took."""
    given = asked()
    model = get_model("openai-api/stub/stub", base_url=f"{given['url']}/v1", api_key="none")
    task = Task(dataset=_questions(given["file"]), solver=generate(), scorer=exact())
    began = time.process_time()
    [log] = eval(
        task,
        model=model,
        max_connections=given["in_flight"],
        max_samples=given["in_flight"],
        temperature=0.0,
        max_tokens=16,
        display="none",
        log_dir=given["folder"],
    )
    cpu = time.process_time() - began
    if log.status != "success" or log.results is None:
        raise SystemExit(f"the evaluation ended as {log.status}: {log.error}")
    tell("inspect-ai", cpu=cpu, score=log.results.scores[0].metrics["mean"].value)


def _questions(file: str) -> MemoryDataset:
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return MemoryDataset(
        [Sample(input=each["question"], target=each["answer"]) for each in records]
    )


if __name__ == "__main__":
    main()
