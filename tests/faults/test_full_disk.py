"""A full disk: a clear error, nothing lost, and recovery without a restart.

Twice: on a small file system that really is full (where the tests may mount one), log file included,
and with the kernel's limit on the size of files, which works anywhere and fails in another place.
"""

import asyncio
import os
import random
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from faults.seating import furnish, write_study
from faults.talkers import Talker, check, fall_silent, until
from palaver.storage import Store
from support.participants import sqlite_url
from support.serving import Server, free_port, start_server

pytestmark = [pytest.mark.faults, pytest.mark.timeout(300)]

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk that can be filled, and have space freed on it."""

    home: Path
    fill: Callable[[int], None]
    free: Callable[[int], None]


@pytest.fixture(params=["small file system", "limit on files"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    """A disk of each kind; both take the pid of the server."""
    if request.param == "limit on files":
        home = tmp_path / "home"
        home.mkdir()
        yield Disk(home, _limit, _unlimit)
        return
    mounted = tmp_path / "disk"
    mounted.mkdir()
    if shutil.which("mount") is None or os.geteuid() != 0 or not _mount(mounted):
        pytest.skip("no small file system can be mounted here")
    ballast = mounted / "ballast"
    try:
        yield Disk(mounted, lambda _: _fill(ballast), lambda _: ballast.unlink())
    finally:
        subprocess.run(["umount", "--lazy", str(mounted)], check=True)


def test_a_full_disk_is_told_and_survived(disk: Disk, tmp_path: Path, environment) -> None:
    study = write_study(tmp_path / "study")
    url = sqlite_url(disk.home)
    chairs = furnish(url, study, people=2, systems=1)
    port = free_port()
    server = start_server(study, home=disk.home, port=port, environment=environment)
    tables = [
        [Talker(chair, [server.base], random.Random(chair.path), window=1) for chair in table]
        for table in chairs
    ]
    try:
        asyncio.run(_story(disk, server, tables))
        assert server.process.poll() is None, server.output()
    finally:
        server.stop()
    store = Store(url)
    try:
        check(store, tables)
    finally:
        store.close()


async def _story(disk: Disk, server: Server, tables: list[list[Talker]]) -> None:
    everybody = [talker for table in tables for talker in table]
    for talker in everybody:
        await talker.__aenter__()
    try:
        await until(lambda: all(len(t.acknowledged) > 5 for t in everybody), "all have talked")

        disk.fill(server.process.pid)
        await until(lambda: all(t.refusals for t in everybody), "all are told that it is full")
        before = [len(t.acknowledged) for t in everybody]
        # Long enough for the log to outgrow the space it has left, too.
        await asyncio.sleep(2.0)
        assert [len(t.acknowledged) for t in everybody] == before
        await _pages_say_so(server, everybody[0])

        disk.free(server.process.pid)
        await until(
            lambda: all(
                len(t.acknowledged) > n + 5 for t, n in zip(everybody, before, strict=True)
            ),
            "all talk again, on the same server",
        )
        await fall_silent(tables)
    finally:
        for talker in everybody:
            await talker.__aexit__()
    assert {refusal["code"] for t in everybody for refusal in t.refusals} == {"not_stored"}
    assert all("kept" in refusal["message"] for t in everybody for refusal in t.refusals)


async def _pages_say_so(server: Server, talker: Talker) -> None:
    """A form that must be stored gets a page that says what happened; reading still works."""
    headers = {"cookie": talker.chair.cookie}
    async with aiohttp.ClientSession(headers=headers) as session:
        url = f"{server.base}{talker.chair.visit}/problem"
        async with session.get(url) as page:
            assert page.status == 200
            token = (await page.text()).partition('name="csrf" value="')[2].partition('"')[0]
        form = {"csrf": token, "text": "The disk seems to be full."}
        async with session.post(url, data=form) as page:
            assert page.status == 503
            assert "Nothing was lost" in await page.text()


def _mount(folder: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", f"size={6 * MEGABYTE}", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def _limit(pid: int) -> None:
    # Not a byte can be written, whatever the size of a file. With a limit at its present size the
    # write-ahead log could be written back and begun anew.
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, hard))


def _unlimit(pid: int) -> None:
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard, hard))
