"""Programs that read questions and write answers as JSON lines."""

import sys
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, SystemFailureError

pytestmark = pytest.mark.asyncio

LOOP = """
import json, os, sys
batch = []
for line in sys.stdin:
    question = json.loads(line)
    batch.append(question)
    {body}
"""


def program(build: Any, folder: Path, body: str, **options: Any) -> Any:
    (folder / "model.py").write_text(LOOP.format(body=body), encoding="utf-8")
    return build("command", run=[sys.executable, "-u", "model.py"], **options)


async def test_a_program_is_kept_running(build: Any, tmp_path: Path) -> None:
    body = 'print(json.dumps({"id": question["uid"], "n": len(batch), "x": question["x"]}))'
    predictor = program(build, tmp_path, body)

    await predictor.start()
    first = await predictor.predict([{"uid": "a", "x": "ü"}])
    second = await predictor.predict([{"uid": "b", "x": ""}])

    assert first[0].record == {"id": "a", "n": 1, "x": "ü"}
    assert second[0].record == {"id": "b", "n": 2, "x": ""}
    assert 0 < predictor.memory() < 1


async def test_a_batch_is_matched_by_id(build: Any, tmp_path: Path) -> None:
    body = """
    if len(batch) == 3:
        for each in reversed(batch):
            print(json.dumps({"id": each["uid"], "x": each["x"]}))
"""
    predictor = program(build, tmp_path, body, batch=3)

    replies = await predictor.predict([{"uid": str(n), "x": n * n} for n in range(3)])

    assert [reply.record["x"] for reply in replies] == [0, 1, 4]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('print(json.dumps({"id": "zz"}))', "answered 'zz', which was not asked"),
        ('print("no json")', "something other than JSON"),
        ("print(json.dumps([1]))", "Expected a line like"),
        (
            'print(json.dumps({"id": question["uid"], "error": "too long"}))',
            "The program says about 'a': too long",
        ),
        (
            'sys.stderr.write("no model here"); sys.exit(4)',
            "exit code 4). Its last output: no model",
        ),
    ],
)
async def test_what_a_program_does_wrong_is_named(
    build: Any, tmp_path: Path, body: str, words: str
) -> None:
    predictor = program(build, tmp_path, body, retries=0)

    with pytest.raises(SystemFailureError) as caught:
        await predictor.predict([{"uid": "a"}])

    assert words in str(caught.value)


async def test_an_id_that_comes_twice_is_named(build: Any, tmp_path: Path) -> None:
    body = """
    if len(batch) == 2:
        for each in batch:
            print(json.dumps({"id": batch[0]["uid"]}))
    """
    predictor = program(build, tmp_path, body, batch=2, retries=0, timeout=3.0)

    with pytest.raises(SystemFailureError, match="answered twice: 'a'; not answered: 'b'"):
        await predictor.predict([{"uid": "a"}, {"uid": "b"}])


async def test_a_program_that_ends_is_started_again(build: Any, tmp_path: Path) -> None:
    body = """
    if not os.path.exists("been-here"):
        open("been-here", "w").close()
        os._exit(1)
    print(json.dumps({"id": question["uid"]}))
"""
    predictor = program(build, tmp_path, body, retries=1)

    assert (await predictor.predict([{"uid": "a"}]))[0].record == {"id": "a"}


async def test_a_program_that_is_not_there(build: Any) -> None:
    with pytest.raises(InputError, match="no program 'no-such-program'"):
        build("command", run=["no-such-program"])
