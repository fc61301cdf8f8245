"""Programs that speak JSON lines: those that work, hang, die and talk nonsense."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from palaver.core.errors import InputError, SystemFailureError
from palaver.core.events import END, Event

HEAD = "import json, os, sys, time\n"

COUNTING = """
seen = {}
for line in sys.stdin:
    m = json.loads(line)
    key = (m["dialogue"], m["seat"])
    if m["type"] == "start":
        seen[key] = []
    elif m["type"] == "event":
        seen[key].append(m["event"]["seq"])
    else:
        print(json.dumps({"draft": "hm"}))
        print(json.dumps({"text": f"{os.getpid()} {len(seen)} {seen[key]}"}), flush=True)
"""


def program(write: Any, text: str) -> dict[str, Any]:
    write("bot.py", HEAD + text)
    return {"kind": "command", "run": [sys.executable, "bot.py"]}


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie counts, because somebody forgot to wait for it."""
    return Path(f"/proc/{pid}").exists() if Path("/proc").exists() else _signalled(pid)


def _signalled(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def fail(table: Any, options: dict[str, Any]) -> SystemFailureError:
    system = table.build(**options)
    with pytest.raises(SystemFailureError) as failure:
        await table.answer(system, "hi")
    return failure.value


@pytest.mark.asyncio
async def test_one_process_per_dialogue_that_hears_every_event_once(table: Any, write: Any) -> None:
    system = table.build(**program(write, COUNTING))
    first, second = (table.session(system, "a", dialogue=name) for name in "ab")
    drafts: list[str] = []
    texts = [(await s.send(drafts.append))[0].data["text"] for s in (first, second)]
    first.receive(table.event(2, 1, texts[0]))
    first.receive(table.event(3, 0, "b"))
    texts.append((await first.send())[0].data["text"])
    pids = [int(text.split()[0]) for text in texts]
    assert pids[0] == pids[2] != pids[1]
    assert [text.split(maxsplit=1)[1] for text in texts] == ["1 [1]", "1 [1]", "1 [1, 2, 3]"]
    assert drafts == ["hm", "hm"]
    # The end of a dialogue ends its process; closing ends the others; nobody is left a zombie.
    first.receive(Event(seq=4, seat=None, action=END, data={}, time=0))
    await system.close()
    assert not any(alive(pid) for pid in pids)


@pytest.mark.asyncio
async def test_a_shared_process_keeps_dialogues_apart(table: Any, write: Any) -> None:
    system = table.build(**program(write, COUNTING), share=True)
    assert system.options.concurrency == 1
    sessions = [table.session(system, "x", dialogue=name) for name in "abc"]
    texts = [moves[0].data["text"] for moves in await asyncio.gather(*(s.send() for s in sessions))]
    assert len({text.split()[0] for text in texts}) == 1
    assert [text.split(maxsplit=1)[1] for text in texts] == ["1 [1]", "2 [1]", "3 [1]"]


@pytest.mark.asyncio
async def test_a_program_that_hangs_is_replaced_and_told_everything(
    table: Any, write: Any, tmp_path: Path
) -> None:
    options = program(
        write,
        """
if not os.path.exists("hung"):
    open("hung", "w").write(str(os.getpid()))
    time.sleep(60)
"""
        + COUNTING,
    )
    system = table.build(**options, timeout=1.0, retries=3)
    answer = await table.answer(system, "a", "b", "c")
    assert answer is not None
    assert answer.endswith("[1, 2, 3]")
    assert not alive(int((tmp_path / "hung").read_text()))


@pytest.mark.asyncio
async def test_a_program_that_dies_leaves_its_last_words(table: Any, write: Any) -> None:
    text = "sys.stderr.write('x' * 5000 + ' the model file is missing'); sys.exit(3)"
    failure = await fail(table, {**program(write, text), "retries": 1})
    assert (failure.kind, failure.attempts) == ("unreachable", 2)
    assert "exit code 3" in str(failure)
    assert "the model file is missing" in str(failure)
    assert len(str(failure)) < 700


@pytest.mark.parametrize(
    ("line", "kind", "attempts"),
    [
        ("nonsense", "garbage", 2),
        ('"a text"', "garbage", 2),
        ('{"words": "?"}', "garbage", 2),
        ('{"text": 5}', "garbage", 2),
        ('{"moves": [{"data": 1}]}', "garbage", 2),
        ('{"error": "no model"}', "error", 1),
    ],
)
@pytest.mark.asyncio
async def test_lines_that_are_no_answer(
    line: str, kind: str, attempts: int, table: Any, write: Any
) -> None:
    failure = await fail(
        table, {**program(write, f"print({line!r}, flush=True); sys.stdin.read()"), "retries": 1}
    )
    assert (failure.kind, failure.attempts) == (kind, attempts)


@pytest.mark.asyncio
async def test_moves_of_a_game(table: Any, write: Any) -> None:
    line = '{"moves": [{"action": "select", "data": {"item": 2}}]}'
    system = table.build(**program(write, f"print({line!r}, flush=True); sys.stdin.read()"))
    moves = await table.session(system, "hi").send()
    assert [(move.action, move.data) for move in moves] == [("select", {"item": 2})]


def test_a_program_that_is_not_there_is_found_when_building(table: Any) -> None:
    for name in ("no-such-program-anywhere", "./bot.sh"):
        with pytest.raises(InputError, match="no program"):
            table.build(kind="command", run=[name])
