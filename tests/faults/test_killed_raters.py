"""kill -9 while raters judge and while their file is taken in: every acknowledged answer is there."""

import asyncio
import json
import random
import re
from pathlib import Path

import aiohttp
import pytest
from sqlalchemy import text

from faults.talkers import until
from palaver.crowds.links import sign_link
from palaver.storage import Store
from palaver.storage.judging.tidy import label_records
from support.chains import verified
from support.databases import Postgres
from support.lengths import short_and_long
from support.participants import Participant, sqlite_url
from support.serving import Server, free_port, start_server

pytestmark = [pytest.mark.asyncio, pytest.mark.faults, pytest.mark.timeout(300)]

STUDY = """\
title: Judge
stages:
  - rate: {ask: [empathy], data: data.jsonl, raters: 2, at_once: 1}
"""
SHEETS, RATERS = 400, 6
# Answers that must have been acknowledged for the story to mean something.
ENOUGH = 50
LOST = (aiohttp.ClientError, ConnectionError, TimeoutError)


class Judge:
    """Somebody who judges one sheet after the other, whatever happens to the server."""

    def __init__(self, link: str) -> None:
        self.visitor = Participant(link)
        self.acknowledged: set[str] = set()

    async def work(self) -> None:
        """Until nothing is left or the task is cancelled."""
        await self._insist(self.visitor.open(self.visitor.link))
        while "thank you for coming" in self.visitor.page:
            await self._insist(self.visitor.begin())
        while True:
            found = re.search(r'name="(answer-empathy-(\d+):empathy)"', self.visitor.page)
            if found is None:
                return
            hidden = self.visitor.hidden()
            if await self._sent(found[1]):
                self.acknowledged.add(hidden["nonce"])

    async def _sent(self, field: str) -> bool:
        """Send the answer; whether it was acknowledged."""
        try:
            await self.visitor.send("rate", **{field: "empathetic"})
        except LOST:
            # Whether it was stored is not known; the page says what is next.
            await self._insist(None)
            return False
        if self.visitor.status == 200:
            return True
        await self._insist(None)
        return False

    async def _insist(self, first: object) -> None:
        if asyncio.iscoroutine(first):
            try:
                await first
                return
            except LOST:
                pass
        while True:
            try:
                address = self.visitor.path if self.visitor.url else self.visitor.link
                await self.visitor.open(address)
                if self.visitor.status == 200:
                    return
            except LOST:
                pass
            await asyncio.sleep(0.05)


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
@short_and_long("kills", 1, 14)
async def test_raters_lose_nothing_and_no_sheet_has_too_many(
    tmp_path: Path,
    environment: dict[str, str],
    request: pytest.FixtureRequest,
    database: str,
    kills: int,
) -> None:
    folder, home = tmp_path / "study", tmp_path / "home"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    turns = [["user", "I am sad."], ["system", "Oh no."]]
    lines = [json.dumps({"id": f"d{n}", "turns": turns}) for n in range(SHEETS)]
    (folder / "data.jsonl").write_text("\n".join(lines), encoding="utf-8")
    server: Postgres | None = None
    if database == "postgres":
        server = request.getfixturevalue("postgres")
    url = server.new_database() if server else None
    port = free_port()

    async def start() -> Server:
        return await asyncio.to_thread(
            start_server,
            folder,
            home=home,
            port=port,
            database_url=url,
            environment=environment,
            ready_within=60,
        )

    dice = random.Random(7)
    running = await start()
    store = Store(url or sqlite_url(home))
    judges = [
        Judge(f"{running.base}/s/study?link={sign_link(store.secret(), study='study', person=p)}")
        for p in map(str, range(RATERS))
    ]

    def acknowledged() -> set[str]:
        return set().union(*(judge.acknowledged for judge in judges))

    tasks = [asyncio.create_task(judge.work()) for judge in judges]
    try:
        for _ in range(kills):
            await asyncio.sleep(dice.uniform(0.2, 0.9))
            running.kill()
            verified(store.url)
            running = await start()
        await until(lambda: len(acknowledged()) > ENOUGH, "raters have judged", seconds=60)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for judge in judges:
            await judge.visitor.session.close()
        running.stop()
    try:
        labels = store.read_now(lambda c: list(label_records(c)))
        stored = store.read_now(
            lambda c: {
                client.partition(":")[0]
                for (client,) in c.execute(text("SELECT client_id FROM labels"))
            }
        )
        crowded = store.read_now(
            lambda c: c.execute(
                text(
                    "SELECT sheet_id FROM slots WHERE state IN ('held', 'done') "
                    "GROUP BY sheet_id HAVING count(*) > 2"
                )
            ).all()
        )
        sheets = store.read_now(lambda c: c.execute(text("SELECT count(*) FROM sheets")).scalar())
    finally:
        store.close()
    assert verified(store.url).kinds["label"] == len(labels)
    assert acknowledged() <= stored
    assert crowded == []
    assert sheets == SHEETS
    assert len({(label.unit, label.rater) for label in labels}) == len(labels)
