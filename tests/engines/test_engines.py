"""Every engine gives every result once, whatever happens to its workers."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from palaver.core.errors import InputError, UnknownNameError
from palaver.engines.registry import open_engine
from support.clusters import TESTS, Cluster, dask_cluster, ray_cluster
from support.engine_work import HELD, PIECES, die_once, refuse, square
from support.serving import free_port

CLUSTERS = [pytest.param(dask_cluster, id="dask"), pytest.param(ray_cluster, id="ray")]


async def mapped(engine: str, work: Callable[[int], int], count: int, **options: int) -> list[int]:
    """The results in the order of the pieces."""
    opened = open_engine(engine)
    try:
        found = {n: value async for n, value in opened.map(work, range(count), **options)}
    finally:
        await opened.close()
    return [found[n] for n in range(count)]


def test_the_local_engine_gives_each_piece_its_result() -> None:
    assert asyncio.run(mapped("local", square, 100)) == [n * n for n in range(100)]
    assert asyncio.run(mapped("local://2", square, 0)) == []


def test_processes_give_each_piece_its_result_and_raise_as_it_is() -> None:
    assert asyncio.run(mapped("processes://2", square, 20)) == [n * n for n in range(20)]
    with pytest.raises(ValueError, match="three is refused"):
        asyncio.run(mapped("processes://2", refuse, 10))


def test_a_process_that_dies_costs_no_result(tmp_path: Path) -> None:
    async def run() -> list[int]:
        opened = open_engine("processes://2")
        try:
            pieces = [(n, str(tmp_path)) for n in range(6)]
            found = {n: value async for n, value in opened.map(die_once, pieces)}
        finally:
            await opened.close()
        return [found[n] for n in range(6)]

    assert asyncio.run(run()) == [n * n for n in range(6)]
    assert (tmp_path / "died").exists()


def test_no_more_pieces_are_under_way_than_asked_for() -> None:
    running, most = 0, 0
    lock = threading.Lock()
    gate = threading.Event()

    def work(number: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        gate.wait(0.01)
        with lock:
            running -= 1
        return number

    assert asyncio.run(mapped("local://8", work, 20, in_flight=3)) == list(range(20))
    assert 1 <= most <= 3


def test_pieces_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def pieces() -> object:
        for number in range(1000):
            taken.append(number)
            yield number

    async def first() -> int:
        opened = open_engine("local://1")
        found = opened.map(square, pieces(), in_flight=2)  # type: ignore[arg-type]
        number, _ = await anext(found)
        await found.aclose()  # type: ignore[attr-defined]
        await opened.close()
        return number

    asyncio.run(first())
    assert len(taken) < 10


def test_an_error_of_the_work_is_raised_as_it_is() -> None:
    with pytest.raises(ValueError, match="three is refused"):
        asyncio.run(mapped("local", refuse, 10))


def test_an_unknown_engine_names_what_is_near() -> None:
    with pytest.raises(UnknownNameError, match="Near: 'dask'"):
        open_engine("dusk://here:1")


def test_a_scheduler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palaver.engines.dask.CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="No Dask scheduler answers"):
        asyncio.run(mapped(f"dask://127.0.0.1:{free_port()}", square, 1))
    with pytest.raises(InputError, match="dask://HOST:8786"):
        open_engine("dask://")


@pytest.mark.faults
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "start",
    # On Ray a run of models loses a node in tests/flows/test_evaluation_clusters.py.
    [CLUSTERS[0], pytest.param(ray_cluster, id="ray", marks=pytest.mark.long)],
)
def test_a_node_that_dies_in_mid_run_costs_no_result(
    start: Callable[[], AbstractContextManager[Cluster]], tmp_path: Path
) -> None:
    with start() as cluster:
        environment = {**os.environ, "PYTHONPATH": str(TESTS), **cluster.environment}
        driver = subprocess.Popen(
            [sys.executable, "-m", "support.engine_work", cluster.engine, str(tmp_path)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        # Each node works on one piece at a time: with two held at once, both are at work.
        while len(held_starts(tmp_path)) < 2 and driver.poll() is None:
            time.sleep(0.05)
        assert driver.poll() is None, "it was to lose a node in mid-run"
        cluster.kill_node()
        (tmp_path / "go").touch()
        told, _ = driver.communicate(timeout=150)
        assert driver.returncode == 0
    assert told.splitlines()[-1] == str([n * n for n in range(PIECES)])
    again = [n for n in range(HELD, PIECES) if len(starts(tmp_path, n)) > 1]
    assert again, "the node died while it worked, so a piece was worked on again"


def starts(folder: Path, number: int) -> list[str]:
    """The processes that began a piece."""
    noted = folder / f"{number}.starts"
    return noted.read_text().split() if noted.exists() else []


def held_starts(folder: Path) -> set[str]:
    """The processes that hold a piece."""
    return {pid for number in range(HELD, PIECES) for pid in starts(folder, number)}
